"""Each check of a deployment fires on a real environment that has its fault; the delivered one has none."""

import os
import secrets
from pathlib import Path

import pytest
from django.core.checks import run_checks
from django.test import override_settings

from portal.config.base_settings import build_settings
from portal.config.environment import reader
from portal.config.platforms import PLATFORMS
from portal_operate.deployment_checks import DEPLOYMENT_CHECKS, file_system_of
from tests.deploy.files import PROJECT_VARIABLES, SHARED_VARIABLES, example_variables
from tests.support.command_line import run_command
from tests.support.platforms import MISSING

#: As it is delivered, with what a person fills in.
DELIVERED = {
    **example_variables(SHARED_VARIABLES.read_text()),
    **example_variables(PROJECT_VARIABLES.read_text()),
    "SECRET_KEY": secrets.token_urlsafe(64),
    "DEBUG": "off",
}
SECRET = secrets.token_urlsafe(32)
CLEAN_KEY = {"APP_JWT_JWKS_URL": "", "APP_JWT_ISSUER": "", "APP_JWT_AUDIENCE": ""}
FAULTS: list[tuple[str, dict[str, str]]] = [
    ("portal.W002", {"APP_JWT_AUDIENCE": ""}),
    (
        "portal.W010",
        {f"APP_PUBLIC_{app}_APP_URL": f"http://{app.lower()}.example.com" for app in ("GATEWAY", "ENERGY")},
    ),
    ("portal.W011", {"APP_PUBLIC_ENERGY_APP_URL": "http://energy.example.com"}),
    ("portal.W012", {"ALLOWED_HOSTS": "energy.example.com,*"}),
    ("portal.W013", {"ALLOWED_HOSTS": "finance.example.com"}),
    ("portal.W014", CLEAN_KEY),
    ("portal.W015", {"APP_PUBLIC_API_BASE_URL": "http://api.example.com"}),
    ("portal.W015", {"APP_JWT_JWKS_URL": "http://id.example.com/keys"}),
    ("portal.W015", {"APP_OIDC_ISSUER": "http://id.example.com", "APP_OIDC_CLIENT_ID": "portal"}),
    ("portal.W016", {"APP_METRICS_TOKEN": "secret"}),
    ("portal.W016", {**CLEAN_KEY, "APP_JWT_KEY": "ab" * 20}),
    ("portal.W017", {"APP_BEHIND_PROXY": "off"}),
    ("portal.W018", {"KUBERNETES_SERVICE_HOST": "10.0.0.1"}),
    ("portal.W020", {"CACHE_URL": "redis://redis.example.com/0"}),
    ("portal.W020", {"CACHE_URL": "redis+sentinel://10.0.0.1,10.0.0.2/portal/0"}),
]


def ids(environment: dict[str, str], monkeypatch: pytest.MonkeyPatch, folder: Path) -> list[str]:
    """The ids of the deployment's checks that fire for `energy`, beside those of a Redis that is not there."""
    for name in (*DELIVERED, *os.environ):
        if name.startswith(("APP_", "KUBERNETES_")) or name in {"DEBUG", "CACHE_URL", "REFRESH_CACHE_URL", "PORT_BASE"}:
            monkeypatch.delenv(name, raising=False)
    for name, value in {**DELIVERED, "APP_STATE_DIR": str(folder), **environment}.items():
        monkeypatch.setenv(name, value)
    settings = build_settings(reader.read_config("energy"))
    names = ("PORTAL", "CACHES", "SECRET_KEY", "ALLOWED_HOSTS", "DEBUG", "MIDDLEWARE", "CSRF_COOKIE_SECURE")
    with override_settings(**{name: settings[name] for name in names}):
        messages = run_checks(tags=["security"], include_deployment_checks=True)
        messages += [m for m in run_checks() if m.id == "portal.W002"]
    return [str(message.id) for message in messages if not message.is_silenced()]


def test_check_deploy_is_clean_in_the_delivered_configuration_of_each_project(tmp_path) -> None:
    platform = next(each.app for each in PLATFORMS if each not in MISSING)
    for app, host in (("auth_app", "auth"), (platform, platform)):
        done = run_command(
            "check",
            "--deploy",
            "--fail-level",
            "WARNING",
            app=app,
            **{**DELIVERED, "ALLOWED_HOSTS": f"{host}.example.com", "APP_STATE_DIR": str(tmp_path)},
        )
        assert (done.status, done.err) == (0, ""), done
        assert "no issues" in done.out


@pytest.mark.parametrize(("message_id", "environment"), FAULTS, ids=[f"{n}-{i}" for i, (n, _) in enumerate(FAULTS)])
def test_a_fault_is_told_by_its_check_alone(message_id, environment, monkeypatch, tmp_path) -> None:
    # Where the gateway is http, Django says the same of the cookie of CSRF.
    djangos = {"security.W016"} if message_id == "portal.W010" else set()
    assert set(ids(environment, monkeypatch, tmp_path)) == {message_id, *djangos}


@pytest.mark.parametrize(
    "environment",
    [
        {},
        {"APP_PUBLIC_API_BASE_URL": "http://127.0.0.1:8100"},
        {"CACHE_URL": "redis://127.0.0.1:6379/0"},
        {"CACHE_URL": "unix:///run/redis/redis.sock"},
        {"CACHE_URL": "rediss://portal:secret@redis.example.com/0", "KUBERNETES_SERVICE_HOST": "10.0.0.1"},
        {"APP_METRICS_TOKEN": SECRET},
        {**CLEAN_KEY, "APP_JWT_KEY": SECRET},
    ],
)
def test_what_is_fine_is_not_told(environment, monkeypatch, tmp_path) -> None:
    assert ids(environment, monkeypatch, tmp_path) == []


def test_a_folder_of_another_machine_is_told(monkeypatch, tmp_path) -> None:
    mounts = tmp_path / "mounts"
    mounts.write_text(f"/dev/vda / ext4 rw 0 0\nserver:/data {tmp_path}/data nfs4 rw 0 0\n")
    assert file_system_of(tmp_path / "data" / "state", mounts=mounts) == "nfs4"
    assert file_system_of(tmp_path / "state", mounts=mounts) == "ext4"
    assert file_system_of(tmp_path, mounts=tmp_path / "none") is None
    monkeypatch.setattr("portal_operate.deployment_checks.file_system_of", lambda _folder: "nfs4")
    assert ids({}, monkeypatch, tmp_path) == ["portal.W019"]


def test_every_check_of_a_deployment_fires_in_a_test() -> None:
    assert DEPLOYMENT_CHECKS.keys() - {name for name, _ in FAULTS} == {"portal.W019"}
