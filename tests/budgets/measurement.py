"""What the pages of an app take now, and what they took when the table was changed last."""

from __future__ import annotations

import json
import subprocess
from collections import Counter
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

from tests.budgets.table import TABLE
from tests.support.checkout_copy import in_copy, run
from tests.support.harness import ROOT

#: Figures by page, and in `called` how often each function is called.
Measured = dict[str, dict[str, Any]]


def measure(app: str, *, checkout: Path = ROOT) -> Measured:
    """Measure the pages of an app.

    :raises ValueError: it can't be done; the message says why.
    """
    # As on a server. Else a traceback takes more work where Python's cache was written without it.
    variables = {**in_copy(checkout), "PYTHONNODEBUGRANGES": "1"}
    done = run(checkout, "-m", "tests.budgets.measuring", app, variables=variables, timeout_s=600)
    if done.returncode:
        raise ValueError(done.stderr[-5000:])
    measured: Measured = json.loads(done.stdout)
    return measured


def measure_last_change(app: str) -> tuple[str, Measured]:
    """The same at the commit that changed the table last, which is named.

    :raises ValueError: it can't be done.
    """
    commit = _git("log", "-1", "--format=%h", "--", str(TABLE)).decode().strip()
    with TemporaryDirectory() as folder:
        subprocess.run(["tar", "-x", "-C", folder], input=_git("archive", commit), check=True)
        return commit, measure(app, checkout=Path(folder))


def most_called(now: Counter[str], then: Counter[str], *, number: int = 10) -> list[str]:
    """The functions that are called more often than before, most of all first; of several those of Python."""
    more = sorted((now - then).items(), key=lambda each: (-each[1], ".py: " not in each[0]))
    return [f"{count:+,} {name}" for name, count in more[:number]]


def _git(*words: str) -> bytes:
    done = subprocess.run(["git", *words], cwd=ROOT, capture_output=True, check=False)
    if done.returncode or not done.stdout:
        raise ValueError(f"git {words[0]}: {done.stderr.decode()}")
    return done.stdout
