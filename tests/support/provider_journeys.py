"""A person's way from the gateway to a real OpenID provider and back."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, field
from typing import Any
from urllib.parse import urljoin, urlsplit

import requests
from requests.cookies import RequestsCookieJar

from portal.config.cookies import VAR_ACCESS_TOKEN, VAR_REFRESH_TOKEN
from tests.support.certified_provider import CertifiedProvider
from tests.support.harness import RunningStack
from tests.support.http_browser import HttpBrowser, forms_of


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
