"""The URLs that every app has beside its pages."""

import dataclasses
import hashlib
import socket
from collections.abc import Callable
from datetime import UTC, datetime, timedelta
from pathlib import Path
from unittest.mock import Mock

import pytest
import responses
from django.conf import settings
from django.test import Client, override_settings

from portal.api.metrics import RefreshOutcome
from portal.api.transport import Transport
from portal.config.cookies import VAR_ACCESS_TOKEN, VAR_REFRESH_TOKEN
from portal.errors import StoreUnavailableError
from portal.identity.token_cache import UNVERIFIABLE, TokenCache
from portal.store import SharedStore, readiness
from portal.testing import access_token

ROOT = Path(__file__).parents[4]
GATEWAY = "http://localhost:8000"


def with_config(**changes: object) -> override_settings:
    return override_settings(PORTAL=dataclasses.replace(settings.PORTAL, **changes))


def test_process_lives_without_backend_and_store(
    monkeypatch: pytest.MonkeyPatch, browser_of: Callable[..., Client]
) -> None:
    store, call = (Mock(side_effect=StoreUnavailableError("down")) for _ in range(2))
    monkeypatch.setattr(SharedStore, "_do", store)
    monkeypatch.setattr(Transport, "send", call)
    expired = {VAR_ACCESS_TOKEN: access_token("usr_1", lifetime_s=-60), VAR_REFRESH_TOKEN: "r"}
    for browser in (Client(), browser_of("ENERGY_APP"), browser_of(**expired)):
        assert browser.get("/healthz").status_code == 200
    assert not store.called
    readiness._readiness.forget()
    response = Client().get("/readyz")
    assert (response.status_code, response["Retry-After"]) == (503, "1")
    assert (store.called, call.called) == (True, False), "what is refused here is what other pages ask"
    monkeypatch.undo()
    readiness._readiness.forget()
    assert Client().get("/readyz").status_code == 200


@pytest.mark.parametrize("address", ["127.0.0.1", "127.9.9.9", "::1"])
def test_metrics_answer_this_machine(address: str) -> None:
    lines = Client(REMOTE_ADDR=address).get("/metrics").content.decode().splitlines()
    names = {line.rpartition(" ")[0] for line in lines}
    for outcome in RefreshOutcome:
        assert f'portal_refresh_total{{app="energy",outcome="{outcome.value}"}}' in names
    for store in ("default", "refresh"):
        assert f'portal_store_limit_bytes{{app="energy",store="{store}"}} 2.68435456e+08' in lines
        assert f'portal_store_used_bytes{{app="energy",store="{store}"}}' in names


def test_metrics_of_a_silent_store_lack_its_size_alone() -> None:
    with socket.create_server(("127.0.0.1", 0)) as silent:
        entry = {
            "BACKEND": "django.core.cache.backends.redis.RedisCache",
            "LOCATION": f"redis://127.0.0.1:{silent.getsockname()[1]}/0",
            "OPTIONS": {"socket_timeout": 0.2},
        }
        with override_settings(CACHES={"default": entry, "refresh": entry}):
            response = Client(REMOTE_ADDR="127.0.0.1").get("/metrics")
    assert response.status_code == 200
    assert b"portal_refresh_total{" in response.content
    assert b"portal_store_used_bytes{" not in response.content


@pytest.mark.parametrize("address", ["10.0.0.1", "nonsense"])
@pytest.mark.parametrize("bearer", [None, "Bearer ", "Basic right", "Bearer right"])
@pytest.mark.parametrize("token", ["right", ""])
def test_metrics_answer_the_set_token_alone(address: str, bearer: str | None, token: str) -> None:
    headers = {} if bearer is None else {"authorization": bearer}
    with with_config(metrics_token=token):
        response = Client(REMOTE_ADDR=address, headers=headers).get("/metrics")
    assert response.status_code == (200 if token and bearer == "Bearer right" else 403)


