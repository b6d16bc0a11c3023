"""The platforms cookie follows `/me`, and no late page writes it after a sign-out."""

import pytest
import responses

from portal.config.cookies import SIGN_IN_COOKIES, VAR_ACCESS_TOKEN, VAR_REFRESH_TOKEN
from tests.portal.web.conftest import BACKEND, access_token, browser_with, profile

#: The sign-out comes before or after the page's `/me`, which leaves at the same time as the list: the page finds that the
#: sign-in has ended, or is shown.
SHOWN_OR_ENDED = {200, 302}


@pytest.mark.parametrize("case", ["with both tokens", "without a refresh token", "after a refresh"])
def test_late_page_does_not_write_it(backend: responses.RequestsMock, account: str, case: str) -> None:
    """`/me` names another platform than the cookie, and the user signs out before the list is there."""
    fresh = {VAR_ACCESS_TOKEN: access_token(account, "ENERGY_APP"), VAR_REFRESH_TOKEN: f"first_{account}"}
    if case == "without a refresh token":
        del fresh[VAR_REFRESH_TOKEN]
    if case == "after a refresh":
        fresh[VAR_ACCESS_TOKEN] = access_token(account, "ENERGY_APP", lifetime_s=-60)
        pair = {"accessToken": access_token(account, "ENERGY_APP"), "refreshToken": f"second_{account}"}
        backend.post(f"{BACKEND}/refresh", json=pair)

    def clients(_) -> tuple[int, dict[str, str], str]:
        assert browser_with(fresh).post("/en/logout").status_code == 303
        return 200, {}, '{"items": [], "hasNext": false}'

    backend.get(f"{BACKEND}/me", json=profile(account, "ENERGY_APP", "FINANCE_APP"))
    backend.post(f"{BACKEND}/auth/logout", status=204)
    backend.add_callback("GET", f"{BACKEND}/energy/clients", clients)
    late = browser_with(fresh).get("/en/energy/clients")
    assert late.status_code in SHOWN_OR_ENDED
    assert not {name for name, morsel in late.cookies.items() if morsel.value} & set(SIGN_IN_COOKIES)
