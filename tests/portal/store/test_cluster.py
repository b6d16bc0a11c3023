"""A Redis Cluster as both stores, by the projects' own settings: real servers, of which one fails."""

import contextlib
import logging
import re
import signal

import pytest
from redis.crc import key_slot

from portal.errors import StoreUnavailableError
from portal.store import (
    MISSING,
    check_query_store,
    check_readiness,
    check_refresh_store,
    inspect_store,
    query_store,
    refresh_store,
)
from portal.store.cluster import ClusterCache, tagged_key
from portal_operate.doctor.stores import look_at_stores
from tests.portal.store.test_redis_as_it_is_run import all_words_of, use_both
from tests.support.given_store import stores_on
from tests.support.harness import ROOT
from tests.support.processes import until
from tests.support.redis_cluster import NODE_TIMEOUT_MS, PRIMARIES, clustered_redis
from tests.support.redis_server import RedisServer, running_redis, suspended

pytestmark = pytest.mark.redis


def key_on(cluster, server: RedisServer, name: str) -> str:
    """A key of the refresh store that this server has."""
    made = (f"{tag}:{name}" for tag in ClusterCache.tags)
    return next(key for key in made if cluster.primary_of(tagged_key(key, "portal:refresh", 1)) is server)


def messages() -> list[str]:
    return [f"{message.id} {message.msg}" for check in (check_refresh_store, check_query_store) for message in check()]


def test_it_starts_works_and_tells_of_each_primary(redis_cluster):
    with stores_on(redis_cluster.url()):
        use_both()
        assert messages() == []
        check_readiness()
        servers = inspect_store(refresh_store())
        assert len({server.identity for server in servers}) == PRIMARIES
        assert not any(server.is_replica for server in servers)
        assert refresh_store().size().used > 0
        found = {finding.obj: finding for finding in look_at_stores(None)}
        assert {f"refresh store primary {number} room" for number in (1, 2, 3)} <= set(found)
        assert not any(finding.hint for finding in found.values())


