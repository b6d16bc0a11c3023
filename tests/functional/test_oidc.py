"""Sign-in and refresh through a certified OpenID provider. Signing out is in `tests/browser/test_oidc.py`."""

from __future__ import annotations

import time
from collections.abc import Iterator

import jwt
import pytest

from portal.config.cookies import VAR_ACCESS_TOKEN
from tests.support.certified_provider import SECRET, certified_provider
from tests.support.harness import running_stack
from tests.support.http_browser import HttpBrowser
from tests.support.ports import free_port, free_port_base
from tests.support.provider_journeys import Site

ACCESS_TOKEN_TTL_S = 4


def wait_until_expired(access: str) -> None:
    """Until the token's own `exp` has passed; all servers here have this machine's clock."""
    end = float(jwt.decode(access, options={"verify_signature": False})["exp"])
    while (left := end - time.time()) >= 0:
        time.sleep(left + 0.01)


@pytest.fixture(scope="module")
def site(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Site]:
    base, port = free_port_base(), free_port()
    with certified_provider(
        port=port,
        gateway=f"http://localhost:{base}",
        access_token_ttl_s=ACCESS_TOKEN_TTL_S,
        groups={"none@example.com": ["accounts"]},
    ) as provider:
        variables = {
            "APP_OIDC_ISSUER": provider.issuer,
            "APP_OIDC_CLIENT_ID": "portal",
            "APP_OIDC_CLIENT_SECRET": SECRET,
            "APP_OIDC_SCOPES": "openid email profile offline_access",
            "APP_OIDC_AUTHORIZE_PARAMS": "prompt=consent&resource=urn:portal:api",
            "APP_OIDC_PERMISSIONS": "groups: accounts=FINANCE_APP",
            "SANDBOX_TRUSTED_ISSUER": provider.issuer,
        }
        with running_stack(tmp_path_factory.mktemp("stack"), port_base=base, **variables) as stack:
            yield Site(stack=stack, provider=provider)


@pytest.fixture
def browser() -> Iterator[HttpBrowser]:
    with HttpBrowser() as browser:
        yield browser


def test_a_claim_of_the_providers_own_gates_routes_and_the_profile_has_the_last_word(
    site: Site, browser: HttpBrowser
) -> None:
    assert site.sign_in(browser, email="none@example.com").headers["Location"] == "/en/profile"
    assert site.prompts == ["login", "consent"]
    # The token's group opens finance at the edge; the profile closes it. Energy the edge does not open at all.
    assert browser.get(site.url("finance", "/en/finance"), follow=False).status_code == 403
    assert browser.get(site.url("energy", "/en/energy"), follow=False).status_code == 302


def test_parallel_requests_of_two_applications_refresh_once_and_sign_nobody_out(site: Site) -> None:
    with HttpBrowser() as browser:
        site.sign_in(browser, email="all@example.com")
        for _ in range(2):
            wait_until_expired(str(browser.cookie(VAR_ACCESS_TOKEN)))
            cookies = {cookie.name: cookie.value for cookie in browser.http.cookies if cookie.name.startswith("VAR_")}
            pages = [
                site.url(app, path)
                for app, path in (("energy", "/en/energy/clients"), ("finance", "/en/finance/invoices"))
            ] * 6
            browser.http.cookies.update(site.refresh_in_parallel(cookies, pages))
        assert browser.http.get(site.url("energy", "/sign-in-state"), timeout=10).json()["signedIn"] is True
