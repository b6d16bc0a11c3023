"""The hooks of pre-commit take what is in the repository, migrations included."""

import shlex
from pathlib import Path
from typing import Any

import pytest
import yaml

from tests.support.harness import ROOT, run_program
from tests.support.linked_environment import bare_shell, copy_with_environment

HOOKS: list[dict[str, Any]] = [
    hook for repo in yaml.safe_load((ROOT / ".pre-commit-config.yaml").read_text())["repos"] for hook in repo["hooks"]
]


@pytest.fixture
def checkout(tmp_path: Path) -> Path:
    return copy_with_environment(tmp_path / "copy")


def test_a_hook_changes_nothing_and_finds_nothing_in_files_that_make_check_takes(checkout: Path) -> None:
    files = [checkout / "manage.py", *checkout.glob("packages/sandbox_api/migrations/*.py")]
    before = [path.read_bytes() for path in files]
    for hook in HOOKS:
        assert hook["language"] == "system", "pre-commit itself has nothing to fetch"
        entry = shlex.split(hook["entry"])
        assert (checkout / entry[0]).exists()
        if hook.get("pass_filenames", True):
            run_program(*entry, *files, cwd=checkout, env=bare_shell())
    assert [path.read_bytes() for path in files] == before
