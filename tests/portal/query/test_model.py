"""No read misses a completed write (query-cache, I1): the state machine of `query_machine`."""

import pytest

from tests.portal.query.query_machine import QueryMachine, WithoutSingleFlight, run_machine


@pytest.mark.parametrize("machine", [QueryMachine, WithoutSingleFlight])
def test_no_read_misses_a_completed_write(machine: type[QueryMachine]) -> None:
    run_machine(machine)


def test_older_fetch_never_shows_a_deleted_row() -> None:
    """While it is fetched behind the request, others delete the row, and another process reloads it."""
    machine = WithoutSingleFlight()
    machine.start()
    machine.read_one(0, 3, [])
    machine.time_passes(301)
    machine.read_one(0, 3, [])
    machine.what_is_stale_is_fetched_behind([("others delete", 0, 0, "inside"), ("reload one", 1, 3, "inside")])
    machine.read_one(0, 3, [])


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
