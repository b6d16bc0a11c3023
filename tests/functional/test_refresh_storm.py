"""The short form of the storm: many refreshes at once."""

from pathlib import Path

import pytest

from benchmarks.refresh.fault_scenarios import SCENARIOS
from benchmarks.refresh.storm import LEAVING, run


@pytest.mark.parametrize(
    ("weather", "workers"),
    [("plain", 2), pytest.param("refreshes answered with rubbish, not honoured", 1, marks=pytest.mark.whole)],
)
def test_storm_uses_tokens_once_and_signs_nobody_out(tmp_path: Path, weather: str, workers: int):
    """Two projects on one store, browsers that receive late."""
    scenario = next(scenario for scenario in SCENARIOS if scenario.name == weather)
    outcome = run(scenario, store="embedded", seconds=4, folder=tmp_path, workers=workers)
    assert outcome.tokens.refreshes >= scenario.staying
    assert outcome.tokens.most_per_token == 1
    assert outcome.ended == 0
    assert outcome.still_signed_in == scenario.staying
    # Whoever signed out stays signed out, whatever arrives late.
    assert outcome.signed_out == LEAVING
    assert outcome.late > 0
    assert outcome.undone == 0
    # The whole store and all logs, searched for every token.
    assert len(outcome.tokens.issued) > 2 * outcome.tokens.refreshes
    assert outcome.leaks == []
    assert outcome.tokens.not_looked_at == 0 or outcome.statuses[503] > 0
