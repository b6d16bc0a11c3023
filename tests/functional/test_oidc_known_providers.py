"""Sign-in, refresh and sign-out at real providers that are set up like those that people use.

`docs/how-to/sign-in-with-openid-connect.md` has the same variables in a table.
"""

import json
import time
from collections.abc import Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, field
from typing import Any
from urllib.parse import urljoin, urlsplit

import jwt
import pytest
import requests
from requests.cookies import RequestsCookieJar

from portal.config.cookies import VAR_ACCESS_TOKEN, VAR_PERMITTED_PLATFORMS, VAR_REFRESH_TOKEN
from portal.telemetry.audit import tag_of
from tests.support.certified_provider import SECRET, CertifiedProvider, certified_providers
from tests.support.command_line import run_command
from tests.support.harness import RunningStack, running_stack
from tests.support.http_browser import HttpBrowser, forms_of
from tests.support.ports import free_port, free_port_base

ACCESS_TOKEN_TTL_S = 4
API = "urn:portal:api"
GROUPS = {"energy@example.com": ["staff", "ENERGY_APP"]}


@dataclass(frozen=True)
class Known:
    """A provider as people use it.

    :param like: its name in `provider.mjs`.
    :param variables: what it needs beside issuer, client and scopes.
    """

    like: str
    scopes: str
    variables: dict[str, str] = field(default_factory=dict)
    gateway: int = field(default_factory=free_port_base)


KNOWN = {
    "keycloak": Known(
        "keycloak",
        "openid profile email",
        {"APP_OIDC_PERMISSIONS": "groups: staff=ENERGY_APP", "APP_JWT_AUDIENCE": API},
    ),
    "auth0": Known("auth0", "openid profile email offline_access", {"APP_OIDC_AUTHORIZE_PARAMS": f"audience={API}"}),
    "entra": Known(
        "entra",
        f"openid profile email offline_access {API}/read",
        {
            "APP_OIDC_TOKEN_PARAMS": f"scope=openid {API}/read",
            "APP_OIDC_PERMISSIONS": "roles: staff=ENERGY_APP",
        },
    ),
    "opaque": Known("auth0", "openid profile email offline_access", {"APP_OIDC_ACCESS_TOKENS": "opaque"}),
}


@dataclass(frozen=True)
class Site:
    """Servers, and the provider that signs their users in.

    :ivar prompts: what the provider has asked a person for, in its order.
    """

    stack: RunningStack
    provider: CertifiedProvider
    prompts: list[str] = field(default_factory=list)

    def url(self, app: str, path: str = "") -> str:
        return self.stack.url(app, path)

    def begin(self, browser: HttpBrowser) -> requests.Response:
        """To the gateway's sign-in page, and on to the provider's first form."""
        page = browser.get(self.url("auth_app", "/en/login"))
        assert page.status_code == 200
        assert 'type="password"' not in page.text
        return browser.get(self.url("auth_app", "/en/login/oidc"))

    def through_provider(self, browser: HttpBrowser, page: requests.Response, *, email: str) -> requests.Response:
        """Answer what the provider asks for; the gateway's answer to the callback, not followed further."""
        while urlsplit(page.url).netloc == urlsplit(self.provider.issuer).netloc:
            action, fields = next((a, f) for a, f in forms_of(page) if "prompt" in f)
            self.prompts.append(fields["prompt"])
            for answer in _redirected(browser, urljoin(page.url, action), fields | {"login": email, "password": "any"}):
                if "/login/oidc/callback" in answer.url:
                    return answer
                page = answer
        raise AssertionError(f"the provider never sent the browser back: {page.url}")

    def sign_in(self, browser: HttpBrowser, *, email: str) -> requests.Response:
        answer = self.through_provider(browser, self.begin(browser), email=email)
        assert answer.status_code == 303, answer.text
        assert browser.cookie(VAR_ACCESS_TOKEN)
        return answer

    def refreshes(self) -> int:
        return int(str(self.provider.counts()["refreshes"]))

    def refresh_in_parallel(self, cookies: dict[str, Any], pages: Sequence[str]) -> RequestsCookieJar:
        """Ask for pages at once with the very same cookies, as a browser with many tabs does: one of them refreshes."""
        before = self.refreshes()

        def ask(url: str) -> requests.Response:
            headers = {"Accept": "text/html"}
            return requests.get(url, cookies=cookies, headers=headers, allow_redirects=False, timeout=30)

        with ThreadPoolExecutor(len(pages)) as pool:
            answers = list(pool.map(ask, pages))
        assert [answer.status_code for answer in answers] == [200] * len(pages)
        new = {answer.cookies.get(VAR_REFRESH_TOKEN) for answer in answers} - {None}
        assert (len(new), self.refreshes()) == (1, before + 1)
        return next(answer.cookies for answer in answers if VAR_REFRESH_TOKEN in answer.cookies)

    def sign_out_at_provider(self, browser: HttpBrowser) -> None:
        """At the provider's own page, which the gateway is told of."""
        page = browser.get(f"{self.provider.issuer}/session/end")
        action, fields = next((a, f) for a, f in forms_of(page) if "xsrf" in f)
        assert browser.post(urljoin(page.url, action), fields | {"logout": "yes"}, follow=True).ok


