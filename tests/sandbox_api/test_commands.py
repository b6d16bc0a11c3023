"""The commands, run as a stranger runs them: in processes of their own."""

import sqlite3
import subprocess
import sys

import jwt
import pytest
import requests

KEYS = {"SANDBOX_SECRET_KEY": "s" * 40, "SANDBOX_JWT_KEY": "j" * 40}


def is_one_line(completed, *words):
    """Tell whether it failed with one line that has all the words."""
    lines = completed.stderr.strip().splitlines()
    return completed.returncode != 0 and len(lines) == 1 and all(word in lines[0] for word in words)


def make_demo_account(sandbox):
    """Make the account that is there one whose password is known to everybody."""
    database = sqlite3.connect(sandbox.state_dir / "sandbox.sqlite3")
    with database:
        database.execute("UPDATE sandbox_api_account SET is_demo = 1")
    database.close()


class TestStart:
    def test_demonstration_accounts_are_refused_outside_of_debug(self, make_sandbox):
        sandbox = make_sandbox(DEBUG="0", SANDBOX_ACCESS_TOKEN_LIFETIME_S="1", **KEYS)
        make_demo_account(sandbox)
        assert is_one_line(sandbox.command("serve"), "1 demonstration accounts", "SANDBOX_ALLOW_DEMO_ACCOUNTS=1")
        # By any other server too.
        command = [sys.executable, "-c", "import sandbox_api.wsgi"]
        imported = subprocess.run(command, env=sandbox.variables, capture_output=True, text=True, check=False)
        assert imported.returncode != 0
        assert "SANDBOX_ALLOW_DEMO_ACCOUNTS=1" in imported.stderr
        sandbox.environment["SANDBOX_ALLOW_DEMO_ACCOUNTS"] = "1"
        sandbox.start()
        claims = jwt.decode(sandbox.sign_in()["accessToken"], "j" * 40, algorithms=["HS256"])
        assert 1 <= claims["exp"] - claims["iat"] <= 2
        assert is_one_line(sandbox.command("serve", "--port", str(sandbox.port)), str(sandbox.port), "in use")

    def test_a_missing_key_and_a_database_without_tables_are_one_line(self, make_sandbox, tmp_path):
        sandbox = make_sandbox()
        sandbox.environment = {"DEBUG": "0"}
        assert is_one_line(sandbox.command("serve"), "SANDBOX_SECRET_KEY should be")
        sandbox.environment = {"DEBUG": "0", "SANDBOX_STATE_DIR": str(tmp_path / "new"), **KEYS}
        assert is_one_line(sandbox.command("serve"), "migrate")


class TestStop:
    def test_sigterm_does_not_wait_for_a_slow_answer(self, make_sandbox):
        sandbox = make_sandbox(SANDBOX_FAULT_REFRESH_DELAY_MS="30000")
        sandbox.start()
        token = sandbox.sign_in()["refreshToken"]
        with pytest.raises(requests.Timeout):
            requests.post(sandbox.url("/refresh"), json={"refreshToken": token}, timeout=0.5)
        assert sandbox.stop() == 0  # fails where it takes 20 s


class TestCreateAccount:
    def create(self, sandbox, *arguments, stdin="some password\n"):
        return sandbox.command("create_account", *arguments, stdin=stdin)

    def test_an_administrator_can_be_made(self, make_sandbox):
        sandbox = make_sandbox()
        created = self.create(
            sandbox, "--email", " Admin@Example.com", "--name", "Ada", "--permissions", "IAM_ADMIN", "ENERGY_APP"
        )
        assert created.stdout.split()[1:] == ["admin@example.com", "IAM_ADMIN", "ENERGY_APP"]
        sandbox.start()
        bearer = {"Authorization": f"Bearer {sandbox.sign_in('admin@example.com', 'some password')['accessToken']}"}
        assert requests.get(sandbox.url("/iam/accounts"), headers=bearer, timeout=10).json()["total"] == 2

    def test_what_is_wrong_is_one_line(self, make_sandbox):
        sandbox = make_sandbox()
        assert is_one_line(self.create(sandbox, "--email", "nobody"), "--email should be")
        assert is_one_line(self.create(sandbox, "--email", "me@example.com"), "already")
        assert is_one_line(self.create(sandbox, "--email", "a@example.com", stdin="\n"), "password is empty")
        wrong = self.create(sandbox, "--email", "a@example.com", "--permissions", "energy")
        assert is_one_line(wrong, "--permissions should be")
