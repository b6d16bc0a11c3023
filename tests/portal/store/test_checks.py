"""The system checks: a store that would break the refresh does not start."""

from __future__ import annotations

import socket
from functools import partial
from types import SimpleNamespace

import pytest
import redis
from django.core.checks import CheckMessage, registry
from django.test import override_settings

from portal.config.base_settings import _caches
from portal.store import STORE_IS_AWAY, check_embedded_store, check_query_store, check_refresh_store
from sqlite_cache import close_idle_connections
from tests.support.ports import free_port
from tests.support.redis_server import running_redis

SQLITE = {"BACKEND": "sqlite_cache.SQLiteCache", "LOCATION": "/nowhere/c.sqlite3"}


def ids(**entry) -> list[str]:
    with override_settings(CACHES={"default": SQLITE, "refresh": entry}):
        return [message.id for message in check_refresh_store()]


def redis_entry(url: str) -> dict:
    return {"BACKEND": "django.core.cache.backends.redis.RedisCache", "LOCATION": url}


@pytest.mark.parametrize(
    "backend", ["locmem.LocMemCache", "dummy.DummyCache", "filebased.FileBasedCache", "db.DatabaseCache"]
)
def test_a_store_whose_add_several_processes_can_win_is_refused(backend):
    assert ids(BACKEND=f"django.core.cache.backends.{backend}", LOCATION="x") == ["portal.store.E002"]


@pytest.mark.parametrize("backend", ["PyMemcacheCache", "PyLibMCCache"])
def test_a_store_that_evicts_is_refused(backend):
    assert ids(BACKEND=f"django.core.cache.backends.memcached.{backend}") == ["portal.store.E003"]


def test_a_missing_alias_is_refused():
    with override_settings(CACHES={"default": SQLITE}):
        assert [message.id for message in check_refresh_store()] == ["portal.store.E001"]


def test_the_embedded_store_is_fine_when_it_refuses_rather_than_evicts():
    assert ids(**SQLITE, OPTIONS={"WHEN_FULL": "refuse"}) == []
    assert ids(**SQLITE) == ["portal.store.E003"]


def test_a_store_of_which_nothing_is_known_is_a_warning():
    assert ids(BACKEND="somebody.elses.Cache") == ["portal.store.W001"]


def test_the_projects_own_settings_pass():
    assert check_refresh_store() == []
    assert check_refresh_store in registry.registry.registered_checks


@pytest.mark.redis
@pytest.mark.parametrize("policy", ["allkeys-lru", "allkeys-lfu", "allkeys-random", "volatile-lru", "volatile-ttl"])
def test_a_redis_that_evicts_is_refused(policy, tmp_path):
    with running_redis(tmp_path, "--maxmemory", "100mb", "--maxmemory-policy", policy) as server:
        assert ids(**redis_entry(server.url())) == ["portal.store.E003"]


@pytest.mark.redis
def test_a_redis_for_the_refresh_alone_is_for_one_machine(redis_url):
    assert ids(**redis_entry(redis_url)) == ["portal.store.W004"]


@pytest.mark.redis
def test_a_redis_that_does_not_say_is_a_warning(tmp_path):
    with running_redis(tmp_path, "--rename-command", "INFO", "") as server:
        assert ids(**redis_entry(server.url())) == ["portal.store.W002"]


@pytest.mark.redis
def test_a_redis_that_forbids_its_configuration_still_says_how_it_evicts(tmp_path):
    with running_redis(tmp_path, "--rename-command", "CONFIG", "") as server:
        assert ids(**redis_entry(server.url())) == ["portal.store.W004"]


def messages_of(url: str) -> list[CheckMessage]:
    """What the check says of an address, as the settings have it: for both aliases."""
    config = SimpleNamespace(cache_url=url, refresh_cache_url=url)
    with override_settings(CACHES=_caches(config)):  # type: ignore[arg-type]
        return list(check_refresh_store())


def cause_of(url: str, *, message_id: str) -> str:
    """The cause that the one message of this id names, without the user and the password."""
    (message,) = messages_of(url)
    assert message.id == message_id, message
    assert "a-secret" not in str(message)
    assert "someone" not in str(message)
    assert message.msg.startswith(("CACHE_URL can't ", "The Redis in CACHE_URL can't "))
    return message.msg.partition(": ")[2].rstrip(".")


def hung_port() -> socket.socket:
    """A port that accepts connections and never answers."""
    return socket.create_server(("127.0.0.1", 0))


@pytest.mark.parametrize(
    ("url", "cause"),
    [
        ("redis://someone:a-secret@127.0.0.1:1/0", "nothing listens at its port"),
        ("rediss://someone:a-secret@127.0.0.1:1/0", "nothing listens at its port"),
        ("redis+sentinel://someone:a-secret@127.0.0.1:1/portal", "no Sentinel names a primary of that service"),
        ("redis://someone:a-secret@nowhere.invalid:6379/0", "its name leads nowhere (DNS)"),
        ("unix://someone:a-secret@/nowhere/redis.sock", "its socket, or a file that an option names, is not there"),
    ],
)
def test_a_redis_that_is_away_stops_the_start_and_says_why(url, cause):
    assert cause_of(url, message_id=STORE_IS_AWAY) == cause


