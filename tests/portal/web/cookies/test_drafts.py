"""The cookie VAR_DRAFTS: forms begin it, a sign-out from any app ends it."""

import re

import pytest

from portal.config.cookies import DRAFTS_MAX_AGE_S, VAR_DRAFTS
from portal.testing import Backend, SignedIn
from portal.testing.fixtures import backend

__all__ = ["backend"]
FORM = "/en/energy/clients/new"


@pytest.fixture
def app() -> str:
    return "energy"


def test_a_form_lets_the_browser_keep_drafts_and_scripts_read_the_name(signed_in: SignedIn) -> None:
    browser = signed_in("ENERGY_APP")
    cookie = browser.get(FORM).cookies[VAR_DRAFTS]
    assert re.fullmatch(r"[A-Za-z0-9_-]{12}", cookie.value)
    assert (cookie["httponly"], cookie["samesite"], cookie["max-age"]) == ("", "Lax", DRAFTS_MAX_AGE_S)
    assert browser.get(FORM).cookies[VAR_DRAFTS].value == cookie.value


def test_sign_out_ends_all_drafts(backend: Backend, signed_in: SignedIn) -> None:
    backend.lists("/energy/clients", [])
    browser = signed_in("ENERGY_APP")
    assert VAR_DRAFTS not in browser.get("/en/energy/clients").cookies
    browser.get(FORM)
    cookie = browser.post("/en/logout").cookies[VAR_DRAFTS]
    assert (cookie.value, cookie["max-age"]) == ("", 0)
