"""`make profile PAGE=…` prints where a page's time goes."""

from __future__ import annotations

import subprocess
import sys

from benchmarks.profile import area_of
from tests.support.harness import ROOT


def test_a_page_has_a_table_by_area_and_one_by_function() -> None:
    # A kept page is rendered so seldom that no sample may show it.
    command = [sys.executable, "-m", "benchmarks", "profile", "--page", "search", "--seconds", "0.5"]
    run = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=False)
    assert run.returncode == 0, run.stderr
    assert "| area | µs | % |" in run.stdout
    assert "| rendering | " in run.stdout
    assert "| function | own µs | with what it calls, µs |" in run.stdout


def test_a_file_counts_for_its_area_and_a_library_for_its_caller() -> None:
    assert area_of(f"{ROOT}/packages/portal/store/shared_store.py") == "store"
    assert area_of(f"{ROOT}/apps/energy/templates/energy/overview.html") == "rendering"
    assert area_of(f"{ROOT}/apps/energy/views/overview.py") == "views"
    assert area_of("/usr/lib/python3.11/json/decoder.py") is None
