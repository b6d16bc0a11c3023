"""The other pages of the energy app: lists, details, the overview."""

from __future__ import annotations

import re
from datetime import UTC, datetime
from typing import Any

import pytest
from django.http import HttpResponse
from django.test import Client

from portal.testing import Backend, SignedIn, page_of, row_ids

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


@pytest.mark.parametrize("resource", RESOURCES)
def test_the_first_order_is_the_backends_own(backend: Backend, energy_user: Client, resource: str) -> None:
    backend.lists(f"/energy/{resource}", [{"id": "a1"}])
    energy_user.get(f"/en/energy/{resource}")
    assert backend.calls_to(f"/energy/{resource}")[0].query == {"limit": "20"}


def test_the_overview_draws_the_summary(backend: Backend, energy_user: Client) -> None:
    backend.answers("GET", "/energy/summary", json=SUMMARY)
    body = energy_user.get("/en/energy").content.decode()
    assert '<svg viewBox="0 0 100 1000"' in body
    assert "Energy delivered" in body
    assert "Show as a table" in body


def test_a_backend_without_a_summary_still_has_an_overview(backend: Backend, energy_user: Client) -> None:
    backend.refuses("GET", "/energy/summary", status=404)
    for number, resource in enumerate(["clients", *RESOURCES]):
        backend.answers("GET", f"/energy/{resource}", json=page_of([{"id": "a1"}], total=100 + number))
    response = energy_user.get("/en/energy")
    assert response.status_code == 200
    assert all(str(100 + number) in response.content.decode() for number in range(5))


def test_head_is_answered_like_get_and_other_methods_are_not_allowed(backend: Backend, energy_user: Client) -> None:
    backend.lists("/energy/stations", [{"id": "a1"}])
    assert energy_user.head("/en/energy/stations").status_code == 200
    assert energy_user.post("/en/energy/stations").status_code == 405


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
