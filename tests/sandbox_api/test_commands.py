"""The commands: each mistake is one line, and accounts whose password is public are not served by accident."""

import io
import os
import runpy
import socket
import subprocess
import sys

import pytest
from django.core.exceptions import ImproperlyConfigured
from django.core.management import CommandError, call_command
from django.db import OperationalError

from sandbox_api.auth.models import Account


@pytest.fixture
def create(monkeypatch, account):
    def run(*arguments, password="some password"):
        monkeypatch.setattr(sys, "stdin", io.StringIO(f"{password}\n"))
        call_command("create_account", *arguments)

    return run


def test_created_account_signs_in(create, anyone, capsys):
    create("--email", " Admin@Example.com", "--permissions", "IAM_ADMIN", "ENERGY_APP")
    assert capsys.readouterr().out.split()[1:] == ["admin@example.com", "IAM_ADMIN", "ENERGY_APP"]
    pair = anyone.post("/auth/login", {"email": "admin@example.com", "password": "some password"}).json()
    bearer = {"Authorization": f"Bearer {pair['accessToken']}"}
    assert anyone.get("/iam/accounts", headers=bearer).json()["total"] == 2


@pytest.mark.parametrize(
    ("email", "password", "permissions", "told"),
    [
        ("nobody", "x", (), "--email should be"),
        ("me@example.com", "x", (), "already"),
        ("a@example.com", "", (), "password is empty"),
        ("a@example.com", "x", ("energy",), "--permissions should be"),
    ],
)
def test_wrong_account_is_refused(create, email, password, permissions, told):
    with pytest.raises(CommandError, match=told):
        create("--email", email, "--permissions", *permissions, password=password)


def test_demonstration_accounts_are_not_served_outside_debug(make_account, configure, monkeypatch):
    make_account(is_demo=True)
    configure(allow_demo_accounts=False)
    monkeypatch.setenv("DJANGO_SETTINGS_MODULE", os.environ["DJANGO_SETTINGS_MODULE"])
    monkeypatch.setattr("django.setup", lambda **_: None)
    for serve in (lambda: call_command("serve"), lambda: runpy.run_module("sandbox_api.wsgi")):
        with pytest.raises(ImproperlyConfigured, match="1 demonstration accounts"):
            serve()

    def fail(**_):
        raise OperationalError("no such table")

    monkeypatch.setattr(Account.objects, "filter", fail)
    with pytest.raises(ImproperlyConfigured, match="migrate"):
        call_command("serve")


def test_taken_port_is_refused():
    with socket.create_server(("127.0.0.1", 0)) as taken, pytest.raises(CommandError, match="in use"):
        call_command("serve", port=taken.getsockname()[1])


def test_missing_key_is_one_line(tmp_path):
    variables = {"PYTHONPATH": os.pathsep.join(sys.path), "SANDBOX_STATE_DIR": str(tmp_path), "DEBUG": "0"}
    # Another project's settings do not matter.
    variables["DJANGO_SETTINGS_MODULE"] = "nobody.knows"
    command = [sys.executable, "-m", "sandbox_api", "serve"]
    done = subprocess.run(command, env=variables, capture_output=True, text=True, check=False)
    assert (done.returncode, done.stderr.count("\n")) == (1, 1)
    assert done.stderr.startswith("sandbox_api: SANDBOX_SECRET_KEY should be")
