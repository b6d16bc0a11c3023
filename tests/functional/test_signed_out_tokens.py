"""After a sign-out its tokens open nothing, though the backend would still accept them: it has not heard of the end."""

import pytest

from portal.config.cookies import VAR_ACCESS_TOKEN, VAR_REFRESH_TOKEN
from tests.support.backend_proxy import BackendProxy
from tests.support.harness import RunningStack
from tests.support.http_browser import HttpBrowser


@pytest.mark.parametrize(
    ("app", "kept"), [("energy", (VAR_ACCESS_TOKEN, VAR_REFRESH_TOKEN)), ("operations", (VAR_ACCESS_TOKEN,))]
)
def test_signed_out_tokens_open_nothing(
    stack: RunningStack, proxy: BackendProxy, app: str, kept: tuple[str, ...]
) -> None:
    proxy.failing.add("/auth/logout")
    pair = stack.tokens("all@example.com")
    with HttpBrowser() as browser:
        browser.take(pair)
        assert browser.get(stack.url(app, f"/en/{app}")).status_code == 200
        asked = browser.get(stack.url("energy", "/en/logout"))
        assert browser.submit(asked, "/logout", follow=False).status_code == 303
        assert browser.cookie(VAR_ACCESS_TOKEN) is None
    with HttpBrowser() as thief:
        bearer = {"Authorization": f"Bearer {pair['accessToken']}"}
        assert thief.http.get(f"{stack.backend}/me", headers=bearer, timeout=20).status_code == 200
        replay(thief, pair, kept)
        state = thief.http.get(stack.url(app, "/sign-in-state"), timeout=20).json()
        assert state == {"signedIn": False, "account": None}
    with HttpBrowser() as thief:
        replay(thief, pair, kept)
        answer = thief.get(stack.url(app, f"/en/{app}"), follow=False)
        assert (answer.status_code, answer.headers["Location"]) == (302, "/")
        assert thief.cookie(VAR_ACCESS_TOKEN) is None


def replay(thief: HttpBrowser, pair: dict[str, str], kept: tuple[str, ...]) -> None:
    thief.take(pair)
    if VAR_REFRESH_TOKEN not in kept:
        thief.http.cookies.clear("localhost.local", "/", VAR_REFRESH_TOKEN)
