"""What `list_features` says of a feature's CPU time."""

from __future__ import annotations

import pytest

from benchmarks.list_features import cpu_cells


@pytest.mark.parametrize(
    ("us", "cells"),
    [
        (1102.4, ("1,102", "36.7%")),
        (15, ("15", "0.5%")),
        (14.9, ("under 15", "under 0.5%")),
        (-40, ("under 15", "under 0.5%")),
    ],
)
def test_a_feature_that_can_not_be_told_from_none_costs_no_more_than_the_noise(us: float, cells: object) -> None:
    assert cpu_cells(us, cpu_us=3000, noise_us=15) == cells
