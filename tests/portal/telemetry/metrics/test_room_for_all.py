"""The files of a process have room for every number that the limits allow: they never grow, also on a full disk."""

import sys
from pathlib import Path

import pytest

from portal_server.static_files import METRIC_FILE_BYTES, reserve_metric_files
from tests.support.harness import ROOT, clean_environment, run_program, with_own

#: Longer than the names that label values are made of: endpoints, pages, addresses.
VALUE_CHARS = 40
FILL = f"""
import django; django.setup()
from portal.telemetry.metrics import Counters, Gauges, Timings, begin_worker
from portal_dev.reference.metrics import declared
begin_worker()
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


def test_as_many_values_as_there_may_be_fit_into_the_files(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    folder, state = tmp_path / "folder", tmp_path / "state"
    monkeypatch.setenv("PROMETHEUS_MULTIPROC_DIR", str(folder))
    reserve_metric_files(0)
    variables = clean_environment(
        DEBUG="on",
        APP_STATE_DIR=str(state),
        PROMETHEUS_MULTIPROC_DIR=str(folder),
        DJANGO_SETTINGS_MODULE="apps.energy.settings",
        PYTHONPATH=f"{ROOT}:{ROOT / 'packages'}",
    )
    environment = with_own(variables)
    run_program(sys.executable, "-c", FILL, env=environment)
    files = {kind: folder / f"{kind}_0.db" for kind in METRIC_FILE_BYTES}
    assert {kind: file.stat().st_size for kind, file in files.items()} == METRIC_FILE_BYTES, "none has grown"
    assert {file.name for file in folder.glob("*_0.db")} == {file.name for file in files.values()}
    used = {kind: int.from_bytes(file.read_bytes()[:4], "little") for kind, file in files.items()}
    assert all(used[kind] > size / 10 for kind, size in METRIC_FILE_BYTES.items()), "the test fills them"