def test_a_redis_that_hangs_is_away():
    with hung_port() as port:
        url = f"redis://someone:a-secret@127.0.0.1:{port.getsockname()[1]}/0"
        assert cause_of(url, message_id=STORE_IS_AWAY) == "it does not answer in time"


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


@pytest.mark.redis
def test_a_redis_that_is_full_is_a_warning_since_the_address_is_right(tmp_path):
    with running_redis(tmp_path, "--maxmemory", "1kb") as server:
        assert cause_of(server.url(), message_id="portal.store.W005") == "it is full, and takes no writes"


@pytest.mark.redis
def test_an_option_that_is_not_known_is_refused(redis_url):
    assert ids(**redis_entry(f"{redis_url}?ssl_ca_cert=/nowhere")) == ["portal.store.E004"]


@pytest.mark.parametrize("option", ["socket_timeout=soon", "db=first", "health_check_interval=x"])
def test_an_option_whose_value_is_none_is_refused(option):
    assert ids(**redis_entry(f"redis://127.0.0.1:{free_port()}?{option}")) == ["portal.store.E004"]


@pytest.mark.redis
def test_a_node_of_a_cluster_is_refused(tmp_path):
    # By default the nodes talk on the port + 10,000, which a high port does not leave room for.
    with running_redis(tmp_path, "--cluster-enabled", "yes", "--cluster-port", str(free_port())) as server:
        assert ids(**redis_entry(server.url())) == ["portal.store.E006"]


@pytest.mark.redis
def test_a_replica_is_refused(tmp_path, redis_url):
    port = redis_url.rpartition(":")[2].partition("/")[0]
    with running_redis(tmp_path, "--replicaof", f"127.0.0.1 {port}") as server:
        assert ids(**redis_entry(server.url())) == ["portal.store.E006"]


def shared_ids(queries: str, refresh: str) -> list[str]:
    with override_settings(CACHES={"default": redis_entry(queries), "refresh": redis_entry(refresh)}):
        return [message.id for message in check_refresh_store()]


@pytest.mark.redis
def test_one_redis_with_a_limit_for_both_is_a_warning_and_so_are_two_of_its_databases(tmp_path):
    with running_redis(tmp_path, "--maxmemory", "100mb") as server:
        assert shared_ids(server.url(), server.url()) == ["portal.store.W003"]
        assert shared_ids(server.url(1), server.url()) == ["portal.store.W003"]


@pytest.mark.redis
def test_one_redis_without_a_limit_is_fine(redis_url):
    assert shared_ids(redis_url, redis_url) == []


@pytest.mark.redis
def test_what_is_cached_may_lie_in_a_redis_that_evicts_beside_one_that_does_not(tmp_path):
    one, two = tmp_path / "one", tmp_path / "two"
    one.mkdir()
    two.mkdir()
    evicting = ("--maxmemory", "100mb", "--maxmemory-policy", "allkeys-lru")
    with running_redis(one, *evicting) as queries, running_redis(two, "--maxmemory", "100mb") as refresh:
        assert shared_ids(queries.url(), refresh.url()) == []
        assert shared_ids(refresh.url(), queries.url()) == ["portal.store.E003"]


def test_an_embedded_store_that_can_not_be_opened_is_refused(tmp_path):
    (tmp_path / "store").write_text("no folder")
    entry = {**SQLITE, "LOCATION": str(tmp_path / "store" / "c.sqlite3"), "OPTIONS": {"WHEN_FULL": "refuse"}}
    with override_settings(CACHES={"default": entry, "refresh": entry}):
        assert [message.id for message in check_embedded_store()] == ["portal.store.E005"] * 2


def test_an_embedded_store_that_opens_is_fine(tmp_path):
    entry = {**SQLITE, "LOCATION": str(tmp_path / "store" / "c.sqlite3"), "OPTIONS": {"WHEN_FULL": "refuse"}}
    with override_settings(CACHES={"default": entry, "refresh": entry}):
        assert check_embedded_store() == []
    close_idle_connections()


@pytest.mark.parametrize("wrong", ["default", "refresh"])
def test_an_option_that_redis_py_does_not_know_is_refused_also_while_the_servers_are_away(wrong):
    addresses = {"default": "redis://127.0.0.1:1/0", "refresh": "redis://127.0.0.1:1/1"}
    addresses[wrong] += "?nonsense=1"
    with override_settings(CACHES={alias: redis_entry(address) for alias, address in addresses.items()}):
        (message,) = check_refresh_store()
    assert message.id == "portal.store.E004"
    assert message.msg.startswith(f"The address in {'CACHE_URL' if wrong == 'default' else 'REFRESH_CACHE_URL'} ")


def test_a_redis_for_what_is_cached_alone_is_checked_too():
    embedded = {**SQLITE, "OPTIONS": {"WHEN_FULL": "refuse"}}
    with override_settings(CACHES={"default": redis_entry("redis://127.0.0.1:1/0"), "refresh": embedded}):
        assert [message.id for message in check_query_store()] == [STORE_IS_AWAY]
        assert check_refresh_store() == []
    assert check_query_store() == [], "the project's own settings"
