"""A row with a version, as a backend keeps it that honours `If-Match`."""

from __future__ import annotations

import json
import re
from collections.abc import Callable
from typing import Any

import pytest
from django.test import Client as Browser

from portal.testing import Backend, SignedIn
from portal.testing.backend import Call
from tests.portal_pages.customers import ALL_PAGES, CUSTOMERS, served

ROW = f"{CUSTOMERS}/c1"


class KeptRow:
    """The row of the backend. What others do meanwhile happens before the next write arrives.

    :ivar row: None once it is deleted.
    """

    def __init__(self) -> None:
        self.row: dict[str, Any] | None = {
            "id": "c1",
            "name": "Ada",
            "email": "ada@example.com",
            "city": "Köln",
            "plan": "flat",
            "version": 1,
        }
        self.meanwhile: list[Callable[[], None]] = []
        self.writes: list[Call] = []

    def change(self, **fields: Any) -> None:
        """Somebody else changes it."""
        assert self.row is not None
        self.row = {**self.row, **fields, "version": self.row["version"] + 1}

    def delete(self) -> None:
        """Somebody else deletes it."""
        self.row = None

    def respond(self, call: Call) -> tuple[int, dict[str, str], str]:
        """The backend's response to a call for the row."""
        if call.method != "GET":
            self.writes.append(call)
            for happens in self.meanwhile[:1]:
                happens()
            self.meanwhile = self.meanwhile[1:]
        if self.row is None:
            return problem(404)
        expected = call.headers.get("if-match")
        if call.method != "GET" and expected is not None and expected != f'"{self.row["version"]}"':
            return problem(412)
        if call.method == "DELETE":
            self.row = None
            return 204, {}, ""
        if call.method != "GET":
            self.change(**call.body)
        return 200, {"Content-Type": "application/json"}, json.dumps(self.row)


def problem(status: int) -> tuple[int, dict[str, str], str]:
    body = json.dumps({"type": "about:blank", "title": "no", "status": status})
    return status, {"Content-Type": "application/problem+json"}, body


@pytest.fixture
def kept(backend: Backend, monkeypatch: pytest.MonkeyPatch) -> KeptRow:
    row, others = KeptRow(), backend._response

    def response(call: Call, *, account: str | None) -> Any:
        return row.respond(call) if call.path == ROW else others(call, account=account)

    monkeypatch.setattr(backend, "_response", response)
    backend.lists(CUSTOMERS, [])
    return row


@pytest.fixture
def browser(signed_in: SignedIn) -> Any:
    with served(*ALL_PAGES):
        yield signed_in("ENERGY_APP")


def inputs(html: str) -> dict[str, str]:
    """Names and values of the fields of the page's form, as a browser sends them when nothing is chosen anew."""
    form = html[html.index("<form class") :]
    found = {}
    for tag in re.findall(r"<input[^>]*>", form):
        attributes = dict(re.findall(r'([\w-]+)="([^"]*)"', tag))
        if attributes.get("type") != "radio" and "name" in attributes:
            found[attributes["name"]] = attributes.get("value", "")
    chosen = re.findall(r'<select name="([^"]*)".*?<option value="([^"]*)" selected>', form, re.DOTALL)
    return found | dict(chosen)


def shown_form(browser: Browser) -> dict[str, str]:
    """The edit form, as it is filled at first."""
    page = browser.get("/en/energy/clients/c1/edit")
    assert page.status_code == 200
    return inputs(page.content.decode())


def send(browser: Browser, sent: dict[str, str], **typed: str) -> Any:
    """Send the edit form."""
    return browser.post("/en/energy/clients/c1/edit", sent | typed)
