"""The profile: one `/me` for each page, which decides about the platform, and the cookie that follows `/me`."""

from collections.abc import Callable
from typing import Any
from urllib.parse import unquote

import pytest
import responses
from django.test import Client
from django.utils import translation
from responses import matchers

from portal.config.cookies import VAR_ACCESS_TOKEN, VAR_PERMITTED_PLATFORMS, VAR_REFRESH_TOKEN
from portal.testing import access_token, page_of
from portal.web.frame import present_own_profile
from tests.portal.web.conftest import BACKEND, profile

PLATFORMS_COOKIE = VAR_PERMITTED_PLATFORMS


@pytest.fixture(autouse=True)
def _clients(backend: responses.RequestsMock) -> None:
    backend.get(f"{BACKEND}/energy/clients", json=page_of([]))


@pytest.mark.parametrize("answer", [{"status": 404}, {"json": []}], ids=str)
def test_a_failed_profile_gives_the_placeholder_which_the_browser_fills_from_essentials(
    backend: responses.RequestsMock, account: str, browser_of: Callable[..., Client], answer: dict[str, Any]
) -> None:
    """A profile that is no object counts as failed. The page keeps its own status."""
    backend.get(f"{BACKEND}/me", **answer)
    browser = browser_of("ENERGY_APP")
    response = browser.get("/en/energy/clients?q=x")
    body = response.content.decode()
    assert response.status_code == 200
    assert 'data-placeholder hx-get="/en/essentials"' in body
    assert 'href="/en/energy/clients?q=x">Try again</a>' in body
    assert PLATFORMS_COOKIE not in response.cookies
    backend.replace("GET", f"{BACKEND}/me", json=profile(account, "ENERGY_APP"))
    filled = browser.get("/en/essentials", headers={"hx-request": "true", "accept": "*/*"})
    assert "Ada Lovelace" in filled.content.decode()
    assert "<html" not in filled.content.decode()
    assert filled["Cache-Control"] == "private, no-store"


@pytest.mark.parametrize(
    ("current", "query"),
    [
        ("http://localhost:8001/en/energy", "?next=http%3A%2F%2Flocalhost%3A8001%2Fen%2Fenergy"),
        ("http://evil.test/en", ""),
    ],
)
def test_signed_out_essentials_lead_htmx_to_the_login(current: str, query: str) -> None:
    response = Client().get("/de/essentials", headers={"hx-request": "true", "hx-current-url": current})
    assert (response.status_code, response["Content-Type"]) == (401, "application/problem+json")
    assert response["HX-Redirect"] == f"http://localhost:8000/de/login{query}"


@pytest.mark.parametrize("permissions", [["FINANCE_APP"], "ENERGY_APP"])
def test_profile_that_denies_the_platform_is_403(
    backend: responses.RequestsMock, account: str, browser_of: Callable[..., Client], permissions: object
) -> None:
    """The sign-in stays, also where the list refuses the user."""
    backend.get(f"{BACKEND}/me", json=profile(account) | {"permissions": permissions})
    backend.replace("GET", f"{BACKEND}/energy/clients", status=403)
    browser = browser_of("ENERGY_APP", **{VAR_REFRESH_TOKEN: f"first-{account}"})
    response = browser.get("/en/energy/clients")
    assert response.status_code == 403
    body = response.content.decode()
    assert 'href="/en/energy' not in body
    assert '<a class="brand" href="http://localhost:8000/en/profile">' in body
    assert "Ada Lovelace" in body
    assert VAR_ACCESS_TOKEN not in response.cookies
    assert "HX-Redirect" not in response
    assert f"{BACKEND}/refresh" not in [call.request.url for call in backend.calls]
    assert unquote(response.cookies[PLATFORMS_COOKIE].value) == (
        '["FINANCE"]' if isinstance(permissions, list) else "[]"
    )
    by_htmx = browser_of("ENERGY_APP").get("/en/energy/clients", headers={"hx-request": "true"})
    assert (by_htmx.status_code, by_htmx["HX-Redirect"]) == (403, "/en/energy")
    assert by_htmx["Content-Type"] == "application/problem+json"


