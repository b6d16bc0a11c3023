"""Two schemas in the style of well-known public APIs become packages that both type checkers and the linter accept.

`payments_api.yaml` is after the APIs of payment companies, `tracker_api.json` after those of issue trackers. They have
what is odd there: `allOf`, `oneOf`, null in five ways, enumerations of all kinds, several content types, odd names.
"""

from __future__ import annotations

import importlib
import io
import json
import pkgutil
import subprocess
import sys
from copy import copy
from pathlib import Path

import pytest
from django.core.management import call_command

from portal.query import REGISTRY
from portal_dev.openapi import differences
from tests.support.harness import ROOT

HERE = Path(__file__).parent
SCHEMAS = {"payments_services": HERE / "payments_api.yaml", "tracker_services": HERE / "tracker_api.json"}


@pytest.fixture(scope="module")
def written(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder with both packages."""
    folder = tmp_path_factory.mktemp("written")
    for package, schema in SCHEMAS.items():
        call_command(
            "services_from_openapi",
            str(schema),
            output=folder / package,
            stdout=io.StringIO(),
            stderr=io.StringIO(),
        )
    return folder


def run(*command: str, cwd: Path = ROOT, **variables: str) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [sys.executable, "-m", *command],
        cwd=cwd,
        env={"PATH": "", "PYTHONPATH": f"{ROOT}:{ROOT / 'packages'}", **variables},
        capture_output=True,
        text=True,
        check=False,
    )


def test_the_linter_and_the_formatter_accept_them(written: Path) -> None:
    for command in (("check",), ("format", "--check")):
        done = run("ruff", *command, "--config", str(ROOT / "pyproject.toml"), "--no-cache", str(written))
        assert done.returncode == 0, done.stdout


def test_mypy_accepts_them(written: Path) -> None:
    packages = [word for package in SCHEMAS for word in ("-p", package)]
    done = run("mypy", "--no-pretty", *packages, MYPYPATH=f"{ROOT / 'packages'}:{written}", HOME=str(written))
    assert done.returncode == 0, done.stdout + done.stderr


def test_basedpyright_accepts_them(written: Path) -> None:
    settings = {
        "include": list(SCHEMAS),
        "extraPaths": [str(ROOT / "packages")],
        "pythonVersion": "3.11",
        "typeCheckingMode": "strict",
    }
    (written / "pyrightconfig.json").write_text(json.dumps(settings))
    done = run(
        "basedpyright", "--outputjson", "--pythonpath", sys.executable, "--project", str(written), HOME=str(written)
    )
    report = json.loads(done.stdout)
    assert report["generalDiagnostics"] == []
    assert report["summary"]["filesAnalyzed"] >= 10


def test_what_was_written_from_a_schema_differs_from_it_where_no_row_can_say_it(
    written: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    for name in ("queries", "mutations", "duplicates"):
        # What the packages declare is forgotten afterwards.
        monkeypatch.setattr(REGISTRY, name, copy(getattr(REGISTRY, name)))
    monkeypatch.setattr(sys, "modules", dict(sys.modules))
    monkeypatch.syspath_prepend(str(written))
    for package, schema in SCHEMAS.items():
        for info in pkgutil.iter_modules([str(written / package)]):
            importlib.import_module(f"{package}.{info.name}")
        declared = (*REGISTRY.queries.values(), *REGISTRY.mutations.values())
        hooks = [hook for hook in declared if hook.hook_name.partition(".")[0] == package]
        assert len(hooks) > 10
        found = [each.message for each in differences(schema.read_text(), hooks) if not each.is_absent]
        assert found == (
            ["Team.created_at is datetime here, and an integer in the schema"] if "tracker" in package else []
        )
