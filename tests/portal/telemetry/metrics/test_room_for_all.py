"""The files of a process have room for every number that the limits allow: they never grow, also on a full disk."""

from __future__ import annotations

import sys
from pathlib import Path

from tests.support.harness import ROOT, clean_environment, run_program, with_own

#: Longer than the names that label values are made of: endpoints, pages, addresses.
VALUE_CHARS = 40
FILL = f"""
import django; django.setup()
from portal.telemetry.metrics import Counters, Gauges, Timings
from portal_dev.reference.metrics import declared
for family in declared():
    if not isinstance(family, Counters | Gauges | Timings):
        continue
    for number in range(2 * family._limit):
        values = [label.values[0] if label.values else str(number).rjust({VALUE_CHARS}, "x") for label in family.labels]
        if isinstance(family, Counters):
            family.count(*values)
        elif isinstance(family, Gauges):
            family.set(1, *values)
        else:
            family.observe(1, *values)
"""


def test_as_many_values_as_there_may_be_fit_into_the_files(tmp_path: Path) -> None:
    folder, state = tmp_path / "folder", tmp_path / "state"
    folder.mkdir()
    variables = clean_environment(
        DEBUG="on",
        APP_STATE_DIR=str(state),
        PROMETHEUS_MULTIPROC_DIR=str(folder),
        DJANGO_SETTINGS_MODULE="apps.energy.settings",
        PYTHONPATH=f"{ROOT}:{ROOT / 'packages'}",
    )
    environment = with_own(variables)
    # The sizes that the files are given, in a folder of its own: none of them has grown.
    run_program(sys.executable, "-c", "import portal.telemetry.metrics", env=environment)
    sizes = {file.name: file.stat().st_size for file in folder.glob("*.db")}
    assert set(sizes) == {"counter_0.db", "gauge_livesum_0.db", "histogram_0.db"}
    run_program(sys.executable, "-c", FILL, env=environment)
    assert {file.name: file.stat().st_size for file in folder.glob("*.db")} == sizes
    used = {file.name: int.from_bytes(file.read_bytes()[:4], "little") for file in folder.glob("*.db")}
    assert all(used[name] > sizes[name] / 10 for name in used), "the test fills them"