@pytest.mark.parametrize(
    ("forwarded", "status"), [(None, 403), ("127.0.0.1, 203.0.113.9", 403), ("203.0.113.9, 127.0.0.1", 200)]
)
def test_behind_a_proxy_the_proxys_own_address_does_not_count(forwarded: str | None, status: int) -> None:
    headers = {} if forwarded is None else {"x-forwarded-for": forwarded}
    with with_config(behind_proxy=True):
        assert Client(REMOTE_ADDR="127.0.0.1", headers=headers).get("/metrics").status_code == status
        assert Client(REMOTE_ADDR="10.0.0.7", headers=headers).get("/metrics").status_code == 403, "past the proxy"
    assert Client(REMOTE_ADDR="127.0.0.1", headers=headers).get("/metrics").status_code == 200, "without a proxy"


def test_the_apps_own_icon_and_the_robots_file() -> None:
    icon = Client().get("/favicon.ico")
    assert icon["Content-Type"] == "image/svg+xml"
    assert b"".join(icon.streaming_content) == (ROOT / "apps/energy/static/energy/icon.svg").read_bytes()
    assert Client().get("/robots.txt").content == b"User-agent: *\nDisallow: /\n"


def test_security_txt_names_who_takes_reports_of_weaknesses() -> None:
    assert Client().get("/.well-known/security.txt").status_code == 404, "nobody is named by default"
    contacts = ("mailto:security@example.com", "https://example.com/security")
    origins = {**settings.PORTAL.origins, "energy": "https://energy.example.com"}
    with with_config(security_contacts=contacts, origins=origins):
        response = Client().get("/.well-known/security.txt")
    assert response["Content-Type"] == "text/plain; charset=utf-8"
    *named, expires, canonical = response.content.decode().splitlines()
    assert named == [f"Contact: {contact}" for contact in contacts]
    assert canonical == "Canonical: https://energy.example.com/.well-known/security.txt"
    left = datetime.fromisoformat(expires.removeprefix("Expires: ")) - datetime.now(UTC)
    assert timedelta(days=30) < left < timedelta(days=365)


@pytest.mark.parametrize(
    "path",
    ["/healthz", "/readyz", "/metrics", "/favicon.ico", "/robots.txt", "/sign-in-state", "/.well-known/security.txt"],
)
def test_read_only_pages_refuse_other_methods(path: str) -> None:
    response = Client(enforce_csrf_checks=True, headers={"accept": "text/html"}).post(path)
    assert (response.status_code, response["Allow"]) == (405, "GET, HEAD")
    assert not response.cookies


def test_the_sign_in_state_has_the_account_tag_and_calls_nothing(
    backend: responses.RequestsMock, account: str, browser_of: Callable[..., Client]
) -> None:
    stranger = Client()
    response = stranger.get("/sign-in-state")
    assert response.json() == {"signedIn": False, "account": None}
    assert "no-store" in response["Cache-Control"]
    tag = hashlib.sha256(account.encode()).hexdigest()[:16]
    assert browser_of("ENERGY_APP").get("/sign-in-state").json() == {"signedIn": True, "account": tag}
    stranger.cookies[VAR_REFRESH_TOKEN] = f"refresh_{account}"
    state = stranger.get("/sign-in-state").json()
    assert state == {"signedIn": True, "account": None}, "only a refresh could name it"
    assert len(backend.calls) == 0


@pytest.mark.parametrize("path", ["/sign-in-state", "/en/essentials"])
def test_while_a_tokens_key_is_unknown_the_state_is_not_signed_out(path: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(TokenCache, "check", lambda *_, **__: UNVERIFIABLE)
    client = Client(headers={"accept": "application/json"})
    client.cookies[VAR_ACCESS_TOKEN] = "of.a.new-key"
    response = client.get(path)
    assert response.status_code == 503
    assert response["Retry-After"]
    assert not response.cookies
    client.cookies[VAR_REFRESH_TOKEN] = "refresh"
    assert client.get("/sign-in-state").json() == {"signedIn": True, "account": None}


def test_sign_in_on_a_platform_is_the_gateways_with_a_next_of_ours_made_absolute() -> None:
    client = Client(headers={"accept": "text/html"})
    assert client.get("/de/login")["Location"] == f"{GATEWAY}/de/login"
    ours = client.get("/de/login", {"next": "/de/energy/clients?q=a b"})["Location"]
    assert ours.startswith(f"{GATEWAY}/de/login?next=http%3A%2F%2Flocalhost%3A8001%2Fde%2Fenergy%2Fclients%3Fq%3Da")
    assert client.get("/de/login", {"next": "//evil.test"})["Location"] == f"{GATEWAY}/de/login"
