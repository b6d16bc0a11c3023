"""`seed_sandbox` makes the tables and the data of the sandbox, and says where the accounts are not made."""

from __future__ import annotations

from tests.support.command_line import run_command


def test_a_first_run_fills_the_sandbox_and_a_second_adds_nothing_and_a_refusal_is_status_1(tmp_path) -> None:
    given = {"SANDBOX_STATE_DIR": str(tmp_path), "APP_STATE_DIR": str(tmp_path / "state"), "DEBUG": "on"}
    first = run_command("seed_sandbox", "--json", app="auth_app", **given)
    assert (first.status, first.data["done"]) == (0, True), first.err
    assert first.data["said"][0] == "demonstration accounts: 6 added"
    assert first.err.splitlines()[:2] == ["migrate …", "seed …"]
    again = run_command("seed_sandbox", "--json", app="auth_app", **given)
    assert (again.status, again.data["said"]) == (0, ["demonstration accounts: 0 added", "data: there already"])
    given["DATABASE_URL"] = "nonsense://nowhere"
    refused = run_command("seed_sandbox", "--json", app="auth_app", **given)
    assert (refused.status, refused.data["done"], refused.data["step"]) == (1, False, "migrate")
