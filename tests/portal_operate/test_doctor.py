"""`doctor`: one run with all well, one with half of it broken, and each finding by itself."""

import dataclasses
import json
import os
import socket
from collections.abc import Callable, Iterable
from email.utils import formatdate
from itertools import takewhile
from pathlib import Path
from time import time
from types import SimpleNamespace

import jwt
import pytest
from django.conf import settings
from django.core.checks import ERROR, INFO, WARNING, CheckMessage
from django.test import override_settings

from portal.api import Backend
from portal.config.base_settings import _caches
from portal.config.environment import try_config
from portal.config.portal_config import OidcProvider, TokenVerification
from portal.store import SharedStore
from portal_operate.doctor.examination import (
    SUBJECTS,
    examine,
    look_at_checks,
    look_at_disk,
    look_at_environment,
    look_at_lost_answers,
    look_at_state_folder,
    look_at_static_files,
)
from portal_operate.doctor.findings import Patient
from portal_operate.doctor.servers import look_at_backend, look_at_key_set, look_at_provider
from portal_operate.doctor.stores import look_at_stores
from tests.support.authority import Authority
from tests.support.command_line import run_command
from tests.support.http_server import reply, scripted_server
from tests.support.jwt_keys import as_jwk, ec_key
from tests.support.redis_server import running_redis

PASSWORD = "a-password-that-nobody-ever-sees"
#: Variables of a deployment in which nothing is wrong.
DEPLOYED = {
    "DEBUG": "off",
    "SECRET_KEY": "of a deployment, and of more than fifty different characters: 0123456789",
    "ALLOWED_HOSTS": "energy.example.com",
    "APP_BEHIND_PROXY": "on",
    "APP_PUBLIC_API_BASE_URL": "https://api.example.com",
    "APP_PUBLIC_AUTH_COOKIE_DOMAIN": "example.com",
    "APP_PUBLIC_GATEWAY_APP_URL": "https://app.example.com",
    "APP_PUBLIC_ENERGY_APP_URL": "https://energy.example.com",
}


def date(seconds_ahead: float = 0) -> Callable[[], str]:
    """The header as a server writes it when it answers."""
    return lambda: f"Date: {formatdate(time() + seconds_ahead, usegmt=True)}\r\n"


def patient(**changes) -> Patient:
    return Patient(config=dataclasses.replace(settings.PORTAL, **changes))


def found(findings, subject: str):
    (finding,) = [each for each in findings if each.obj == subject]
    return finding


def answering(status: str, headers: Callable[[], str] = str, body: bytes = b"{}"):
    return scripted_server(lambda _, connection: connection.sendall(reply(body, status=status, headers=headers())))


@pytest.mark.redis
def test_where_all_is_well_each_subject_says_so_and_the_status_is_0(tmp_path) -> None:
    with answering("401 Unauthorized", date()) as backend, running_redis(tmp_path, "--requirepass", PASSWORD) as redis:
        done = run_command(
            "doctor",
            "--json",
            DEBUG="on",
            APP_STATE_DIR=str(tmp_path / "state"),
            APP_PUBLIC_API_BASE_URL=backend.url,
            APP_JWT_KEY=PASSWORD * 2,
            APP_JWT_ISSUER="https://api.example.com",
            APP_JWT_AUDIENCE="portal",
            APP_API_HONOURS_IDEMPOTENCY_KEY="on",
            CACHE_URL=f"redis://:{PASSWORD}@127.0.0.1:{redis.port}/0",
            status=0,
        )
    levels = {finding["subject"]: finding["level"] for finding in done.data["findings"]}
    # The speed of the stores is up to the machine.
    speeds = {"query store speed", "refresh store speed"}
    assert {each: level for each, level in levels.items() if level != "ok" and each not in speeds} == {}
    assert {"CACHE_URL", "addresses", "cookie domain", "state folder", "disk", "versions", "keys"} <= levels.keys()
    assert {f"backend {step}" for step in ("DNS", "TCP", "HTTP", "clock", "answer")} <= levels.keys()
    assert {f"refresh store{part}" for part in ("", " room", " clock", " speed", " atomic")} <= levels.keys()
    assert [request.headers.get("authorization") for request in backend.received] == [None]
    assert PASSWORD not in done.out + done.err
    assert "backend …" in done.err


