"""For how long a primary is believed to be alone. Real servers and Sentinels: `test_redis_as_it_is_run.py`."""

from types import SimpleNamespace

import pytest

from portal.store.sentinel import NoReplicaError, PrimaryClient


class LonePrimary:
    """Takes each write at once, and has no replica. Counts how often a write waited for one."""

    def __init__(self) -> None:
        self.waits = 0

    def pipeline(self, *, transaction):
        return self

    def set(self, *words, **options):
        return True

    def wait(self, replicas, milliseconds):
        self.waits += 1

    def info(self, section):
        return None

    def execute(self):
        return [True, 0, {"role": "master", "connected_slaves": 0}]


def test_a_write_waits_for_a_replica_again_two_seconds_after_none_was_there(monkeypatch):
    clock, primary = SimpleNamespace(now=100.0), LonePrimary()
    monkeypatch.setattr("portal.store.sentinel.time", SimpleNamespace(monotonic=lambda: clock.now))
    client = PrimaryClient(["redis+sentinel://127.0.0.1:1/service"], WAIT_FOR_REPLICA=True)
    monkeypatch.setattr(client, "get_client", lambda *_, **__: primary)
    for after_s, waits in ((0, 1), (1.75, 1), (2, 2)):
        clock.now = 100.0 + after_s
        client.set("key", 1, 60)
        assert primary.waits == waits


class AnotherPrimary(LonePrimary):
    """Has another value by now."""

    expire = get = LonePrimary.set

    def execute(self):
        return [True, b'"another"', 1, {"role": "master", "connected_slaves": 1}]


def test_value_of_another_primary_confirms_nothing(monkeypatch):
    client = PrimaryClient(["redis+sentinel://127.0.0.1:1/service"], WAIT_FOR_REPLICA=True)
    monkeypatch.setattr(client, "get_client", lambda *_, **__: AnotherPrimary())
    client.confirm("key", '"another"', 60)
    with pytest.raises(NoReplicaError, match="lost"):
        client.confirm("key", '"mine"', 60)
