"""`sign_out_user` where the clock of who issues tokens differs from this machine's, and beside cached data."""

import dataclasses
import io
import json
import time
from email.utils import formatdate

import jwt
import pytest
from django.conf import settings
from django.core.management import call_command
from django.test import override_settings

from portal.api import api_session
from portal.api.tokens import TokenPair
from portal.query import process_runtime
from tests.support.http_server import reply, scripted_server

KEY = "a-secret-of-thirty-two-bytes-and-more"


def signed_out(user: str, *, backend: str) -> dict:
    """What the command says, with the backend at this address."""
    out = io.StringIO()
    with override_settings(PORTAL=dataclasses.replace(settings.PORTAL, api_base_url=backend)):
        call_command("sign_out_user", user, "--json", stdout=out, stderr=io.StringIO())
    return json.loads(out.getvalue())


def has_ended(user: str, *, issued_at: float) -> bool:
    access = jwt.encode({"sub": user, "iat": int(issued_at), "exp": int(issued_at) + 300}, KEY, "HS256")
    return api_session().refresher.signed_out_at(TokenPair(access=access)) is not None


@pytest.mark.parametrize("ahead_s", [60, 0])
def test_a_sign_in_of_this_moment_ends_whatever_the_issuers_clock_says(ahead_s: int) -> None:
    user, began = f"usr_ahead_{ahead_s}", time.time()
    date = f"Date: {formatdate(began + ahead_s, usegmt=True)}\r\n"
    with scripted_server(lambda _, wire: wire.sendall(reply(status="401 Unauthorized", headers=date))) as backend:
        told = signed_out(user, backend=backend.url)
    assert ahead_s - 60 <= told["issuer_clock_ahead_s"] <= ahead_s
    assert has_ended(user, issued_at=began + ahead_s)
    assert not has_ended(user, issued_at=time.time() + ahead_s + 60)


def test_nobody_waits_for_a_backend_that_is_away() -> None:
    began = time.time()
    assert signed_out("usr_away", backend="http://127.0.0.1:1")["issuer_clock_ahead_s"] is None
    assert has_ended("usr_away", issued_at=began)


def test_tokens_of_the_user_are_checked_again() -> None:
    """Whatever a process has cached for them."""
    token, checks = jwt.encode({"sub": "usr_cached"}, KEY, "HS256"), []
    caches = process_runtime().caches
    caches.open(token, check_active=lambda: checks.append(token))
    before = len(checks)
    caches.open(token, check_active=lambda: checks.append(token))
    assert len(checks) == before
    signed_out("usr_cached", backend="http://127.0.0.1:1")
    caches.open(token, check_active=lambda: checks.append(token))
    assert len(checks) == before + 1
