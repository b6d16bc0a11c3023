"""Sign-in and refresh through a certified OpenID provider. Signing out is in `tests/browser/test_oidc.py`."""

from __future__ import annotations

import time
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from urllib.parse import urljoin, urlsplit

import jwt
import pytest
import requests

from portal.config.cookies import VAR_ACCESS_TOKEN, VAR_REFRESH_TOKEN
from tests.support.certified_provider import SECRET, CertifiedProvider, certified_provider
from tests.support.harness import RunningStack, running_stack
from tests.support.http_browser import HttpBrowser, forms_of
from tests.support.ports import free_port, free_port_base

ACCESS_TOKEN_TTL_S = 4


@dataclass(frozen=True)
class World:
    stack: RunningStack
    provider: CertifiedProvider

    def url(self, app: str, path: str = "") -> str:
        return self.stack.url(app, path)

    def begin(self, browser: HttpBrowser) -> requests.Response:
        """To the gateway's sign-in page, and on to the provider's first form."""
        page = browser.get(self.url("auth_app", "/en/login"))
        assert page.status_code == 200
        assert 'type="password"' not in page.text
        return browser.get(self.url("auth_app", "/en/login/oidc"))

    def through_provider(self, browser: HttpBrowser, page: requests.Response, *, email: str) -> requests.Response:
        """Sign in and consent at the provider; the gateway's answer to the callback, not followed further."""
        while urlsplit(page.url).netloc == urlsplit(self.provider.issuer).netloc:
            action, fields = next((a, f) for a, f in forms_of(page) if "prompt" in f)
            answer = browser.post(urljoin(page.url, action), fields | {"login": email, "password": "any"})
            while answer.is_redirect:
                target = urljoin(answer.url, answer.headers["Location"])
                answer = browser.get(target, follow=False)
                if "/login/oidc/callback" in target:
                    return answer
            page = answer
        raise AssertionError(f"the provider never sent the browser back: {page.url}")

    def sign_in(self, browser: HttpBrowser, *, email: str) -> requests.Response:
        answer = self.through_provider(browser, self.begin(browser), email=email)
        assert answer.status_code == 303, answer.text
        assert browser.cookie(VAR_ACCESS_TOKEN)
        assert browser.cookie(VAR_REFRESH_TOKEN)
        return answer


def wait_until_expired(access: str) -> None:
    """Until the token's own `exp` has passed; all servers here have this machine's clock."""
    end = float(jwt.decode(access, options={"verify_signature": False})["exp"])
    while (left := end - time.time()) >= 0:
        time.sleep(left + 0.01)


@pytest.fixture(scope="module")
def world(tmp_path_factory: pytest.TempPathFactory) -> Iterator[World]:
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
            "APP_OIDC_PERMISSIONS": "groups: accounts=FINANCE_APP",
            "SANDBOX_TRUSTED_ISSUER": provider.issuer,
        }
        with running_stack(tmp_path_factory.mktemp("stack"), port_base=base, **variables) as stack:
            yield World(stack=stack, provider=provider)


@pytest.fixture
def browser() -> Iterator[HttpBrowser]:
    with HttpBrowser() as browser:
        yield browser


def test_a_claim_of_the_providers_own_gates_routes_and_the_profile_has_the_last_word(
    world: World, browser: HttpBrowser
) -> None:
    assert world.sign_in(browser, email="none@example.com").headers["Location"] == "/en/profile"
    # The token's group opens finance at the edge; the profile closes it. Energy the edge does not open at all.
    assert browser.get(world.url("finance", "/en/finance"), follow=False).status_code == 403
    assert browser.get(world.url("energy", "/en/energy"), follow=False).status_code == 302


def test_parallel_requests_of_two_applications_refresh_once_and_sign_nobody_out(world: World) -> None:
    with HttpBrowser() as browser:
        world.sign_in(browser, email="all@example.com")
        for _ in range(2):
            before = int(str(world.provider.counts()["refreshes"]))
            wait_until_expired(str(browser.cookie(VAR_ACCESS_TOKEN)))
            # The very same cookies in every request, as a browser with many tabs sends them.
            cookies = {cookie.name: cookie.value for cookie in browser.http.cookies if cookie.name.startswith("VAR_")}
            pages = [
                world.url(app, path)
                for app, path in (
                    ("energy", "/en/energy/clients"),
                    ("finance", "/en/finance/invoices"),
                )
            ] * 6

            def ask(url: str, sent: dict[str, str] = cookies) -> requests.Response:
                return requests.get(
                    url, cookies=sent, headers={"Accept": "text/html"}, allow_redirects=False, timeout=30
                )

            with ThreadPoolExecutor(len(pages)) as pool:
                answers = list(pool.map(ask, pages))
            assert [answer.status_code for answer in answers] == [200] * len(pages)
            given = {answer.cookies.get(VAR_REFRESH_TOKEN) for answer in answers}
            assert len(given - {None}) == 1
            assert int(str(world.provider.counts()["refreshes"])) == before + 1
            browser.http.cookies.update(answers[0].cookies)
        assert browser.http.get(world.url("energy", "/sign-in-state"), timeout=10).json()["signedIn"] is True
