"""How many entries a list says that it has, against the real app and the sandbox."""

from __future__ import annotations

import re

import pytest
import requests

from tests.support.harness import RunningStack
from tests.support.http_browser import HttpBrowser


@pytest.fixture
def browser(stack: RunningStack):
    with HttpBrowser() as someone:
        someone.sign_in(stack.url("auth_app"), email="energy@example.com")
        yield someone


def shown_total(page: requests.Response) -> int:
    (number,) = re.findall(r"([\d,]+) entries in all", page.text)
    return int(number.replace(",", ""))


def rows_of(page: requests.Response) -> list[str]:
    return re.findall(r'data-row-id="([^"]+)"', page.text)


def test_it_follows_what_the_user_deletes_and_creates(stack: RunningStack, browser: HttpBrowser) -> None:
    address = stack.url("energy", "/en/energy/clients")
    before = browser.get(address)
    deleted = rows_of(before)[3]
    page = browser.get(f"{address}/{deleted}")
    after_delete = browser.submit(page, f"/{deleted}/delete")
    assert deleted not in rows_of(after_delete)
    assert shown_total(after_delete) == shown_total(before) - 1
    form = browser.get(f"{address}/new")
    after_create = browser.submit(form, "/clients/new", name="Grace", email="grace@example.com")
    assert "Grace" in after_create.text
    assert shown_total(after_create) == shown_total(before)
