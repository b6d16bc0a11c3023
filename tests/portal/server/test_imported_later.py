"""What a worker's packages import and no page uses is not there, until somebody asks for it."""

from __future__ import annotations

import sys
from pathlib import Path

import pytest

from tests.functional.test_serve import production_environment
from tests.portal.server.processes import compiled_templates
from tests.support.harness import run_program

WORKER = """
import sys
from threading import Thread
from portal.server.imported_later import import_later

import_later()
from portal.server.startup import wsgi_application

wsgi_application(settings="apps.energy.settings")
print({"charset_normalizer.api", "django.db.models.query", "sqlparse"} & sys.modules.keys())

import charset_normalizer, django.db.models

found = []

def use():
    found.append((django.db.models.Model.__name__, str(charset_normalizer.from_bytes(b"a").best())))

sys.setswitchinterval(1e-6)
threads = [Thread(target=use) for _ in range(20)]
for thread in threads: thread.start()
for thread in threads: thread.join()
from django.db.models import QuerySet, TextChoices
print(found == [("Model", "a")] * 20, QuerySet.__module__, issubclass(TextChoices, str))
"""


def test_a_worker_lacks_them_and_has_them_when_threads_use_them(tmp_path: Path) -> None:
    environment = production_environment(tmp_path, APP_COMPILED_TEMPLATES_DIR=compiled_templates("energy"))
    result = run_program(sys.executable, "-W", "error", "-c", WORKER, env=environment)
    assert result.stdout == "set()\nTrue django.db.models.query True\n"


@pytest.mark.parametrize("name", ["base", "query"])
def test_a_submodule_that_is_imported_first_is_that_of_its_package(name: str) -> None:
    code = f"""
import sys
from portal.server.imported_later import import_later

import_later()
import django.db.models.{name} as first
import django.db.models

assert sys.modules["django.db.models.{name}"] is first is django.db.models.{name}
assert django.db.models.base.Model is django.db.models.Model, "it was executed twice"
assert "django/db/models/{name}" in first.__spec__.origin
"""
    run_program(sys.executable, "-c", code, env={"PYTHONPATH": "packages"})


def test_threads_import_a_package_at_once(tmp_path: Path) -> None:
    (tmp_path / "later").mkdir()
    (tmp_path / "later" / "__init__.py").write_text("from .part import found\n")
    (tmp_path / "later" / "part.py").write_text("found = True\n")
    code = """
import random, sys, time
from concurrent.futures import ThreadPoolExecutor
from portal.server import imported_later

class Slow(imported_later._Later):
    @property
    def __name__(self):
        time.sleep(random.random() / 1000)
        return "later"

with ThreadPoolExecutor(8) as threads:
    for _ in range(100):
        sys.modules.pop("later", None), sys.modules.pop("later.part", None)
        imported_later._import_later("later")
        import later
        later.__class__ = Slow
        assert all(threads.map(lambda _: later.found, range(8)))
"""
    run_program(sys.executable, "-c", code, env={"PYTHONPATH": f"packages:{tmp_path}"})