@pytest.mark.redis
def test_where_half_of_it_is_broken_everything_is_told_at_once(tmp_path) -> None:
    with running_redis(tmp_path, "--requirepass", "another-one") as redis:
        done = run_command(
            "doctor",
            "--json",
            "--quiet",
            DEBUG="off",
            APP_STATE_DIR=str(tmp_path / "state"),
            APP_PUBLIC_API_BASE_URL="http://127.0.0.1:1",
            APP_JWT_KEY="too-short",
            APP_METRIC_TOKEN=PASSWORD,
            CACHE_URL=f"redis://:{PASSWORD}@127.0.0.1:{redis.port}/0",
        )
    assert done.status == 1
    assert "Traceback" not in done.err
    seen = {finding["seen"].partition(":")[0] for finding in done.data["findings"]}
    assert {
        "SECRET_KEY is missing",
        "ALLOWED_HOSTS is missing",
        "APP_PUBLIC_GATEWAY_APP_URL is missing",
        "APP_JWT_KEY should be at least 32 bytes long for HS256",
        "it refuses the user or the password, or wants one",
        "APP_METRIC_TOKEN is set, and nothing reads it",
        "Connection refused",
    } <= seen
    assert all(finding["do"] for finding in done.data["findings"])
    assert PASSWORD not in done.out + done.err


@pytest.mark.parametrize(
    ("status", "ahead_s", "answer", "clock"),
    [
        ("401 Unauthorized", 0, INFO, INFO),
        ("401 Unauthorized", 12, INFO, WARNING),
        ("401 Unauthorized", -90, INFO, ERROR),
        ("403 Forbidden", 0, WARNING, INFO),
        *((status, 0, ERROR, INFO) for status in ("200 OK", "404 Not Found", "503 Service Unavailable")),
    ],
)
def test_the_backend_should_refuse_who_has_no_token_and_have_our_time(status, ahead_s, answer, clock) -> None:
    with answering(status, date(ahead_s)) as backend:
        findings = list(look_at_backend(patient(api_base_url=backend.url)))
    assert found(findings, "backend answer").level == answer
    assert found(findings, "backend clock").level == clock
    assert ahead_s >= 0 or "behind ours" in found(findings, "backend clock").msg


def test_each_step_to_the_backend_fails_by_itself(tmp_path) -> None:
    tls = scripted_server(lambda *_: None, tls=Authority(tmp_path).server_context())
    with tls as backend, socket.create_server(("127.0.0.1", 0)) as hung:
        for url, subject, seen in (
            ("http://nowhere.invalid", "backend DNS", ""),
            ("http://127.0.0.1:1", "backend TCP", ""),
            (backend.url, "backend TLS", "certificate is not trusted"),
            (f"http://127.0.0.1:{hung.getsockname()[1]}", "backend HTTP", "no answer in time"),
        ):
            findings = look_at_backend(patient(api_base_url=url, read_timeout_s=0.2))
            (error,) = [each for each in findings if each.level == ERROR]
            assert error.obj == subject
            assert seen in error.msg


def test_the_key_set_is_read_and_its_keys_are_held_against_the_algorithms() -> None:
    key = as_jwk(ec_key("doctor"), kid="k1", alg="ES256")._jwk_data
    with answering("200 OK", body=json.dumps({"keys": [key]}).encode()) as server:
        verification = TokenVerification(jwks_url=server.url, algorithms=("ES256",), issuer="i", audience="a")
        fine = found(list(look_at_key_set(patient(verification=verification))), "key set")
        other = dataclasses.replace(verification, algorithms=("RS256",))
        wrong = found(list(look_at_key_set(patient(verification=other))), "key set")
    assert (fine.level, wrong.level) == (INFO, ERROR)
    assert "k1 (ES256)" in fine.msg
    assert "no key for RS256" in wrong.msg


def test_a_provider_that_has_another_name_for_itself_is_an_error() -> None:
    endpoints = {"authorization_endpoint": "a", "token_endpoint": "t", "jwks_uri": "j"}
    document = json.dumps({"issuer": "https://other.example.com", **endpoints})
    with answering("200 OK", body=document.encode()) as provider:
        findings = list(look_at_provider(patient(oidc=OidcProvider(issuer=provider.url, client_id="p"))))
    issuer = found(findings, "OpenID issuer")
    assert issuer.level == ERROR
    assert "https://other.example.com" in issuer.msg