def _redirected(browser: HttpBrowser, url: str, fields: dict[str, str]) -> Iterator[requests.Response]:
    answer = browser.post(url, fields)
    yield answer
    while answer.is_redirect:
        answer = browser.get(urljoin(answer.url, answer.headers["Location"]), follow=False)
        yield answer


@pytest.fixture(scope="module")
def providers() -> Iterator[dict[str, CertifiedProvider]]:
    gateways: dict[str, list[str]] = {}
    for known in KNOWN.values():
        gateways.setdefault(known.like, []).append(f"http://localhost:{known.gateway}")
    likes = {like: (free_port(), addresses) for like, addresses in gateways.items()}
    with certified_providers(likes, access_token_ttl_s=ACCESS_TOKEN_TTL_S, groups=GROUPS) as started:
        yield started


def served(
    name: str, providers: dict[str, CertifiedProvider], tmp_path_factory: pytest.TempPathFactory
) -> Iterator[Site]:
    known, provider = KNOWN[name], providers[KNOWN[name].like]
    variables = {
        "APP_OIDC_ISSUER": provider.issuer,
        "APP_OIDC_CLIENT_ID": "portal",
        "APP_OIDC_CLIENT_SECRET": SECRET,
        "APP_OIDC_SCOPES": known.scopes,
        "SANDBOX_TRUSTED_ISSUER": provider.issuer,
        **known.variables,
    }
    if "APP_JWT_AUDIENCE" in variables:
        variables |= {"APP_JWT_JWKS_URL": f"{provider.issuer}/jwks", "APP_JWT_ISSUER": provider.issuer}
    without = ("operations", "finance")
    folder = tmp_path_factory.mktemp(name)
    with running_stack(folder, port_base=known.gateway, without=without, development=True, **variables) as stack:
        yield Site(stack=stack, provider=provider)


@pytest.fixture(scope="module", params=["keycloak", "auth0", "entra"])
def site(
    request: pytest.FixtureRequest,
    providers: dict[str, CertifiedProvider],
    tmp_path_factory: pytest.TempPathFactory,
) -> Iterator[Site]:
    yield from served(request.param, providers, tmp_path_factory)


@pytest.fixture(scope="module")
def opaque(providers: dict[str, CertifiedProvider], tmp_path_factory: pytest.TempPathFactory) -> Iterator[Site]:
    yield from served("opaque", providers, tmp_path_factory)


@pytest.fixture
def browser() -> Iterator[HttpBrowser]:
    with HttpBrowser() as browser:
        yield browser


def clients(site: Site, browser: HttpBrowser) -> requests.Response:
    return browser.get(site.url("energy", "/en/energy/clients"), follow=False)


def at_provider(site: Site, path: str, access: str | None) -> requests.Response:
    return requests.get(f"{site.provider.issuer}{path}", headers={"Authorization": f"Bearer {access}"}, timeout=10)


def end_of_token(site: Site, browser: HttpBrowser) -> dict[str, str | None]:
    """The backend takes the browser's opaque access token no more. The cookies that the browser has."""
    assert at_provider(site, "/end-of-token", browser.cookie(VAR_ACCESS_TOKEN)).ok
    return {cookie.name: cookie.value for cookie in browser.http.cookies if cookie.name.startswith("VAR_")}


def test_a_person_signs_in_without_consent_stays_signed_in_and_signs_out(site: Site, browser: HttpBrowser) -> None:
    assert site.sign_in(browser, email="energy@example.com").headers["Location"] == "/en/energy"
    assert site.prompts == ["login"]
    assert clients(site, browser).status_code == 200
    refresh, before = browser.cookie(VAR_REFRESH_TOKEN), site.refreshes()
    claims = jwt.decode(str(browser.cookie(VAR_ACCESS_TOKEN)), options={"verify_signature": False})
    assert claims["aud"] == API
    while (left := claims["exp"] - time.time()) >= 0:
        time.sleep(left + 0.01)
    assert clients(site, browser).status_code == 200
    assert site.refreshes() == before + 1
    assert browser.cookie(VAR_REFRESH_TOKEN) not in {None, refresh}
    out = browser.submit(browser.get(site.url("auth_app", "/en/logout")), "/logout", follow=False)
    assert out.headers["Location"].startswith(f"{site.provider.issuer}/session/end?")
    assert browser.cookie(VAR_ACCESS_TOKEN) is None
    assert clients(site, browser).status_code == 302


