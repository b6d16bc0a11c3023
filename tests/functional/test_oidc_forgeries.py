"""What must never sign anybody in, or out: each is answered with a page of its own, by the real gateway."""

import json
from collections.abc import Iterator
from pathlib import Path
from urllib.parse import parse_qs, quote, urlsplit

import pytest
import requests
from cryptography.hazmat.primitives.asymmetric import rsa

from portal.config.cookies import VAR_ACCESS_TOKEN, VAR_REFRESH_TOKEN
from tests.support.fake_provider import CLIENT_ID, CLIENT_SECRET, FakeProvider, fake_provider
from tests.support.harness import running_stack
from tests.support.http_browser import HttpBrowser, forms_of

OTHER_KEY = rsa.generate_private_key(public_exponent=65537, key_size=2048)


class Gateway:
    def __init__(self, url: str, provider: FakeProvider, log: Path) -> None:
        self.url = url
        self.log = log
        self.provider = provider

    def begin(self, browser: HttpBrowser, *, next_url: str = "") -> str:
        """Set out to the provider; the attempt's state."""
        answer = browser.get(f"{self.url}/de/login/oidc?next={quote(next_url, safe='')}", follow=False)
        assert answer.status_code == 302, answer.text
        location = answer.headers["Location"]
        assert location.startswith(f"{self.provider.issuer}/auth?")
        asked = {name: values[0] for name, values in parse_qs(urlsplit(location).query).items()}
        assert asked["response_type"] == "code"
        assert asked["code_challenge_method"] == "S256"
        assert asked["redirect_uri"] == f"{self.url}/login/oidc/callback"
        self.provider.nonce = asked["nonce"]
        return asked["state"]

    def come_back(self, browser: HttpBrowser, state: str, **query: str) -> requests.Response:
        params = "&".join(f"{name}={quote(value, safe='')}" for name, value in {"state": state, **query}.items())
        return browser.get(f"{self.url}/login/oidc/callback?{params}", follow=False)

    def sign_in(self, browser: HttpBrowser, *, next_url: str = "") -> requests.Response:
        return self.come_back(browser, self.begin(browser, next_url=next_url), code="a-code")

    def end(self, logout_token: str) -> requests.Response:
        return requests.post(f"{self.url}/oidc/backchannel-logout", data={"logout_token": logout_token}, timeout=20)


@pytest.fixture(scope="module")
def served(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Gateway]:
    with fake_provider() as (provider, _):
        variables = {
            "APP_OIDC_ISSUER": provider.issuer,
            "APP_OIDC_CLIENT_ID": CLIENT_ID,
            "APP_OIDC_CLIENT_SECRET": CLIENT_SECRET,
            "SANDBOX_TRUSTED_ISSUER": provider.issuer,
        }
        folder = tmp_path_factory.mktemp("stack")
        with running_stack(folder, without=("energy", "operations", "finance"), **variables) as stack:
            yield Gateway(stack.url("auth_app"), provider, stack.log)


@pytest.fixture
def gateway(served: Gateway) -> Gateway:
    served.provider.reset()
    return served


@pytest.fixture
def browser() -> Iterator[HttpBrowser]:
    with HttpBrowser() as browser:
        yield browser


def assert_nobody_is_signed_in(browser: HttpBrowser, answer: requests.Response, *, status: int, failure: str) -> None:
    assert answer.status_code == status, answer.text
    assert f'data-failure="{failure}"' in answer.text
    assert browser.cookie(VAR_ACCESS_TOKEN) is None
    assert browser.cookie(VAR_REFRESH_TOKEN) is None


def test_honest_provider_signs_in(gateway: Gateway, browser: HttpBrowser) -> None:
    gateway.provider.claims |= {"permissions": ["FINANCE_APP"]}
    answer = gateway.sign_in(browser, next_url="https://evil.example/")
    assert (answer.status_code, answer.headers["Location"]) == (303, "/de/finance")
    assert browser.cookie(VAR_ACCESS_TOKEN)
    form = gateway.provider.forms[0]
    assert form["grant_type"] == "authorization_code"
    assert len(form["code_verifier"]) >= 43


#: Each flaw by itself is a matter of tests/portal_oidc/test_id_tokens.py.
def test_wrong_id_token_signs_nobody_in(gateway: Gateway, browser: HttpBrowser) -> None:
    p = gateway.provider
    for flaw, says, key in (("signature", {}, OTHER_KEY), ("nonce", {"nonce": "of another attempt"}, p.key)):
        p.make_id_token = lambda claims, says=says, key=key: p.sign(claims | says, key=key)
        assert_nobody_is_signed_in(browser, gateway.sign_in(browser), status=502, failure=f"id-token-{flaw}")


def test_used_code_signs_nobody_in(gateway: Gateway, browser: HttpBrowser) -> None:
    for status, error, page, failure in (
        (400, "invalid_grant", 400, "code-refused"),
        (401, "invalid_client", 502, "provider-error"),
        (500, "", 503, "provider-down"),
    ):
        gateway.provider.token_answer = (status, {"error": error, "error_description": "<b>used</b>"} if error else {})
        answer = gateway.sign_in(browser)
        assert_nobody_is_signed_in(browser, answer, status=page, failure=failure)
        assert "<b>used</b>" not in answer.text


