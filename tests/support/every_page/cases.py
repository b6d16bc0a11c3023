"""A case: one page or fragment in one state, and what its steps may use."""

from __future__ import annotations

import hashlib
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field
from itertools import count
from typing import Any

import responses
from django.http.response import HttpResponseBase
from django.test import Client

from portal.config.cookies import VAR_ACCESS_TOKEN, VAR_REFRESH_TOKEN
from portal.testing import Backend

#: Every request has this id, so that two runs of a case differ in less.
REQUEST_ID = "the-request"
#: htmx asks for a part of a list.
HTMX_LIST = {"hx-request": "true", "hx-target": "list"}
HTMX_ROWS = {"hx-request": "true", "hx-target": "rows"}
#: The user presses "reload": what is cached does not do.
RELOAD = {"cache-control": "no-cache"}
#: A script asks, not a person.
PROGRAM = {"accept": "application/json", "sec-fetch-mode": "cors"}


class Browser(Client):
    """A browser without scripts. `at` and `send` add the locale to the path, `get` and `post` do not."""

    visit: Visit

    def at(self, path: str, **headers: str) -> HttpResponseBase:
        """Open a page in the visit's language."""
        return self.get(self.visit.path(path), headers=headers)

    def send(self, path: str, form: Mapping[str, Any] | None = None, **headers: str) -> HttpResponseBase:
        """Send a form to a page in the visit's language."""
        return self.post(self.visit.path(path), dict(form or {}), headers=headers)

    def request(self, **request: Any) -> Any:
        """One request, whose response the visit keeps."""
        self.visit.last = self, request
        response = self.ask(**request)
        self.visit.responses.append(response)
        return response

    def ask(self, **request: Any) -> Any:
        """One request."""
        response = super().request(**request)
        for name, cookie in response.cookies.items():
            if cookie["max-age"] == 0:
                # As a browser does; Django's client would send it, empty.
                del self.cookies[name]
        return response


@dataclass(kw_only=True)
class Visit:
    """One run of a case.

    :param name: of the run, unique. It gives the users their ids, so that these are the same each time: which pages of
        a user share a place in the cache depends on the id.
    :param address: of the browser; another one for each visit.
    :param permissions: those that open the app.
    :param http: mocks every server but the backend.
    :param handlers: the app's handlers by whether they check CSRF tokens; a client's own would load all middlewares.
    :ivar responses: every response, in order.
    :ivar last: the last request, and the browser that made it.
    """

    name: str
    locale: str
    address: str
    permissions: tuple[str, ...]
    backend: Backend
    http: responses.RequestsMock
    handlers: Mapping[bool, Any]
    responses: list[HttpResponseBase] = field(default_factory=list)
    last: tuple[Browser, dict[str, Any]] = field(init=False)
    _user_numbers: Iterator[int] = field(default_factory=count)

    def path(self, path: str) -> str:
        """The path with the visit's locale."""
        return f"/{self.locale}{path}"

    def signed_out(self, *, checks_csrf: bool = False, **cookies: str) -> Browser:
        """A browser without a sign-in."""
        headers = {
            "accept": "text/html",
            "accept-language": self.locale,
            "sec-fetch-mode": "navigate",
            "user-agent": "Mozilla/5.0 (X11; Linux x86_64; rv:140.0) Gecko/20100101 Firefox/140.0",
            "x-request-id": REQUEST_ID,
        }
        browser = Browser(headers=headers, raise_request_exception=False, REMOTE_ADDR=self.address)
        browser.handler = self.handlers[checks_csrf]
        browser.visit = self
        for name, value in cookies.items():
            browser.cookies[name] = value
        return browser

    def user(
        self,
        *permissions: str,
        expired: bool = False,
        checks_csrf: bool = False,
        without: tuple[str, ...] = (),
        **profile: Any,
    ) -> Browser:
        """A browser whose user is signed in.

        :param permissions: by default those that open the app.
        :param without: names of the cookies that the browser lacks.
        :param profile: fields of `/me` in place of the default ones.
        """
        account = f"acc_{hashlib.sha256(f'{self.name}, {next(self._user_numbers)}'.encode()).hexdigest()[:32]}"
        made = self.backend.sign_in(*(permissions or self.permissions), account=account, expired=expired, **profile)
        tokens = {VAR_ACCESS_TOKEN: made.access, VAR_REFRESH_TOKEN: made.refresh}
        cookies = {name: token for name, token in tokens.items() if name not in without}
        return self.signed_out(checks_csrf=checks_csrf, **cookies)


@dataclass(frozen=True, kw_only=True)
class Case:
    """A page in one state.

    :param site: the app, or `auth_app+oidc` for the gateway with an OpenID provider.
    :param name: unique in its site.
    :param steps: makes the requests, the last one for the page.
    :param status: of the last response.
    :param shows: texts that the last response shows, each exactly.
    """

    site: str
    name: str
    steps: Callable[[Visit], object]
    status: int = 200
    shows: tuple[str, ...] = ()

    @property
    def id(self) -> str:
        """Unique among all cases."""
        return f"{self.site}: {self.name}"


Steps = Callable[[Visit], object]