def test_what_is_one_users_or_one_sign_ins_is_one_step_and_is_spread_over_all_primaries(redis_cluster):
    with stores_on(redis_cluster.url()):
        store, name = refresh_store(), "0a1b" * 8
        of_user = [f"{name}:number", f"{name}:1:energy.get_clients:log", "0a1:generation:x", f"0a1{'f' * 29}:family"]
        token = f"ns:{'f' * 64}"
        assert store.steps([token, *of_user, "start"]) == [[token], of_user, ["start"]]
        places = store.everywhere("readiness")
        store.set_many(dict.fromkeys(places, 1), lifetime_s=60)
        assert {redis_cluster.primary_of(tagged_key(key, "portal:refresh", 1)).port for key in places} == {
            server.port for server in redis_cluster.primaries()
        }
    slots = sorted(key_slot(tag.encode()) * 100 // 16384 for tag in ClusterCache.tags)
    shares = [slots.count(place) for place in range(100)]
    assert max(shares) < 1.3 * len(slots) / 100, "of a hundred primaries, none has much more than its share"


def test_a_slot_that_another_primary_has_by_now_is_found_there(redis_cluster):
    with stores_on(redis_cluster.url()):
        store, name = query_store(), "moving"
        store.set(name, 1, lifetime_s=60)
        store.delete(name)
        slot = key_slot(tagged_key(name, "portal:queries", 1).encode())
        old = redis_cluster.primary_of(tagged_key(name, "portal:queries", 1))
        new = next(server for server in redis_cluster.primaries() if server is not old)
        for was, to in ((old, new), (new, old)):
            with was.client() as of_was, to.client() as client:
                node = client.execute_command("CLUSTER", "MYID")
                of_was_node = of_was.execute_command("CLUSTER", "MYID")
                client.execute_command("CLUSTER", "SETSLOT", slot, "IMPORTING", of_was_node)
                for each in (client, of_was):
                    each.execute_command("CLUSTER", "SETSLOT", slot, "NODE", node)
            store.set(name, to.port, lifetime_s=60)
            assert store.get(name) == to.port
            assert redis_cluster.primary_of(tagged_key(name, "portal:queries", 1)) is to
            store.delete(name)


def test_addresses_that_lead_elsewhere_are_refused_with_their_cause(redis_cluster, tmp_path):
    node = redis_cluster.servers[0].port
    with stores_on(f"redis://127.0.0.1:{node}/0"):
        assert messages() == ["portal.store.E006 CACHE_URL leads to a node of a Redis Cluster."]
    with running_redis(tmp_path) as alone, stores_on(f"redis+cluster://127.0.0.1:{alone.port}"):
        assert messages() == ["portal.store.E008 CACHE_URL can't work: it is no node of a Redis Cluster."]
    with stores_on("redis+cluster://127.0.0.1:1,127.0.0.1:2"):
        assert messages() == ["portal.store.E007 CACHE_URL can't be reached: nothing listens at its port."]
        with pytest.raises(StoreUnavailableError):
            refresh_store().get("key")
        with pytest.raises(StoreUnavailableError):
            check_readiness()


def test_one_primary_that_evicts_is_one_too_many(redis_cluster):
    server = redis_cluster.primaries()[1]
    with stores_on(redis_cluster.url()), server.client() as client:
        client.config_set("maxmemory-policy", "allkeys-lru")
        try:
            [found] = messages()
            assert found.startswith("portal.store.E003")
            assert "allkeys-lru" in found
            assert sum(each.evicts for each in inspect_store(query_store())) == 1
        finally:
            client.config_set("maxmemory-policy", "noeviction")


def test_a_primary_that_hangs_is_slow_once_and_the_others_go_on(redis_cluster, caplog, monkeypatch):
    hung, *others = redis_cluster.primaries()
    there, elsewhere = (key_on(redis_cluster, server, "family") for server in (hung, others[0]))

    def hung_first(nodes, number=2 * PRIMARIES):
        nodes.sort(key=lambda node: node.port != hung.port)
        return nodes[:number]

    # By chance, it would be asked first for the slots that have moved: here it always would.
    monkeypatch.setattr("random.sample", hung_first)
    monkeypatch.setattr("random.shuffle", hung_first)
    with stores_on(redis_cluster.url()):
        store = refresh_store()
        store.set_many({there: 1, elsewhere: 2}, lifetime_s=60)
        # No replica takes its part before all has been looked at.
        patient(redis_cluster, 60_000)
        with suspended(hung):
            with caplog.at_level(logging.WARNING), pytest.raises(StoreUnavailableError, match="TimeoutError"):
                store.get(there)
            assert store.circuit(there).is_open
            assert store.circuit(there).name == f"store redis+cluster://127.0.0.1:{hung.port}"
            assert not store.circuit(elsewhere).is_open
            with pytest.raises(StoreUnavailableError, match="does not answer at the moment"):
                store.get(there)
            assert store.get(elsewhere) == 2
            with pytest.raises(StoreUnavailableError):
                check_readiness()
            patient(redis_cluster, NODE_TIMEOUT_MS, but=hung)
            until(lambda: _value(there) == 1, what="failover")
        assert store.get(elsewhere) == 2
        patient(redis_cluster, NODE_TIMEOUT_MS)
        until(lambda: len(redis_cluster.primaries()) == PRIMARIES, what="it knows that it is a replica")


def patient(cluster, milliseconds: int, *, but: RedisServer | None = None) -> None:
    for server in cluster.servers:
        if server is not but:
            with server.client() as client:
                client.config_set("cluster-node-timeout", milliseconds)


def _value(key: str) -> object:
    with contextlib.suppress(StoreUnavailableError):
        return refresh_store().get(key)
    return MISSING


def test_what_was_confirmed_survives_a_primary_that_is_killed_and_is_read_from_its_replica(tmp_path):
    with clustered_redis(tmp_path) as cluster, stores_on(cluster.url()):
        store = refresh_store()
        keys = [f"{tag}:family" for tag in ClusterCache.tags[::64]]
        confirmed = {}
        gone = cluster.primaries()[0]
        for number, key in enumerate(keys):
            if number == len(keys) // 2:
                gone.stop(signal.SIGKILL)
            with contextlib.suppress(StoreUnavailableError):
                store.set(key, number, lifetime_s=60)
                confirmed[key] = number
        assert len(keys) // 2 < len(confirmed) < len(keys), "some find nobody, and the others are served"
        last = [key for key in keys if key not in confirmed][-1]
        until(lambda: _value(last) is not MISSING or _set(last), what="failover")
        assert store.get_many(confirmed) == confirmed
        assert len(cluster.primaries()) == PRIMARIES
        gone.start()
        until(lambda: len(cluster.primaries()) == PRIMARIES, what="it comes back as a replica")


def _set(key: str) -> bool:
    with contextlib.suppress(StoreUnavailableError):
        return refresh_store().add(key, 1, lifetime_s=60)
    return False


def test_a_write_that_no_replica_has_is_not_said_to_be_kept(tmp_path):
    with clustered_redis(tmp_path) as cluster, stores_on(cluster.url()):
        key = key_on(cluster, cluster.servers[0], "family")
        refresh_store().set(key, 1, lifetime_s=60)
        with suspended(cluster.servers[PRIMARIES]):
            with pytest.raises(StoreUnavailableError, match="NoReplicaError"):
                refresh_store().set(key, 2, lifetime_s=60)
            query_store().set(key, 2, lifetime_s=60)


def test_a_user_with_the_rights_that_are_documented_and_no_word_of_the_password_in_an_error(tmp_path):
    [line] = re.findall(
        r"^user portal on >a-long-password (.*)$", (ROOT / "docs/how-to/deploy.md").read_text(), re.MULTILINE
    )
    user = ("--user", "portal", "on", ">a-secret", *line.split(), "+cluster|slots")
    with clustered_redis(tmp_path, *user, login="portal:a-secret@") as cluster:
        with stores_on(cluster.url()):
            use_both()
            assert messages() == []
        with stores_on(cluster.url().replace("a-secret", "b-secret")):
            [found] = messages()
            assert found.startswith("portal.store.E008 CACHE_URL can't work: it refuses the user or the password")
            with pytest.raises(StoreUnavailableError) as caught:
                refresh_store().get("key")
            assert "b-secret" not in all_words_of(caught.value)
