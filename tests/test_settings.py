"""The tests' own settings: whatever a developer's shell exports, they are the same."""

import ast
import os
import sys
from pathlib import Path

from portal.config.environment import VARIABLES
from tests.support.checkout_copy import copy_of_checkout
from tests.support.harness import ROOT, run_program

NAMES = [variable.name for variable in VARIABLES]
SHOW = "from dataclasses import replace; from tests.settings import PORTAL; print(replace(PORTAL, state_dir=None))"


def shown(checkout: Path = ROOT, *, program: str = SHOW, **exported: str) -> str:
    environment = os.environ | {"PYTHONPATH": f"{checkout}:{checkout / 'packages'}"} | exported
    return run_program(sys.executable, "-c", program, cwd=checkout, env=environment).stdout


def test_no_variable_of_the_shell_reaches_them() -> None:
    assert shown(**dict.fromkeys(NAMES, "9300")) == shown()


ENDS_A_CHILD = """
import atexit, os
from tests.settings import PORTAL
if (child := os.fork()) == 0:
    atexit._run_exitfuncs()
    os._exit(0)
os.waitpid(child, 0)
print(PORTAL.state_dir, PORTAL.state_dir.is_dir())
"""


def test_their_folder_is_there_until_the_process_ends_that_made_it() -> None:
    folder, was_there = shown(program=ENDS_A_CHILD).split()
    assert was_there == "True", "a child that ended in order removed it"
    assert not Path(folder).exists()


def test_no_env_file_of_a_developer_reaches_them_nor_the_servers_of_tests(tmp_path: Path) -> None:
    copy = copy_of_checkout(tmp_path / "copy", whole=True)
    (copy / ".env").write_text("".join(f"{name}=9300\n" for name in [*NAMES, "SANDBOX_HONOUR_IDEMPOTENCY_KEY"]))
    assert shown(copy) == shown()
    clean = "from tests.support.harness import clean_environment as c; print(c(DEBUG='on', SECRET_KEY=None))"
    cleaned = ast.literal_eval(shown(copy, program=clean))
    assert {name: cleaned[name] for name in NAMES} == dict.fromkeys(NAMES, "") | {"DEBUG": "on"}
