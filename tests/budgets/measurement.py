"""What the pages of an app take."""

from __future__ import annotations

import json

from tests.budgets.table import Pages
from tests.support.checkout_copy import in_copy, run
from tests.support.harness import ROOT


def measure(app: str) -> Pages:
    """Measure the pages of an app.

    :raises ValueError: it can't be done; the message says why.
    """
    # As on a server. Else a traceback takes more work where Python's cache was written without it.
    variables = {**in_copy(ROOT), "PYTHONNODEBUGRANGES": "1"}
    done = run(ROOT, "-m", "tests.budgets.measuring", app, variables=variables, timeout_s=600)
    if done.returncode:
        raise ValueError(done.stderr[-5000:])
    measured: Pages = json.loads(done.stdout)
    return measured
