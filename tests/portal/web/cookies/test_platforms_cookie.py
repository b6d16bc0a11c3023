"""The platforms cookie follows `/me`, and no late page writes it after a sign-out."""

from __future__ import annotations

from collections.abc import Callable

import pytest
import responses
from django.http import HttpResponse
from django.test import Client

from portal.api.refresh.refresher import TokenRefresher
from portal.api.tokens import SignInStatus, TokenPair
from portal.config.cookies import SIGN_IN_COOKIES, VAR_ACCESS_TOKEN, VAR_PERMITTED_PLATFORMS, VAR_REFRESH_TOKEN
from portal.store import SharedStore
from portal.store.shared_store import REFRESH_ALIAS
from tests.portal.web.conftest import BACKEND, access_token, profile

Cookies = dict[str, str]
#: The sign-out comes before or after the page's `/me`, which leaves at the same time as the list: the page finds that the
#: sign-in has ended, or is shown.
SHOWN_OR_ENDED = {200, 302}


@pytest.fixture
def looks(monkeypatch: pytest.MonkeyPatch) -> list[str]:
    """Grows with each operation on the refresh store."""
    made: list[str] = []
    do = SharedStore._do

    def counted(store, operation):
        if store.alias == REFRESH_ALIAS:
            made.append("look")
        return do(store, operation)

    monkeypatch.setattr(SharedStore, "_do", counted)
    return made


@pytest.fixture
def fresh(account: str) -> Cookies:
    return {VAR_ACCESS_TOKEN: access_token(account, "ENERGY_APP"), VAR_REFRESH_TOKEN: f"first_{account}"}


def browser_with(cookies: Cookies) -> Client:
    browser = Client(headers={"accept": "text/html"})
    for name, value in cookies.items():
        browser.cookies[name] = value
    return browser


def answer_while(backend: responses.RequestsMock, account: str, meanwhile: Callable[[], None]) -> None:
    """`/me` names another platform than the cookie, and something happens before the list is there."""

    def clients(_) -> tuple[int, dict[str, str], str]:
        meanwhile()
        return 200, {}, '{"items": [], "hasNext": false, "nextCursor": null, "total": 0}'

    backend.get(f"{BACKEND}/me", json=profile(account, "ENERGY_APP", "FINANCE_APP"))
    backend.post(f"{BACKEND}/auth/logout", status=204)
    backend.add_callback("GET", f"{BACKEND}/energy/clients", clients)


def written(response: HttpResponse) -> set[str]:
    """The cookies that the response sets, without those that it removes."""
    return {name for name, morsel in response.cookies.items() if morsel.value}


def sign_out(cookies: Cookies) -> None:
    assert browser_with(cookies).post("/en/logout").status_code == 303


@pytest.mark.parametrize("without_refresh_token", [False, True])
def test_a_page_that_was_running_during_the_sign_out_does_not_write_it(
    backend: responses.RequestsMock, account: str, fresh: Cookies, without_refresh_token: bool
) -> None:
    if without_refresh_token:
        del fresh[VAR_REFRESH_TOKEN]
    answer_while(backend, account, lambda: sign_out(fresh))
    late = browser_with(fresh).get("/en/energy/clients")
    assert late.status_code in SHOWN_OR_ENDED
    assert VAR_PERMITTED_PLATFORMS not in written(late)


def test_nor_does_such_a_page_that_has_refreshed(backend: responses.RequestsMock, account: str, fresh: Cookies) -> None:
    expired = {**fresh, VAR_ACCESS_TOKEN: access_token(account, "ENERGY_APP", lifetime_s=-60)}
    pair = {"accessToken": access_token(account, "ENERGY_APP"), "refreshToken": f"second_{account}"}
    backend.post(f"{BACKEND}/refresh", json=pair)
    answer_while(backend, account, lambda: sign_out(expired))
    late = browser_with(expired).get("/en/energy/clients")
    assert late.status_code in SHOWN_OR_ENDED
    assert not written(late) & set(SIGN_IN_COOKIES)


def test_a_page_of_an_active_sign_in_writes_it(backend: responses.RequestsMock, account: str, fresh: Cookies) -> None:
    answer_while(backend, account, lambda: None)
    response = browser_with(fresh).get("/en/energy/clients")
    assert response.cookies[VAR_PERMITTED_PLATFORMS].value == "%5B%22ENERGY%22%2C%22FINANCE%22%5D"


def test_so_does_one_while_nobody_knows_of_a_sign_out(
    backend: responses.RequestsMock, account: str, fresh: Cookies, monkeypatch: pytest.MonkeyPatch
) -> None:
    def is_down(self: TokenRefresher, pair: TokenPair) -> SignInStatus:
        return SignInStatus.UNKNOWN

    monkeypatch.setattr(TokenRefresher, "sign_in_status", is_down)
    answer_while(backend, account, lambda: None)
    response = browser_with(fresh).get("/en/energy/clients")
    assert response.cookies[VAR_PERMITTED_PLATFORMS].value == "%5B%22ENERGY%22%2C%22FINANCE%22%5D"


def test_so_does_a_failure_that_a_program_reads(backend: responses.RequestsMock, account: str, fresh: Cookies) -> None:
    backend.get(f"{BACKEND}/me", json=profile(account, "ENERGY_APP", "FINANCE_APP"))
    backend.get(f"{BACKEND}/energy/clients", status=404)
    browser = browser_with(fresh)
    response = browser.get("/en/energy/clients", headers={"accept": "application/json"})
    assert response.status_code == 404
    assert response.cookies[VAR_PERMITTED_PLATFORMS].value == "%5B%22ENERGY%22%2C%22FINANCE%22%5D"


def test_a_page_that_has_nothing_to_write_does_not_ask_the_store(
    backend: responses.RequestsMock, account: str, fresh: Cookies, looks: list[str]
) -> None:
    answer_while(backend, account, lambda: None)
    browser = browser_with(fresh)
    for _ in range(3):
        looks.clear()
        assert browser.get("/en/energy/clients").status_code == 200
    assert looks == []