def test_an_opaque_access_token_opens_what_the_profile_names(opaque: Site, browser: HttpBrowser) -> None:
    assert opaque.sign_in(browser, email="energy@example.com").headers["Location"] == "/en/energy"
    access = browser.cookie(VAR_ACCESS_TOKEN)
    assert access is not None
    assert "." not in access
    assert json.loads(requests.utils.unquote(str(browser.cookie(VAR_PERMITTED_PLATFORMS)))) == ["ENERGY"]
    lines = [json.loads(line) for line in opaque.stack.log.read_text().splitlines() if '"portal.audit"' in line]
    assert (lines[-1]["event"], lines[-1]["user"]) == ("sign-in", tag_of("energy@example.com"))
    before = opaque.refreshes()
    assert clients(opaque, browser).status_code == 200
    # Nothing is renewed while the backend takes the token, and the browser keeps it.
    assert (opaque.refreshes(), browser.cookie(VAR_ACCESS_TOKEN)) == (before, access)


def test_parallel_requests_with_an_opaque_token_that_has_ended_refresh_once(opaque: Site, browser: HttpBrowser) -> None:
    opaque.sign_in(browser, email="energy@example.com")
    for _ in range(2):
        pages = [opaque.url("energy", path) for path in ("/en/energy/clients", "/en/energy/meters")] * 4
        browser.http.cookies.update(opaque.refresh_in_parallel(end_of_token(opaque, browser), pages))


def test_a_browser_that_never_got_the_new_opaque_token_goes_on(opaque: Site, browser: HttpBrowser) -> None:
    opaque.sign_in(browser, email="energy@example.com")
    cookies, before = end_of_token(opaque, browser), opaque.refreshes()
    lost = requests.get(opaque.url("energy", "/en/energy/clients"), cookies=cookies, allow_redirects=False, timeout=30)
    assert lost.cookies[VAR_ACCESS_TOKEN] != cookies[VAR_ACCESS_TOKEN]
    # The answer was lost, and the browser comes with the old pair.
    assert clients(opaque, browser).status_code == 200
    assert browser.cookie(VAR_ACCESS_TOKEN) == lost.cookies[VAR_ACCESS_TOKEN]
    assert opaque.refreshes() == before + 1


def test_a_sign_out_at_the_provider_ends_a_sign_in_with_an_opaque_token(opaque: Site, browser: HttpBrowser) -> None:
    opaque.sign_in(browser, email="energy@example.com")
    assert clients(opaque, browser).status_code == 200
    opaque.sign_out_at_provider(browser)
    ended = clients(opaque, browser)
    assert (ended.status_code, ended.headers["Location"]) == (302, "/")
    assert browser.cookie(VAR_ACCESS_TOKEN) is None


def test_a_sign_out_here_revokes_the_opaque_tokens(opaque: Site, browser: HttpBrowser) -> None:
    opaque.sign_in(browser, email="energy@example.com")
    access = browser.cookie(VAR_ACCESS_TOKEN)
    browser.submit(browser.get(opaque.url("auth_app", "/en/logout")), "/logout", follow=False)
    assert at_provider(opaque, "/me", access).status_code == 401
    browser.http.cookies.set(VAR_ACCESS_TOKEN, access, domain="localhost.local")
    assert clients(opaque, browser).status_code == 302


def test_an_operator_ends_sign_ins_whose_tokens_name_nobody(opaque: Site, browser: HttpBrowser) -> None:
    opaque.sign_in(browser, email="energy@example.com")
    assert clients(opaque, browser).status_code == 200
    revoked = int(str(opaque.provider.counts()["revocations"]))
    with HttpBrowser() as other:
        opaque.sign_in(other, email="all@example.com")
        run_command("sign_out_user", "energy@example.com", app="auth_app", status=0, **opaque.stack.variables)
        ended = clients(opaque, browser)
        assert (ended.status_code, ended.headers["Location"]) == (302, "/")
        assert int(str(opaque.provider.counts()["revocations"])) == revoked + 1
        assert clients(opaque, other).status_code == 200
