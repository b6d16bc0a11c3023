"""Measures the pages of one app in a process with the settings of production, and prints the figures as JSON.

python -m tests.budgets.measuring energy
"""

from __future__ import annotations

import gc
import importlib
import json
import os
import sys
import tempfile
from http import HTTPStatus
from pathlib import Path
from typing import Any
from unittest.mock import patch

import django

from benchmarks._servers import settings_of_production
from portal.testing import sign_ins
from tests.budgets.call_counter import CallCounter


def load_application(app: str, *, state: Path) -> Any:
    """The application of `apps/<app>`. A process can load one.

    :param state: an empty folder.
    """
    os.environ.update(settings_of_production(state=state, backend="http://backend.test", key=sign_ins._KEY))
    os.environ.update(APP_PASSWORD_RESET="on", DJANGO_SETTINGS_MODULE=f"apps.{app}.settings")
    django.setup()
    # A view compiles the templates that it needs, in one language.
    with patch("portal.web.templating.compile_templates"):
        return importlib.import_module(f"apps.{app}.wsgi").application


def main(app: str) -> None:
    """Print the figures of each page. A route that only takes forms is none."""
    counter = CallCounter()
    with tempfile.TemporaryDirectory() as state:
        application = load_application(app, state=Path(state))
        # These need the settings.
        from tests.budgets.pages import pages_of
        from tests.budgets.views import Views, routes

        gc.disable()
        views = Views(application, counter)
        figures = {page.name: views.figures_of(page) for page in pages_of(app, routes())}
    shown = {name: each for name, each in figures.items() if each["status"] != HTTPStatus.METHOD_NOT_ALLOWED}
    json.dump(shown, sys.stdout)


if __name__ == "__main__":
    main(sys.argv[1])
