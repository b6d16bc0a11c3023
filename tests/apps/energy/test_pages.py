"""The other pages of the energy app: lists, details, the overview."""

from __future__ import annotations

from typing import Any

import pytest
import responses
from django.test import Client

from tests.portal.web.conftest import BACKEND

RESOURCES = ["stations", "chargers", "sessions", "meters"]
SUMMARY: dict[str, Any] = {
    "counts": {"clients": 7},
    "energyByMonth": [{"month": "2026-01", "energyKwh": 1000.0}],
    "chargersByStatus": {"available": 1},
}


def page_of(*ids: str) -> dict[str, Any]:
    return {"items": [{"id": row_id} for row_id in ids], "hasNext": False, "nextCursor": None, "total": len(ids)}


@pytest.mark.parametrize("resource", RESOURCES)
@pytest.mark.parametrize("locale", ["en", "de", "tr"])
def test_a_list_and_a_detail_need_nothing_but_ids(
    backend: responses.RequestsMock, energy_user: Client, resource: str, locale: str
) -> None:
    backend.get(f"{BACKEND}/energy/{resource}", json=page_of("a1", "a2"))
    backend.get(f"{BACKEND}/energy/{resource}/a1", json={"id": "a1"})
    page = energy_user.get(f"/{locale}/energy/{resource}")
    detail = energy_user.get(f"/{locale}/energy/{resource}/a1")
    assert (page.status_code, detail.status_code) == (200, 200)
    assert page.content.decode().count("data-row-id=") == 2
    assert f'lang="{locale}"' in detail.content.decode()
    assert f'data-pathname="/{locale}/energy/{resource}/a1"' in detail.content.decode()


@pytest.mark.parametrize("resource", RESOURCES)
def test_the_first_order_is_the_backends_own(
    backend: responses.RequestsMock, energy_user: Client, resource: str
) -> None:
    backend.get(f"{BACKEND}/energy/{resource}", json=page_of("a1"))
    energy_user.get(f"/en/energy/{resource}")
    assert not any("sort=" in call.request.url for call in backend.calls)


def test_the_overview_draws_the_summary(backend: responses.RequestsMock, energy_user: Client) -> None:
    backend.get(f"{BACKEND}/energy/summary", json=SUMMARY)
    body = energy_user.get("/en/energy").content.decode()
    assert '<svg viewBox="0 0 100 1000"' in body
    assert "Energy delivered" in body
    assert "Show as a table" in body


def test_a_backend_without_a_summary_still_has_an_overview(
    backend: responses.RequestsMock, energy_user: Client
) -> None:
    backend.get(f"{BACKEND}/energy/summary", status=404)
    for number, resource in enumerate(["clients", *RESOURCES]):
        backend.get(f"{BACKEND}/energy/{resource}", json=page_of("a1") | {"total": 100 + number})
    response = energy_user.get("/en/energy")
    assert response.status_code == 200
    assert all(str(100 + number) in response.content.decode() for number in range(5))


def test_head_is_answered_like_get_and_other_methods_are_not_allowed(
    backend: responses.RequestsMock, energy_user: Client
) -> None:
    backend.get(f"{BACKEND}/energy/stations", json=page_of("a1"))
    assert energy_user.head("/en/energy/stations").status_code == 200
    assert energy_user.post("/en/energy/stations").status_code == 405
