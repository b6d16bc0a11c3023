"""Measures the pages of one app in a process with the settings of production.

python -m tests.budgets.measuring energy
"""

import gc
import importlib
import json
import os
import sys
import tempfile
from pathlib import Path
from typing import Any
from unittest.mock import patch

import django

from benchmarks.harness.servers import settings_of_production
from portal.testing import sign_ins
from tests.budgets.call_counter import CallCounter
from tests.budgets.pages import PAGES
from tests.budgets.table import Pages
from tests.support.checkout_copy import in_copy, run
from tests.support.harness import ROOT


def measure(app: str) -> Pages:
    """Measure the pages of an app, in a process of its own.

    :raises ValueError: it can't be done; the message says why.
    """
    # As on a server. Else a traceback takes more work where Python's cache was written without it.
    variables = {**in_copy(ROOT), "PYTHONNODEBUGRANGES": "1"}
    done = run(ROOT, "-m", "tests.budgets.measuring", app, variables=variables, timeout_s=600)
    if done.returncode:
        raise ValueError(done.stderr[-5000:])
    measured: Pages = json.loads(done.stdout)
    return measured


def load_application(app: str, *, state: Path) -> Any:
    """Load the application of `apps/<app>`. A process can load one.

    :param state: an empty folder.
    """
    os.environ.update(settings_of_production(state=state, backend="http://backend.test", key=sign_ins._KEY))
    os.environ.update(DJANGO_SETTINGS_MODULE=f"apps.{app}.settings")
    django.setup()
    # A view compiles the templates that it needs, in one language.
    with patch("portal.web.templating.compile_templates"):
        return importlib.import_module(f"apps.{app}.wsgi").application


def main(app: str) -> None:
    """Print the figures of each page as JSON."""
    counter = CallCounter()
    with tempfile.TemporaryDirectory() as state:
        application = load_application(app, state=Path(state))
        # It needs the settings.
        from tests.budgets.views import Views

        gc.disable()
        views = Views(app, application, counter)
        json.dump({path: views.figures_of(path) for path in PAGES[app]}, sys.stdout)


if __name__ == "__main__":
    main(sys.argv[1])
