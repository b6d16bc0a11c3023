"""A browser without scripts, as far as the functional tests need one: cookies, forms, redirects."""

from typing import Self
from urllib.parse import urljoin

import requests

from portal.config.cookies import VAR_ACCESS_TOKEN, VAR_REFRESH_TOKEN
from tests.support.html_forms import Page

PAGE_HEADERS = {"Accept": "text/html", "Sec-Fetch-Mode": "navigate"}
TIMEOUT_S = 20


class HttpBrowser:
    """One person's browser. `localhost` with several ports shares cookies, as in a real one."""

    def __init__(self) -> None:
        self.http = requests.Session()
        self.http.trust_env = False

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.http.close()

    def get(self, url: str, *, follow: bool = True, **headers: str) -> requests.Response:
        return self.http.get(url, headers=PAGE_HEADERS | headers, allow_redirects=follow, timeout=TIMEOUT_S)

    def post(self, url: str, fields: dict[str, str], *, follow: bool = False, **headers: str) -> requests.Response:
        return self.http.post(
            url, data=fields, headers=PAGE_HEADERS | headers, allow_redirects=follow, timeout=TIMEOUT_S
        )

    def submit(self, page: requests.Response, action: str, *, follow: bool = True, **fields: str) -> requests.Response:
        """Send the form of a page whose action ends with `action`, with these fields filled in."""
        for form_action, values in forms_of(page):
            url = urljoin(page.url, form_action)
            if url.endswith(action):
                return self.post(url, values | fields, follow=follow)
        raise AssertionError(f"{page.url} has no form for {action}: {[a for a, _ in forms_of(page)]}")

    def sign_in(self, gateway: str, *, email: str, password: str = "demo", **fields: str) -> requests.Response:
        page = self.get(f"{gateway}/en/login")
        return self.submit(page, "/login", follow=False, email=email, password=password, **fields)

    def take(self, tokens: dict[str, str], *, domain: str = "localhost.local") -> Self:
        """Take the token pair of a sign-in at the backend itself."""
        for name, value in ((VAR_ACCESS_TOKEN, tokens["accessToken"]), (VAR_REFRESH_TOKEN, tokens["refreshToken"])):
            self.http.cookies.set(name, value, domain=domain)
        return self

    def cookie(self, name: str) -> str | None:
        found = [cookie.value for cookie in self.http.cookies if cookie.name == name]
        return found[-1] if found else None


def forms_of(page: requests.Response) -> list[tuple[str, dict[str, str]]]:
    """The action of each form, and its inputs with their values."""
    return [
        (form.action, {field.name: field.value for field in form.fields if field.kind not in {"select", "textarea"}})
        for form in Page(page.text).forms
    ]
