"""The other pages of the energy app: lists, details, the overview."""

from __future__ import annotations

from typing import Any

import pytest
from django.test import Client

from portal.testing import Backend, SignedIn, page_of, row_ids

RESOURCES = ["stations", "chargers", "sessions", "meters"]
SUMMARY: dict[str, Any] = {
    "counts": {"clients": 7},
    "energyByMonth": [{"month": "2026-01", "energyKwh": 1000.0}],
    "chargersByStatus": {"available": 1},
}


@pytest.fixture
def energy_user(signed_in: SignedIn) -> Client:
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
