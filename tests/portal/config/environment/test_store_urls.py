"""Which addresses of a Redis are taken, and what one with Sentinels says."""

import pytest

from portal.config.environment.store_urls import SharedAddress, check_store_url, read_shared_url, split_credentials
from portal.errors import ConfigurationError


@pytest.mark.parametrize(
    ("url", "words"),
    [
        ("redis://host\n/0", "should be redis://"),
        ("redis://:secret@one:6379/0,redis://:secret@two:6379/0", "should be the address of one server"),
        ("redis+cluster://one:6379/0", "redis+cluster://[user:password@]host[:port],…, percent-encoded"),
        ("rediss+cluster://one?sentinel_password=secret", "percent-encoded"),
        ("redis://", "percent-encoded"),
        ("redis://:secret/secret@one:6379/0", "percent-encoded"),
        ("unix://redis.sock", "percent-encoded"),
        ("redis+sentinel://one,two", "service"),
        ("redis+sentinel://one,/portal", "service"),
        ("redis+sentinel://user:secret@one,user:secret@two/portal", "service"),
    ],
)
def test_what_is_refused_is_refused_in_one_line_that_repeats_no_password(url, words):
    with pytest.raises(ConfigurationError) as caught:
        check_store_url("REFRESH_CACHE_URL", url)
    message = str(caught.value)
    assert message.startswith("REFRESH_CACHE_URL should ")
    assert (words in message, "\n" in message, "secret" in message) == (True, False, False)


def test_an_address_with_sentinels_is_read():
    url = (
        "rediss+sentinel://portal:a%2Cb%40@one:1,[::1],three:3/the%20service/4"
        "?ssl_ca_certs=/ca.pem&sentinel_username=watch&sentinel_password=er%21"
    )
    address = read_shared_url(url)
    assert address == SharedAddress(
        hosts=(("one", 1), ("::1", 26379), ("three", 3)),
        service="the service",
        database=4,
        tls=True,
        username="portal",
        password="a,b@",
        sentinel_username="watch",
        sentinel_password="er!",
        options={"ssl_ca_certs": "/ca.pem"},
    )
    assert not any(secret in repr(address) for secret in ("a,b@", "er!", "watch"))
    assert check_store_url("CACHE_URL", url) == url


def test_an_address_of_a_cluster_is_read():
    address = read_shared_url("rediss+cluster://me:p%2Cw@one,[::1]:7000?ssl_ca_certs=/ca.pem")
    assert address.hosts == (("one", 6379), ("::1", 7000))
    assert (address.username, address.password, address.tls) == ("me", "p,w", True)
    assert address.options == {"ssl_ca_certs": "/ca.pem"}


@pytest.mark.parametrize(
    ("url", "bare", "credentials"),
    [
        ("redis://[::1]", "redis://[::1]", {}),
        ("redis://:a%2Cb@host:1/0", "redis://host:1/0", {"password": "a,b"}),
        (
            "rediss://me:pw@host:1/0?ssl_ca_certs=%2Fca.pem&password=other",
            "rediss://host:1/0?ssl_ca_certs=%2Fca.pem",
            {"username": "me", "password": "other"},
        ),
        ("unix://me:pw@/run/r.sock?db=2", "unix:///run/r.sock?db=2", {"username": "me", "password": "pw"}),
        (
            "redis+sentinel://one/portal?sentinel_password=p%21",
            "redis+sentinel://one/portal",
            {"sentinel_password": "p!"},
        ),
        ("redis+cluster://me:pw@one,two:2", "redis+cluster://one,two:2", {"username": "me", "password": "pw"}),
    ],
)
def test_users_and_passwords_are_taken_out_of_an_address(url, bare, credentials):
    assert split_credentials(url) == (bare, credentials)
    assert check_store_url("CACHE_URL", url) == url
    assert check_store_url("CACHE_URL", bare) == bare
