"""What a public host reads: valid by its schemas, with no more rights than it needs, and in step with what it runs."""

from __future__ import annotations

import re
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest
import yaml

from portal.config.environment import VARIABLES
from tests.matrix import main as matrix
from tests.support.harness import ROOT
from tests.support.installed_wheel import DISTRIBUTIONS

WORKFLOW = ROOT / ".github" / "workflows" / "ci.yml"
DEPENDABOT = ROOT / ".github" / "dependabot.yml"
JOBS: dict[str, dict[str, Any]] = yaml.safe_load(WORKFLOW.read_text())["jobs"]
COMMANDS = [step["run"] for job in JOBS.values() for step in job["steps"] if "run" in step]


@pytest.mark.parametrize(
    ("schema", "file"),
    [
        ("vendor.github-workflows", WORKFLOW),
        ("custom.github-workflows-require-timeout", WORKFLOW),
        ("vendor.dependabot", DEPENDABOT),
    ],
)
def test_a_file_is_valid_by_its_schema(schema: str, file: Path) -> None:
    program = Path(sys.executable).with_name("check-jsonschema")
    done = subprocess.run([program, "--builtin-schema", schema, file], capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stdout


def test_its_jobs_may_read_and_nothing_else_and_each_action_is_pinned_by_a_commit() -> None:
    text = WORKFLOW.read_text()
    assert yaml.safe_load(text)["permissions"] == {"contents": "read"}
    assert [name for name, job in JOBS.items() if "permissions" in job] == []
    assert "secrets." not in text
    actions = re.findall(r"uses: (.*)", text)
    assert actions
    assert [each for each in actions if not re.fullmatch(r"[\w-]+/[\w-]+@[0-9a-f]{40}  # v\d+\.\d+\.\d+", each)] == []
    assert text.count("persist-credentials: false") == text.count("actions/checkout@")


def test_no_command_takes_a_text_of_the_event_into_a_shell() -> None:
    assert [command for command in COMMANDS if re.search(r"\$\{\{", command)] == []
    for command in COMMANDS:
        assert subprocess.run(["bash", "-n"], input=command, text=True, check=False).returncode == 0


def test_it_runs_what_there_is() -> None:
    text = "\n".join(COMMANDS)
    assert (ROOT / ".ci" / "run").exists()
    assert ".ci/run" in text
    targets = re.findall(r"\bmake (\w+)", text)
    assert targets == ["matrix"]
    assert re.search(r"^matrix:", (ROOT / "Makefile").read_text(), flags=re.MULTILINE)
    arguments = set(re.findall(r"--build-arg (\w+)=", text))
    assert arguments
    assert arguments <= set(re.findall(r"^ARG (\w+)", (ROOT / "Dockerfile").read_text(), flags=re.MULTILINE))


def test_the_image_gets_the_variables_that_a_start_needs() -> None:
    given = dict(re.findall(r"--env (\w+)=(\S+)", "\n".join(COMMANDS)))
    assert set(given) <= {each.name for each in VARIABLES}
    given["SECRET_KEY"] = "x" * 64
    done = subprocess.run(
        [sys.executable, "manage.py", "--app", "auth_app", "print_config"],
        cwd=ROOT,
        env={"PATH": "/usr/bin:/bin", "DEBUG": "off", **given},
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 0, done.stderr


def test_the_matrix_has_the_pythons_that_the_library_takes(capsys: pytest.CaptureFixture[str]) -> None:
    versions = JOBS["matrix"]["strategy"]["matrix"]["python"]
    assert versions[0] == "3.11"
    assert versions == [f"3.{minor}" for minor in range(11, 11 + len(versions))]
    with pytest.raises(SystemExit, match=r"no combination is 3\.9/; there are 3\."):
        matrix(["--only", "3.9/"])


def test_newer_versions_are_looked_for_wherever_something_is_pinned() -> None:
    updates = yaml.safe_load(DEPENDABOT.read_text())["updates"]
    python, *_ = [each for each in updates if each["package-ecosystem"] == "pip"]
    folders = [ROOT / folder.strip("/") for folder in python["directories"]]
    assert len([folder for folder in folders if (folder / "pyproject.toml").exists()]) == len(DISTRIBUTIONS)
    assert ROOT / "requirements" in folders
    for each in updates:
        assert all((ROOT / folder.strip("/")).is_dir() for folder in each.get("directories", [each.get("directory")]))