def test_store_with_several_winners_of_a_key_is_told(tmp_path, monkeypatch: pytest.MonkeyPatch) -> None:
    config = SimpleNamespace(cache_url="", refresh_cache_url="", state_dir=tmp_path, store_max_mb=8)
    with override_settings(CACHES=_caches(config)):  # type: ignore[arg-type]
        findings = list(look_at_stores(patient()))
        assert {finding.level for finding in findings} == {INFO}
        assert "one winner" in found(findings, "refresh store atomic").msg
        monkeypatch.setattr(SharedStore, "add", lambda *_, **__: True)
        atomic = found(list(look_at_stores(patient())), "refresh store atomic")
    assert atomic.level == ERROR
    assert "400 winners for 25 keys" in atomic.msg


def test_a_state_folder_that_others_may_enter_and_one_that_is_a_file(tmp_path: Path) -> None:
    tmp_path.chmod(0o755)
    (open_to_others,) = look_at_state_folder(patient(state_dir=tmp_path))
    assert (open_to_others.level, open_to_others.hint) == (WARNING, f"chmod 0700 {tmp_path}")
    tmp_path.chmod(0o700)
    assert [finding.level for finding in look_at_state_folder(patient(state_dir=tmp_path))] == [INFO]
    file = tmp_path / "file"
    file.write_text("")
    assert [finding.level for finding in look_at_state_folder(patient(state_dir=file))] == [ERROR]


