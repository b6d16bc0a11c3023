"""The short forms of two storms: many refreshes at once, and two users who change the same clients."""

from __future__ import annotations

import asyncio
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest

from benchmarks.storm import LEAVING, SCENARIOS, run
from benchmarks.storm_edits import storm
from tests.support.harness import RunningStack


@pytest.mark.parametrize(("weather", "seconds"), [("plain", 10), ("refreshes answered with rubbish, not honoured", 4)])
def test_in_a_storm_each_token_is_used_once_and_nobody_is_signed_out(tmp_path: Path, weather: str, seconds: float):
    """Two projects, two workers each, browsers that receive late."""
    scenario = next(scenario for scenario in SCENARIOS if scenario.name == weather)
    outcome = run(scenario, store="embedded", seconds=seconds, folder=tmp_path)
    assert outcome.refreshes >= scenario.staying
    assert outcome.most_per_token == 1
    assert outcome.ended == 0
    assert outcome.still_signed_in == scenario.staying
    # Whoever signed out stays signed out, whatever arrives late.
    assert outcome.signed_out == LEAVING
    assert outcome.late > 0
    assert outcome.undone == 0
    # The whole store and all logs, searched for every token.
    assert outcome.issued > 2 * outcome.refreshes
    assert outcome.leaks == []
    assert outcome.refused_first == 0 or outcome.statuses[503] > 0


def test_no_change_of_two_users_at_once_is_lost_without_a_word(stack: RunningStack) -> None:
    # In a thread of its own: tests with browsers have a loop in this one.
    with ThreadPoolExecutor(1) as pool:
        done = pool.submit(lambda: asyncio.run(storm(stack, rounds=5, seed=2))).result()
    assert (done.rounds, done.lost) == (5, [])
