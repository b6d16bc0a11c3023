"""Sign-out: asked on GET, done on POST, in every application."""

from collections.abc import Callable
from typing import Any

import pytest
import responses
from django.test import Client

from portal.api import sign_out
from portal.config.cookies import SIGN_IN_COOKIES, VAR_REFRESH_TOKEN
from portal.testing import page_of, profile_of, row_ids
from tests.portal.web.conftest import BACKEND


@pytest.mark.parametrize("answer", [{"status": 204}, {"status": 500}, {"body": ConnectionError()}], ids=str)
def test_post_revokes_the_refresh_token_clears_the_cookies_and_says_so_at_the_gateway(
    backend: responses.RequestsMock, browser_of: Callable[..., Client], answer: dict[str, Any]
) -> None:
    """Also while the backend fails. GET asks, and changes nothing."""
    revoked = backend.post(f"{BACKEND}/auth/logout", **answer)
    browser = browser_of("ENERGY_APP", **{VAR_REFRESH_TOKEN: "r1"})
    assert browser.get("/tr/logout").status_code == 200
    assert revoked.call_count == 0
    response = browser.post("/tr/logout")
    assert (response.status_code, response["Location"]) == (303, "http://localhost:8000/tr/signed-out")
    assert response["Clear-Site-Data"] == '"cache"'
    for name in SIGN_IN_COOKIES:
        assert (response.cookies[name].value, response.cookies[name]["max-age"]) == ("", 0)
    assert revoked.call_count == 1


def test_sign_out_drops_the_cache_of_its_sign_in(
    backend: responses.RequestsMock,
    account: str,
    browser_of: Callable[..., Client],
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """Also what another request of the sign-in caches just before its tombstone."""

    def read_and_sign_out(*args: Any, **options: Any) -> Any:
        assert row_ids(another.get("/en/energy/clients")) == ["c1"]
        return sign_out(*args, **options)

    monkeypatch.setattr("portal.web.sign_in.sign_out.sign_out", read_and_sign_out)
    backend.get(f"{BACKEND}/me", json=profile_of(account, "ENERGY_APP"))
    asked = backend.get(f"{BACKEND}/energy/clients", json=page_of([{"id": "c1"}]))
    backend.post(f"{BACKEND}/auth/logout", status=204)
    here, there = (browser_of("ENERGY_APP", **{VAR_REFRESH_TOKEN: f"{at} {account}"}) for at in ("here", "there"))
    for browser in (here, there, here, there):
        assert row_ids(browser.get("/en/energy/clients")) == ["c1"]
    assert asked.call_count == 2
    kept = {name: morsel.value for name, morsel in here.cookies.items()}
    another = browser_of("ENERGY_APP")
    another.cookies.load(kept)
    here.post("/en/logout")
    here.cookies.load(kept)
    assert here.get("/en/energy/clients")["Location"] == "/"
    there.get("/en/energy/clients")
    assert asked.call_count == 2