def test_no_other_folder_is_looked_at_in_place_of_one_that_can_not_be_read(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("APP_STATE_DIR", "$HOME/state")
    findings = list(takewhile(lambda each: not each.obj.startswith("backend"), examine("energy")))
    assert "APP_STATE_DIR should be a folder" in {each.msg for each in findings}
    for subject in ("state folder", "disk", "stores"):
        assert found(findings, subject).msg == "not looked at: state_dir can't be read"


def test_keys_that_are_honoured_but_not_sent_are_told() -> None:
    class NoKeys(Backend):
        idempotency_header = ""

    (seen,) = look_at_lost_answers(patient(honours_idempotency_key=True, backend=NoKeys()))
    assert seen.level == WARNING
    assert "has no effect" in seen.msg


def environment(monkeypatch: pytest.MonkeyPatch, **variables: str) -> dict[str, str]:
    """Return the messages about these variables: by their subject, or by themselves if something is wrong."""
    # Another test of this process may have read a file.
    monkeypatch.setattr("portal.config.environment.sources.names_from_file", set())
    for name, value in variables.items():
        monkeypatch.setenv(name, value)
    messages = list(look_at_environment(try_config("energy").problems))
    return {each.obj if each.level == INFO else each.msg: each.msg for each in messages}


def test_set_variables_are_listed_without_secrets(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "token").write_text("metrics-secret")
    seen = environment(
        monkeypatch,
        CACHE_URL="rediss://someone:redis-secret@h:1/0?ssl_ca_certs=/x&sentinel_password=more-secret",
        APP_SECURITY_CONTACT="mailto:security@example.com",
        APP_METRIC_TOKEN="misspelt-secret",
        APP_METRICS_TOKEN_FILE=str(tmp_path / "token"),
        SECRET_KEY="secret" * 10,
    )
    assert seen["CACHE_URL"] == "rediss://********@h:1/0?ssl_ca_certs=%2Fx (environment)"
    assert seen["APP_SECURITY_CONTACT"] == "mailto:security@example.com (environment)"
    assert (seen["SECRET_KEY"], seen["APP_METRICS_TOKEN"]) == ("******** (environment)", "******** (file)")
    assert "APP_METRIC_TOKEN is set, and nothing reads it" in seen
    assert "APP_LOG_FORMAT" not in seen
    assert "secret" not in str(seen)


def test_unreadable_variables_are_listed_without_secrets(monkeypatch: pytest.MonkeyPatch) -> None:
    """Also addresses that may have no user."""
    seen = environment(
        monkeypatch,
        CACHE_URL="redis://u:never-shown,@h",
        APP_PUBLIC_API_BASE_URL="https://someone:never/shown@api.example.com/v1",
        OTEL_EXPORTER_OTLP_ENDPOINT="http://someone:never-shown@127.0.0.1:4318",
    )
    assert seen["APP_PUBLIC_API_BASE_URL"] == "https://********@api.example.com/v1 (environment)"
    assert seen["OTEL_EXPORTER_OTLP_ENDPOINT"] == "http://********@127.0.0.1:4318 (environment)"
    assert any(message.startswith("CACHE_URL should be the address of one server") for message in seen)
    assert "never" not in str(seen)
    assert "someone" not in str(seen)


def test_live_checks_run_by_their_tag_alone(tmp_path: Path) -> None:
    variables = {"DEBUG": "on", "APP_STATE_DIR": str(tmp_path), "APP_PUBLIC_API_BASE_URL": "http://127.0.0.1:1"}
    assert "Connection refused" not in run_command("check", status=0, **variables).err
    assert "backend TCP: Connection refused" in run_command("check", "--tag", "live", status=1, **variables).err


@pytest.mark.parametrize(
    ("mistake", "found_as"),
    [
        ({"ALLOWED_HOSTS": "other.example.com"}, "check portal.W013"),
        ({"APP_PUBLIC_AUTH_COOKIE_DOMAIN": ""}, "check portal.W001"),
        ({"APP_BEHIND_PROXY": "off"}, "check portal.W017"),
        ({"APP_PUBLIC_ENERGY_APP_URL": "http://energy.example.com"}, "check portal.W011"),
        ({"DEBUG": "on"}, "check portal.W003"),
        ({"SECRET_KEY": f"'{PASSWORD}'"}, "environment"),
    ],
    ids=lambda value: value if isinstance(value, str) else next(iter(value)),
)
def test_what_keeps_users_out_or_shows_them_code_is_an_error(mistake: dict[str, str], found_as: str) -> None:
    def errors(**variables: str) -> set[str]:
        with pytest.MonkeyPatch.context() as patched:
            for name, value in {**DEPLOYED, **variables}.items():
                patched.setenv(name, value)
            reading = try_config("energy")
            with override_settings(PORTAL=reading.config):
                findings = [
                    *look_at_environment(reading.problems),
                    *look_at_checks(Patient(config=reading.config)),
                ]
        assert PASSWORD not in repr(findings)
        return {finding.obj for finding in findings if finding.level == ERROR}

    assert errors(**mistake) - errors() == {found_as}


def test_a_folder_of_another_user_is_told_as_that(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    locked = tmp_path / "locked"
    locked.mkdir(mode=0)
    monkeypatch.setenv("APP_STATE_DIR", str(locked / "state"))
    subjects = [subject._replace(look=of_another_user(subject.look)) for subject in SUBJECTS[:4]]
    findings = list(examine("energy", subjects))
    for subject in ("state folder", "disk"):
        told = found(findings, subject)
        assert told.level == ERROR
        assert told.msg.endswith(": Permission denied")
        assert told.hint == "run this command as the servers' user, or give that user the right"


def of_another_user(look: Callable[[Patient], Iterable[CheckMessage]]) -> Callable[[Patient], list[CheckMessage]]:
    """No folder is forbidden to root."""

    def looks(patient: Patient) -> list[CheckMessage]:
        mine = os.geteuid()
        if mine == 0:
            os.seteuid(65534)
        try:
            return list(look(patient))
        finally:
            os.seteuid(mine)

    return looks


def test_a_shared_folder_for_static_files_that_can_not_be_written(tmp_path: Path) -> None:
    assert list(look_at_static_files(patient())) == []
    (fine,) = look_at_static_files(patient(static_shared_dir=tmp_path / "new"))
    file = tmp_path / "file"
    file.write_text("")
    (wrong,) = look_at_static_files(patient(static_shared_dir=file))
    assert (fine.level, wrong.level) == (INFO, WARNING)


def test_a_token_of_the_backend_is_held_against_the_keys() -> None:
    access = jwt.encode({"sub": "ada"}, ec_key("theirs"), "ES256", headers={"kid": "k1"})
    for owner, level in (("theirs", INFO), ("ours", ERROR)):
        key_set = {"keys": [as_jwk(ec_key(owner), kid="k1", alg="ES256")._jwk_data]}
        with answering("200 OK", body=json.dumps(key_set).encode()) as server:
            verification = TokenVerification(jwks_url=server.url, algorithms=("ES256",))
            given = dataclasses.replace(patient(verification=verification), access=access)
            assert found(list(look_at_key_set(given)), "token").level == level


def test_a_disk_with_less_room_than_the_store_may_take(tmp_path: Path) -> None:
    assert [each.level for each in look_at_disk(patient(state_dir=tmp_path, store_max_mb=8))] == [INFO]
    assert [each.level for each in look_at_disk(patient(state_dir=tmp_path, store_max_mb=10**9))] == [WARNING]
