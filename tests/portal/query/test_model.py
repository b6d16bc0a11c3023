"""No read misses a completed write: the state machine of `query_machine`, which notices when the design is broken."""

from __future__ import annotations

from typing import Any

import pytest

from portal.query.cache import patches
from portal.query.cache.page_cache import PageCache
from tests.portal.query.query_machine import QueryMachine, WithoutSingleFlight, run_machine


@pytest.mark.parametrize("version_field", ["version", "another field"])
@pytest.mark.parametrize("machine", [QueryMachine, WithoutSingleFlight])
def test_no_read_misses_a_completed_write(
    machine: type[QueryMachine], version_field: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Also where rows tell no version."""
    monkeypatch.setattr(patches, "VERSION_FIELD", version_field)
    run_machine(machine)


@pytest.mark.parametrize("what", ["a list", "a detail"])
def test_an_older_fetch_never_replaces_a_newer_page(what: str) -> None:
    """While it is fetched behind the request, others change or delete the row, and another process reloads it."""
    machine = WithoutSingleFlight()
    machine.start()
    if what == "a detail":
        read: Any = lambda: machine.read_one(0, 3, [])  # noqa: E731
        meanwhile = [("others delete", 0, 0, "inside"), ("reload one", 1, 3, "inside")]
    else:
        read = lambda: machine.read(0, 0, 1, [])  # noqa: E731
        meanwhile = [("others change", 0, 0, "inside"), ("reload", 1, 0, "inside")]
    read()
    machine.time_passes(301)
    read()
    machine.what_is_stale_is_fetched_behind(meanwhile)
    read()


def test_a_process_that_pauses_before_it_stores_what_it_fetched_replaces_no_newer_page(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """It is stopped, or has no processor, for longer than clocks may differ."""
    machine = WithoutSingleFlight()
    machine.start()
    put, pauses = PageCache.put, [True]

    def paused(self: PageCache, partition: Any, key: Any, page: Any, **place: Any) -> None:
        if pauses:
            pauses.clear()
            machine.someone_else_changes_a_row(0)
            machine.time_passes(5)
            machine.reload(1, 0)
        put(self, partition, key, page, **place)

    machine.read(0, 0, 1, [])
    monkeypatch.setattr(PageCache, "put", paused)
    machine.reload(0, 0)
    machine.read(0, 0, 1, [])


def test_a_row_that_is_gone_is_noted_once_however_often_it_is_asked_for() -> None:
    machine = WithoutSingleFlight()
    machine.start()
    machine.read_one(0, 3, [])
    machine.someone_else_deletes_a_row(0)
    kept = []
    for _ in range(4):
        machine.read_one(0, 3, [], reload=True)
        kept.append(len(machine.world.store.values))
    assert kept[1:] == kept[:1] * 3