def test_an_attempt_of_another_browser_signs_nobody_in(gateway: Gateway, browser: HttpBrowser) -> None:
    with HttpBrowser() as attacker:
        stolen = gateway.begin(attacker)
    own = gateway.begin(browser)
    for state in (stolen, "", "guessed", "ü\x00"):
        answer = gateway.come_back(browser, state, code="the-attackers-code")
        assert_nobody_is_signed_in(browser, answer, status=400, failure="unknown-attempt")
    (cookie,) = (cookie for cookie in browser.http.cookies if cookie.name.startswith("oidc_"))
    assert cookie.value is not None
    cookie.value = cookie.value[:-4] + ("AAAA" if not cookie.value.endswith("AAAA") else "BBBB")
    answer = gateway.come_back(browser, own, code="a-code")
    assert_nobody_is_signed_in(browser, answer, status=400, failure="unknown-attempt")
    assert gateway.provider.forms == []


def test_code_of_another_issuer_signs_nobody_in(gateway: Gateway, browser: HttpBrowser) -> None:
    answer = gateway.come_back(browser, gateway.begin(browser), code="a-code", iss="https://other.example")
    assert_nobody_is_signed_in(browser, answer, status=502, failure="id-token-issuer")
    assert gateway.provider.forms == []


def test_an_attempt_ends_once_whatever_became_of_it(gateway: Gateway, browser: HttpBrowser) -> None:
    for query in ({"error": "access_denied"}, {"code": "a-code"}):
        state = gateway.begin(browser)
        gateway.come_back(browser, state, **query)
        again = gateway.come_back(browser, state, code="a-code")
        assert (again.status_code, 'data-failure="unknown-attempt"' in again.text) == (400, True)
    assert [form["grant_type"] for form in gateway.provider.forms].count("authorization_code") == 1


def test_the_password_form_signs_nobody_in(gateway: Gateway, browser: HttpBrowser) -> None:
    page = browser.get(f"{gateway.url}/en/login")
    assert 'type="password"' not in page.text
    # The page has no form for it; that of the language has the token that every form of this app is sent with.
    token = next(fields["csrfmiddlewaretoken"] for _, fields in forms_of(page) if "csrfmiddlewaretoken" in fields)
    answer = browser.post(page.url, {"email": "all@example.com", "password": "demo", "csrfmiddlewaretoken": token})
    assert (answer.status_code, answer.headers["Location"]) == (303, "/en/login")
    assert browser.cookie(VAR_ACCESS_TOKEN) is None


def state_of(gateway: Gateway, browser: HttpBrowser) -> bool:
    answer = browser.http.get(f"{gateway.url}/sign-in-state", timeout=20)
    return bool(answer.json()["signedIn"])


def test_a_logout_token_ends_that_session_and_no_other(gateway: Gateway, browser: HttpBrowser) -> None:
    with HttpBrowser() as other:
        gateway.provider.claims["sid"] = "s-2"
        assert gateway.sign_in(other).status_code == 303
        gateway.provider.claims["sid"] = "s-3"
        assert gateway.sign_in(browser).status_code == 303
        logout_token = gateway.provider.logout_token(sid="s-3")
        assert [gateway.end(logout_token).status_code for _ in range(2)] == [200, 400], "it counts once"
        assert state_of(gateway, browser) is False
        lines = [json.loads(line) for line in gateway.log.read_text().splitlines() if '"portal.audit"' in line]
        began, ended, _ = lines[-3:]
        assert (began["outcome"], began["method"], began["user_verified"]) == ("success", "openid", True)
        assert (ended["event"], ended["outcome"], "user" in ended) == ("sign-out-by-provider", "success", False)
        assert ended["provider_session"] == began["provider_session"]
        assert browser.cookie(VAR_REFRESH_TOKEN) is None
        assert state_of(gateway, other) is True


def test_no_line_of_the_log_holds_what_the_provider_signed_or_was_sent(gateway: Gateway, browser: HttpBrowser) -> None:
    with HttpBrowser() as other:
        _sign_in_and_fail(gateway, browser, other)
    log = gateway.log.read_text()
    assert "the ID token is not accepted" in log
    secrets = {"code_verifier", "code", "refresh_token"}
    sent = [text for form in gateway.provider.forms for name, text in form.items() if name in secrets]
    for secret in {*gateway.provider.issued, *sent, CLIENT_SECRET, "wilhelmina@private.example"} - {"a-code"}:
        for part in {secret, secret.rpartition(".")[2]}:
            assert part not in log


def _sign_in_and_fail(gateway: Gateway, browser: HttpBrowser, other: HttpBrowser) -> None:
    gateway.provider.claims |= {"permissions": ["FINANCE_APP"], "email": "wilhelmina@private.example"}
    assert gateway.sign_in(browser).status_code == 303
    assert gateway.end(gateway.provider.logout_token()).status_code == 200
    assert gateway.end(gateway.provider.logout_token(aud="another-client")).status_code == 400
    gateway.provider.make_id_token = lambda claims: gateway.provider.sign(claims, key=OTHER_KEY)
    assert gateway.sign_in(other).status_code >= 400
    gateway.provider.token_answer = (
        400,
        {"error": "invalid_grant", "error_description": " ".join(gateway.provider.issued)},
    )
    assert gateway.come_back(other, gateway.begin(other), code="a-code-of-its-own").status_code == 400
