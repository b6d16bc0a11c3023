"""Ten seconds of the refresh storm: two projects, two workers each, browsers that receive late."""

from __future__ import annotations

from benchmarks.storm import LEAVING, SCENARIOS, STAYING, run


def test_in_a_storm_each_token_is_used_once_and_nobody_is_signed_out(tmp_path):
    plain = next(scenario for scenario in SCENARIOS if scenario.name == "plain")
    outcome = run(plain, store="embedded", seconds=10, folder=tmp_path)
    assert outcome.refreshes > STAYING
    assert outcome.most_per_token == 1
    assert outcome.ended == 0
    assert outcome.still_signed_in == STAYING
    # Whoever signed out stays signed out, whatever arrives late.
    assert outcome.signed_out == LEAVING
    assert outcome.late > 0
    assert outcome.undone == 0
    # The whole store and all logs, searched for every token.
    assert outcome.issued > 2 * outcome.refreshes
    assert outcome.leaks == []
