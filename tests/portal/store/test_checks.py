"""The system checks: a store that would break the refresh does not start."""

import contextlib
import socket
from functools import partial

import pytest
import redis
from django.core.checks import CheckMessage, registry
from django.test import override_settings

from portal.store import STORE_IS_AWAY, check_embedded_store, check_query_store, check_refresh_store
from sqlite_cache import close_idle_connections
from tests.support.given_store import stores_on
from tests.support.ports import free_port
from tests.support.redis_server import running_redis

SQLITE = {"BACKEND": "sqlite_cache.SQLiteCache", "LOCATION": "/nowhere/c.sqlite3"}
REFUSES = {**SQLITE, "OPTIONS": {"WHEN_FULL": "refuse"}}
DJANGO = "django.core.cache.backends"


def redis_entry(url: str) -> dict:
    return {"BACKEND": f"{DJANGO}.redis.RedisCache", "LOCATION": url}


def ids(check=check_refresh_store, **caches: dict) -> list[str]:
    with override_settings(CACHES={"default": SQLITE, **caches}):
        return [message.id for message in check()]


@pytest.mark.parametrize(
    ("entry", "found"),
    [
        # Several processes can win its `add`.
        *(
            ({"BACKEND": f"{DJANGO}.{backend}", "LOCATION": "x"}, ["portal.store.E002"])
            for backend in ("locmem.LocMemCache", "dummy.DummyCache", "filebased.FileBasedCache", "db.DatabaseCache")
        ),
        # It evicts.
        *(
            ({"BACKEND": f"{DJANGO}.memcached.{backend}"}, ["portal.store.E003"])
            for backend in ("PyMemcacheCache", "PyLibMCCache")
        ),
        (SQLITE, ["portal.store.E003"]),
        (REFUSES, []),
        ({"BACKEND": "somebody.elses.Cache"}, ["portal.store.W001"]),
        *(
            (redis_entry(f"redis://127.0.0.1:1?{option}"), ["portal.store.E004"])
            for option in ("socket_timeout=soon", "db=first", "health_check_interval=x", "ssl_ca_cert=/nowhere")
        ),
    ],
)
def test_a_refresh_store_neither_evicts_nor_lets_several_win(entry: dict, found: list[str]):
    assert ids(refresh=entry) == found


def test_the_projects_own_settings_pass_and_a_missing_alias_is_refused():
    assert check_refresh_store() == check_query_store() == []
    assert check_refresh_store in registry.registry.registered_checks
    assert ids() == ["portal.store.E001"]


@pytest.mark.redis
@pytest.mark.parametrize(
    ("options", "found"),
    [
        *(
            (("--maxmemory", "100mb", "--maxmemory-policy", policy), "portal.store.E003")
            for policy in ("allkeys-lru", "allkeys-lfu", "allkeys-random", "volatile-lru", "volatile-ttl")
        ),
        ((), "portal.store.W004"),
        (("--rename-command", "INFO", ""), "portal.store.W002"),
        # It still says how it evicts.
        (("--rename-command", "CONFIG", ""), "portal.store.W004"),
        # By default the nodes of a cluster talk on the port + 10,000, which a high port does not leave room for.
        (("--cluster-enabled", "yes", "--cluster-port", str(free_port())), "portal.store.E006"),
        (("--replicaof", "127.0.0.1 1"), "portal.store.E006"),
    ],
)
def test_what_a_redis_is_configured_to_do_is_told(options: tuple[str, ...], found: str, tmp_path):
    with running_redis(tmp_path, *options) as server:
        assert ids(refresh=redis_entry(server.url())) == [found]


def messages_of(url: str) -> list[CheckMessage]:
    """What the check says of an address, as the settings have it: for both aliases."""
    with stores_on(url):
        return list(check_refresh_store())


def cause_of(url: str, *, message_id: str) -> str:
    """The cause that the one message of this id names, without the user and the password."""
    (message,) = messages_of(url)
    assert message.id == message_id, message
    assert "a-secret" not in str(message)
    assert "someone" not in str(message)
    assert message.msg.startswith(("CACHE_URL can't ", "The Redis in CACHE_URL can't "))
    return message.msg.partition(": ")[2].rstrip(".")


@pytest.fixture(scope="module")
def hung_port():
    """A port that accepts connections and never answers."""
    with contextlib.closing(socket.create_server(("127.0.0.1", 0))) as listening:
        yield listening.getsockname()[1]


