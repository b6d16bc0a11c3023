"""A browser at the pages of customers, what it gets, and a row as a backend keeps it that honours `If-Match`."""

from __future__ import annotations

import html
import json
from collections.abc import Callable
from typing import Any

import pytest
from django.contrib.messages import get_messages
from django.test import Client as Browser

from portal.testing import Backend
from portal.testing.backend import Call
from tests.portal_pages.customers import CUSTOMERS
from tests.support.html_forms import Form
from tests.support.html_forms import Page as HtmlPage

PAGE, HERE, NEW = "/en/energy/clients", "/en/energy/clients/c1", "/en/energy/clients/new"
FORM = f"{HERE}/edit"
#: The row's address in the backend.
ROW = f"{CUSTOMERS}/c1"


class Page:
    """A response as a person and a browser read it.

    :ivar html: as it was sent; `text` is without escapes.
    """

    def __init__(self, response: Any) -> None:
        self.response, self.status, self.location = response, response.status_code, response.get("Location", "")
        self.html = response.content.decode()
        self.text = html.unescape(self.html)

    @property
    def said(self) -> list[str]:
        """The messages that the next page shows."""
        return [str(message) for message in get_messages(self.response.wsgi_request)]

    @property
    def forms(self) -> dict[str, dict[str, str]]:
        """Address to fields of each form that is posted, as a browser sends them when nothing is chosen anew."""
        return {form.action: _sent(form) for form in HtmlPage(self.html).forms if form.method == "post"}

    @property
    def fields(self) -> dict[str, str]:
        """Those of the page's own form."""
        return _sent(HtmlPage(self.html[self.html.index('<form class="card-body form"') :]).forms[0])


def _sent(form: Form) -> dict[str, str]:
    return {each.name: each.value for each in form.fields if each.kind != "radio"}


class Site:
    """A browser of somebody who is signed in, and the backend behind the pages."""

    def __init__(self, backend: Backend, browser: Browser) -> None:
        self.backend, self.browser = backend, browser

    def get(self, path: str = HERE, **headers: str) -> Page:
        return Page(self.browser.get(path, headers=headers))

    def post(self, path: str, sent: dict[str, Any] | None = None, **headers: str) -> Page:
        return Page(self.browser.post(path, sent or {}, headers=headers))

    def send(self, shown: Page | dict[str, str], **typed: str) -> Page:
        """Send the edit form that a page showed."""
        return self.post(FORM, (shown.fields if isinstance(shown, Page) else shown) | typed)

    def writes(self, path: str = ROW, method: str = "PATCH") -> list[tuple[str | None, Any]]:
        """What was sent, each with the version that it was to change."""
        return [(call.headers.get("if-match"), call.body) for call in self.backend.calls_to(path, method=method)]

    def bodies(self, path: str = ROW, method: str = "PATCH") -> list[Any]:
        return [body for _, body in self.writes(path, method)]

    def keys(self, path: str, method: str) -> set[str]:
        """Under how many keys these were sent."""
        return {call.headers["idempotency-key"] for call in self.backend.calls_to(path, method=method)}


class KeptRow:
    """The row of the backend. What others do meanwhile happens before the next write arrives.

    :ivar row: empty once it is deleted.
    """

    def __init__(self, row: dict[str, Any]) -> None:
        self.row = row
        self.meanwhile: list[Callable[[], None]] = []
        self.writes: list[Call] = []

    def change(self, **fields: Any) -> None:
        """Somebody else changes it, unless nothing is given."""
        self.row = {**self.row, **fields, "version": self.row["version"] + bool(fields)}

    def delete(self) -> None:
        """Somebody else deletes it."""
        self.row = {}

    def respond(self, call: Call) -> tuple[int, dict[str, str], str]:
        """The backend's response to a call for the row."""
        if call.method != "GET":
            self.writes.append(call)
            for happens in self.meanwhile[:1]:
                happens()
            self.meanwhile = self.meanwhile[1:]
        if not self.row:
            return _problem(404)
        expected = call.headers.get("if-match")
        if call.method != "GET" and expected is not None and expected != f'"{self.row["version"]}"':
            return _problem(412)
        if call.method == "DELETE":
            self.row = {}
            return 204, {}, ""
        if call.method != "GET":
            self.change(**call.body)
        return 200, {"Content-Type": "application/json"}, json.dumps(self.row)

    def keep(self, backend: Backend, monkeypatch: pytest.MonkeyPatch, *, path: str) -> KeptRow:
        """From now on, the backend's row at this path is this one."""
        others = backend._response

        def response(call: Call, *, account: str | None) -> Any:
            return self.respond(call) if call.path == path else others(call, account=account)

        monkeypatch.setattr(backend, "_response", response)
        return self


def _problem(status: int) -> tuple[int, dict[str, str], str]:
    body = json.dumps({"type": "about:blank", "title": "no", "status": status})
    return status, {"Content-Type": "application/problem+json"}, body
