"""The other pages of the energy app: lists, details, the overview."""

from __future__ import annotations

import re
from datetime import UTC, datetime
from typing import Any

import pytest
from django.http import HttpResponse
from django.test import Client

from portal.testing import Backend, SignedIn, row_ids

RESOURCES = ["stations", "chargers", "sessions", "meters"]
SUMMARY: dict[str, Any] = {
    "counts": {"clients": 7},
    "energyByMonth": [{"month": "2026-01", "energyKwh": 1000.0}],
    "chargersByStatus": {"available": 1},
}


@pytest.fixture
def energy_user(backend: Backend, signed_in: SignedIn) -> Client:
    backend.refuses("GET", "/energy/state", status=404)
    return signed_in("ENERGY_APP")


@pytest.mark.parametrize("resource", RESOURCES)
@pytest.mark.parametrize("locale", ["en", "de", "tr"])
def test_a_list_and_a_detail_need_nothing_but_ids(
    backend: Backend, energy_user: Client, resource: str, locale: str
) -> None:
    backend.lists(f"/energy/{resource}", [{"id": "a1"}, {"id": "a2"}])
    page = energy_user.get(f"/{locale}/energy/{resource}")
    detail = energy_user.get(f"/{locale}/energy/{resource}/a1")
    assert (page.status_code, detail.status_code) == (200, 200)
    assert row_ids(page) == ["a1", "a2"]
    assert f'lang="{locale}"' in detail.content.decode()
    assert f'data-pathname="/{locale}/energy/{resource}/a1"' in detail.content.decode()


def as_of(response: HttpResponse) -> datetime:
    (moment,) = re.findall(r'<time data-as-of datetime="([^"]+)"', response.content.decode())
    return datetime.fromisoformat(moment)


@pytest.mark.parametrize("rows", [[], [{"id": "cli_1"}]])
def test_a_list_says_as_of_when_it_is_and_has_a_link_to_itself_that_refreshes(
    backend: Backend, energy_user: Client, rows: list[dict[str, str]]
) -> None:
    backend.lists("/energy/clients", rows)
    before = datetime.now(UTC).replace(microsecond=0)
    first = energy_user.get("/en/energy/clients?q=a")
    assert before <= as_of(first) <= datetime.now(UTC)
    assert 'data-refresh href=""' in first.content.decode()
    assert as_of(energy_user.get("/en/energy/clients?q=a")) == as_of(first), "the same rows are as old as before"


def test_an_overview_says_as_of_when_it_is(backend: Backend, energy_user: Client) -> None:
    backend.answers("GET", "/energy/summary", json=SUMMARY)
    before = datetime.now(UTC).replace(microsecond=0)
    assert before <= as_of(energy_user.get("/en/energy")) <= datetime.now(UTC)


def test_old_rows_beside_an_error_say_how_old_they_are(backend: Backend, energy_user: Client) -> None:
    backend.lists("/energy/clients", [{"id": "cli_1"}])
    loaded = as_of(energy_user.get("/en/energy/clients"))
    backend.fails("refused", path="/energy/clients")
    page = energy_user.get("/en/energy/clients", headers={"cache-control": "no-cache"})
    assert row_ids(page) == ["cli_1"]
    assert as_of(page) == loaded
    # The same words for a service that is only slower than a page waits for news: they claim no outage.
    told = f'loaded at <time datetime="{loaded.isoformat()}" data-local="clock">{loaded:%H:%M} UTC</time>'
    assert f"There is no newer answer from the service yet. What you see was {told}" in page.content.decode()


def test_each_call_behind_a_page_carries_its_request_s_id(backend: Backend, signed_in: SignedIn) -> None:
    backend.lists("/energy/clients", [{"id": "cli_1"}])
    browser = signed_in("ENERGY_APP", expired=True)
    assert browser.get("/en/energy/clients", headers={"x-request-id": "the-page"}).status_code == 200
    assert browser.post("/en/logout", headers={"x-request-id": "the-sign-out"}).status_code == 303
    named = {call.path: call.headers.get("x-request-id") for call in backend.calls}
    assert named == {
        "/refresh": "the-page",
        "/me": "the-page",
        "/energy/clients": "the-page",
        "/energy/clients/counts": "the-page",
        "/auth/logout": "the-sign-out",
    }
