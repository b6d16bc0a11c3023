"""`seed_sandbox` makes the tables and the data of the sandbox, and says where the accounts are not made."""

from pathlib import Path

from tests.support.command_line import run_command
from tests.support.harness import prepare_sandbox


def test_filled_sandbox_gets_nothing_and_refusal_fails(tmp_path: Path) -> None:
    given = {"SANDBOX_STATE_DIR": str(tmp_path), "APP_STATE_DIR": str(tmp_path / "state"), "DEBUG": "on"}
    prepare_sandbox(given)
    again = run_command("seed_sandbox", "--json", app="auth_app", **given)
    assert (again.status, again.data["done"]) == (0, True), again.err
    assert again.data["said"] == ["demonstration accounts: 0 added", "data: there already"]
    assert again.err.splitlines()[:2] == ["migrate …", "seed …"]
    given["DATABASE_URL"] = "nonsense://nowhere"
    refused = run_command("seed_sandbox", "--json", app="auth_app", **given)
    assert (refused.status, refused.data["done"], refused.data["step"]) == (1, False, "migrate")