@pytest.mark.parametrize(
    ("url", "cause"),
    [
        ("redis://someone:a-secret@127.0.0.1:1/0", "nothing listens at its port"),
        ("rediss://someone:a-secret@127.0.0.1:1/0", "nothing listens at its port"),
        ("redis+sentinel://someone:a-secret@127.0.0.1:1/portal", "no Sentinel names a primary of that service"),
        ("redis://someone:a-secret@nowhere.invalid:6379/0", "its name leads nowhere (DNS)"),
        ("unix://someone:a-secret@/nowhere/redis.sock", "its socket, or a file that an option names, is not there"),
        ("redis://someone:a-secret@127.0.0.1:{hung}/0", "it does not answer in time"),
    ],
)
def test_a_redis_that_is_away_stops_the_start_and_says_why(url, cause, hung_port):
    assert cause_of(url.format(hung=hung_port), message_id=STORE_IS_AWAY) == cause


@pytest.mark.redis
def test_a_mistake_in_the_address_of_a_redis_that_runs_is_refused_with_its_cause(tmp_path):
    with running_redis(tmp_path, "--requirepass", "the-right-one") as server:
        port = server.port
        refuses = "it refuses the user or the password, or wants one"
        refused = partial(cause_of, message_id="portal.store.E008")
        assert refused(f"redis://127.0.0.1:{port}/0") == refuses
        assert refused(f"redis://someone:a-secret@127.0.0.1:{port}/0") == refuses
        assert refused(f"redis://:the-right-one@127.0.0.1:{port}/99") == "it has no database of that number"
        with redis.Redis(port=port, password="the-right-one") as client:
            client.execute_command("ACL", "SETUSER", "someone", "on", ">a-secret", "~other:*", "+@all")
            keys = "its user may not read and write the keys portal:*"
            assert refused(f"redis://someone:a-secret@127.0.0.1:{port}/0") == keys
            assert messages_of(f"redis://:the-right-one@127.0.0.1:{port}/0") == []
            # That it is full is a warning, since the address is right.
            client.config_set("maxmemory", "1kb")
        full = cause_of(f"redis://:the-right-one@127.0.0.1:{port}/0", message_id="portal.store.W005")
        assert full == "it is full, and takes no writes"


def shared_ids(queries: str, refresh: str) -> list[str]:
    return ids(default=redis_entry(queries), refresh=redis_entry(refresh))


@pytest.mark.redis
def test_one_redis_with_a_limit_for_both_is_a_warning_and_so_are_two_of_its_databases(tmp_path, redis_url):
    with running_redis(tmp_path, "--maxmemory", "100mb") as server:
        assert shared_ids(server.url(), server.url()) == ["portal.store.W003"]
        assert shared_ids(server.url(1), server.url()) == ["portal.store.W003"]
        # What is cached may lie in one that evicts, beside one that does not.
        with redis.Redis.from_url(redis_url) as evicting:
            evicting.config_set("maxmemory", "100mb")
            evicting.config_set("maxmemory-policy", "allkeys-lru")
            assert shared_ids(redis_url, server.url()) == []
            assert shared_ids(server.url(), redis_url) == ["portal.store.E003"]
            evicting.config_set("maxmemory", "0")
            evicting.config_set("maxmemory-policy", "noeviction")
            assert shared_ids(redis_url, redis_url) == []


def test_an_embedded_store_that_can_not_be_opened_is_refused(tmp_path):
    entry = {**REFUSES, "LOCATION": str(tmp_path / "store" / "c.sqlite3")}
    assert ids(check_embedded_store, default=entry, refresh=entry) == []
    close_idle_connections()
    file = tmp_path / "file"
    file.write_text("no folder")
    entry["LOCATION"] = str(file / "c.sqlite3")
    assert ids(check_embedded_store, default=entry, refresh=entry) == ["portal.store.E005"] * 2


@pytest.mark.parametrize("wrong", ["default", "refresh"])
def test_an_option_that_redis_py_does_not_know_is_refused_also_while_the_servers_are_away(wrong):
    addresses = {"default": "redis://127.0.0.1:1/0", "refresh": "redis://127.0.0.1:1/1"}
    addresses[wrong] += "?nonsense=1"
    with override_settings(CACHES={alias: redis_entry(address) for alias, address in addresses.items()}):
        (message,) = check_refresh_store()
    assert message.id == "portal.store.E004"
    assert message.msg.startswith(f"The address in {'CACHE_URL' if wrong == 'default' else 'REFRESH_CACHE_URL'} ")


def test_a_redis_for_what_is_cached_alone_is_checked_too():
    caches = {"default": redis_entry("redis://127.0.0.1:1/0"), "refresh": REFUSES}
    assert ids(check_query_store, **caches) == [STORE_IS_AWAY]
    assert ids(check_refresh_store, **caches) == []