@pytest.mark.parametrize(
    ("answer", "status"), [({"body": ConnectionError()}, 503), ({"status": 401}, 401)], ids=["no answer", "rejected"]
)
def test_essentials_have_the_status_of_the_profile(
    backend: responses.RequestsMock, browser_of: Callable[..., Client], answer: dict[str, Any], status: int
) -> None:
    backend.get(f"{BACKEND}/me", **answer)
    response = browser_of("ENERGY_APP").get("/en/essentials", headers={"hx-request": "true"})
    assert response.status_code == status
    assert ("Retry-After" in response.headers) is (status == 503)
    assert "HX-Redirect" not in response.headers


@pytest.mark.parametrize("profile_status", [200, 503])
def test_cookies_of_two_users_show_no_mixture(
    backend: responses.RequestsMock, account: str, browser_of: Callable[..., Client], profile_status: int
) -> None:
    """The browser has ada's access token and ben's refresh token. `/me` refuses ada's token, the list does not."""
    ben, path = f"ben-{account}", f"{BACKEND}/energy/clients"
    bens, browser = access_token(ben, "ENERGY_APP"), browser_of("ENERGY_APP", **{VAR_REFRESH_TOKEN: f"first-{ben}"})
    of_ada, of_ben = (
        [matchers.header_matcher({"Authorization": f"Bearer {token}"})]
        for token in (browser.cookies[VAR_ACCESS_TOKEN].value, bens)
    )
    backend.get(f"{BACKEND}/me", status=401, match=of_ada)
    backend.get(f"{BACKEND}/me", status=profile_status, json=profile(ben, "ENERGY_APP"), match=of_ben)
    backend.remove("GET", path)
    adas_list = backend.get(path, json=page_of([{"id": "c1", "name": "a row of ada"}]), match=of_ada)
    bens_list = backend.get(path, json=page_of([{"id": "c1", "name": "a row of ben"}]), match=of_ben)
    backend.post(f"{BACKEND}/refresh", json={"accessToken": bens, "refreshToken": f"second-{ben}"})
    first = browser.get("/en/energy/clients")
    assert "a row of ada" not in first.content.decode()
    assert first.status_code == 401 or adas_list.call_count == 0
    assert "a row of ben" in browser.get("/en/energy/clients").content.decode()
    assert bens_list.call_count


@pytest.mark.parametrize("brought", [None, "%5B%5D", "nonsense"])
def test_the_platforms_cookie_is_written_where_it_differs(energy_user: Client, brought: str | None) -> None:
    if brought is not None:
        energy_user.cookies[PLATFORMS_COOKIE] = brought
    cookie = energy_user.get("/en/energy/clients").cookies[PLATFORMS_COOKIE]
    assert cookie.value == "%5B%22ENERGY%22%5D"
    assert not cookie["httponly"]
    assert (cookie["path"], cookie["samesite"]) == ("/", "Lax")
    assert PLATFORMS_COOKIE not in energy_user.get("/en/energy/clients").cookies, "it has the same platforms"


@pytest.mark.parametrize(
    ("name", "initials"),
    [("Ada Lovelace", "AL"), ("ada", "A"), ("Jean-Luc van der Berg", "JV"), ("", "?"), ("  ", "?"), ("(x) y", "Y")],
)
def test_initials(name: str, initials: str) -> None:
    assert present_own_profile({"id": "1", "name": name}).initials == initials


def test_links_to_other_platforms_go_through_the_gateway_and_the_own_one_does_not() -> None:
    with translation.override("de"):
        essentials = present_own_profile({"id": "1", "permissions": ["FINANCE_APP", "ENERGY_APP"]})
    assert [(link.url, link.current) for link in essentials.links] == [
        ("/de/energy", True),
        ("http://localhost:8000/de/finance", False),
    ]
