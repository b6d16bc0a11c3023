"""The hooks of pre-commit take what is in the repository, migrations included."""

from __future__ import annotations

import shlex
import subprocess
from pathlib import Path
from typing import Any

import pytest
import yaml

from tests.support.checkout_copy import copy_of_checkout
from tests.support.harness import ROOT
from tests.support.linked_environment import bare_shell, link_environment

HOOKS: list[dict[str, Any]] = [
    hook for repo in yaml.safe_load((ROOT / ".pre-commit-config.yaml").read_text())["repos"] for hook in repo["hooks"]
]
ON_FILES = [hook for hook in HOOKS if hook.get("pass_filenames", True)]


@pytest.fixture(scope="module")
def checkout(tmp_path_factory: pytest.TempPathFactory) -> Path:
    copy = copy_of_checkout(tmp_path_factory.mktemp("hooks") / "copy")
    link_environment(copy)
    return copy


@pytest.mark.parametrize("hook", ON_FILES, ids=[hook["id"] for hook in ON_FILES])
def test_a_hook_changes_nothing_and_finds_nothing_in_files_that_make_check_takes(
    checkout: Path, hook: dict[str, Any]
) -> None:
    migrations = list(checkout.glob("packages/sandbox_api/migrations/*.py"))
    assert migrations != []
    files = [checkout / "manage.py", *migrations]
    before = {path: path.read_bytes() for path in files}
    names = [str(path.relative_to(checkout)) for path in files]
    done = subprocess.run(
        [*shlex.split(hook["entry"]), *names],
        cwd=checkout,
        env=bare_shell(),
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 0, done.stdout + done.stderr
    assert [path for path in files if path.read_bytes() != before[path]] == []


def test_every_hook_is_a_program_of_the_environment(checkout: Path) -> None:
    assert [hook["id"] for hook in HOOKS if not (checkout / shlex.split(hook["entry"])[0]).exists()] == []
    assert {hook["language"] for hook in HOOKS} == {"system"}, "pre-commit itself has nothing to fetch"
