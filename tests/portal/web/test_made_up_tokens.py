"""Made-up cookies: the calls and the memory that a request with them may cost."""

from dataclasses import replace

import jwt
import pytest
import responses

from portal.config.cookies import VAR_ACCESS_TOKEN, VAR_PERMITTED_PLATFORMS, VAR_REFRESH_TOKEN
from portal.config.portal_config import TokenVerification
from tests.portal.web.conftest import BACKEND, browser_with, profile
from tests.settings import PORTAL

KEY = "the key of the one who issues tokens"
FORGED = "the key of somebody else, who issues none"


def signed(account: str, key: str, **claims: object) -> str:
    return jwt.encode({"sub": account, "permissions": ["ENERGY_APP"], **claims}, key)


@pytest.fixture(autouse=True)
def verifying(settings) -> None:
    settings.PORTAL = replace(PORTAL, verification=TokenVerification(key=KEY, algorithms=("HS256",)))


def asked(backend: responses.RequestsMock) -> list[str]:
    return [f"{call.request.method} {call.request.path_url}" for call in backend.calls]


def test_a_made_up_pair_costs_the_one_refresh_that_refuses_it(backend: responses.RequestsMock, account: str) -> None:
    backend.get(f"{BACKEND}/me", status=401)
    backend.post(f"{BACKEND}/refresh", status=401)
    made_up = {VAR_ACCESS_TOKEN: signed(account, FORGED), VAR_REFRESH_TOKEN: f"made-up-{account}"}
    response = browser_with(made_up | {VAR_PERMITTED_PLATFORMS: '["ENERGY"]'}).get("/en/energy/clients")
    assert response.status_code == 302
    assert response.cookies[VAR_REFRESH_TOKEN].value == ""
    assert asked(backend) == ["POST /refresh"]


def test_forged_access_token_is_replaced_and_never_sent(backend: responses.RequestsMock, account: str) -> None:
    good, made_up = signed(account, KEY), signed(account, FORGED)
    backend.post(f"{BACKEND}/refresh", json={"accessToken": good, "refreshToken": f"second-{account}"})
    backend.get(f"{BACKEND}/me", json=profile(account, "ENERGY_APP"))
    owner = browser_with({VAR_ACCESS_TOKEN: made_up, VAR_REFRESH_TOKEN: f"first-{account}"})
    response = owner.get("/en/essentials")
    assert response.status_code == 200
    assert response.cookies[VAR_ACCESS_TOKEN].value == good
    assert [call.request.headers.get("Authorization") for call in backend.calls] == [None, f"Bearer {good}"]


@pytest.mark.parametrize("size", [0, 65_536])
def test_forged_token_alone_costs_no_call(backend: responses.RequestsMock, account: str, size: int) -> None:
    """Also one that is larger than any cookie."""
    response = browser_with({VAR_ACCESS_TOKEN: signed(account, FORGED).ljust(size, "x")}).get("/en/energy/clients")
    assert response.status_code == 302
    for name in (VAR_ACCESS_TOKEN, VAR_REFRESH_TOKEN, VAR_PERMITTED_PLATFORMS):
        assert response.cookies[name].value == ""
    assert asked(backend) == []


def test_a_token_that_is_not_valid_yet_is_left_to_the_backend(backend: responses.RequestsMock, account: str) -> None:
    """One of the clocks is wrong: each request would refresh, and get another such token."""
    early = signed(account, KEY, nbf=2**40)
    backend.get(f"{BACKEND}/me", json=profile(account, "ENERGY_APP"))
    response = browser_with({VAR_ACCESS_TOKEN: early, VAR_REFRESH_TOKEN: f"r-{account}"}).get("/en/essentials")
    assert response.status_code == 200
    assert asked(backend) == ["GET /me"]
