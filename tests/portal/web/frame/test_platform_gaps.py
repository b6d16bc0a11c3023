"""A platform that the backend has nothing of: in no navigation, and nobody's home."""

from __future__ import annotations

from importlib import import_module
from typing import Any

import pytest
from django.http import HttpRequest, HttpResponse
from django.test import override_settings

from portal.errors import ApiAbsentError
from portal.query import Endpoint
from portal.services.service_imports import import_services
from portal.testing import Backend, SignedIn
from portal.testing.fixtures import backend
from portal.web import guards
from portal.web.frame import absent_platforms as found_absent
from portal.web.frame import essentials
from portal.web.guards import platform_page
from portal.web.urls import platform_patterns

__all__ = ["backend"]

OPERATIONS = tuple(
    f"operations.get_{name}"
    for name in ("summary", "work_orders", "operations_stations", "operations_chargers", "people")
)


def nothing_there(request: HttpRequest) -> HttpResponse:
    raise ApiAbsentError


@pytest.fixture
def app() -> str:
    return "energy"


@pytest.fixture(autouse=True)
def _services() -> None:
    """As a server does at its start."""
    import_services()


@pytest.mark.parametrize(
    ("absent_calls", "platforms"),
    [(OPERATIONS, {"OPERATIONS"}), (OPERATIONS[:1], set()), (None, {"OPERATIONS", "FINANCE"})],
)
def test_a_platform_is_absent_if_all_that_its_pages_read_is(
    monkeypatch: pytest.MonkeyPatch, absent_calls: tuple[str, ...] | None, platforms: set[str]
) -> None:
    """One with a call that each backend has is never absent."""
    module = import_module("portal.web.frame.platforms")

    def is_absent(hook: Endpoint[Any], _source: object) -> bool:
        return absent_calls is None or hook.key in absent_calls

    monkeypatch.setattr(module, "is_absent", is_absent)
    module._absent_during.cache_clear()
    assert found_absent() == platforms
    module._absent_during.cache_clear()


@pytest.mark.parametrize(
    ("path", "absent", "target"),
    [
        ("/en/energy", set(), "http://localhost:8000/en/operations?instead=energy"),
        ("/en/energy", {"OPERATIONS"}, "http://localhost:8000/en/finance?instead=energy"),
        ("/en/energy", {"OPERATIONS", "FINANCE"}, "http://localhost:8000/en/profile"),
        ("/en/energy?instead=operations", set(), "http://localhost:8000/en/profile"),
    ],
)
def test_the_home_of_a_platform_with_nothing_leads_to_another_one_and_from_there_to_no_third(
    signed_in: SignedIn, monkeypatch: pytest.MonkeyPatch, path: str, absent: set[str], target: str
) -> None:
    monkeypatch.setattr(guards, "ask_for_the_rest", lambda *_: None)
    monkeypatch.setattr(guards, "absent_platforms", lambda: frozenset(absent))
    patterns = platform_patterns(pages=[platform_page("energy", nothing_there, name="home")])
    with override_settings(ROOT_URLCONF=type("Urls", (), {"urlpatterns": patterns})):
        answer = signed_in("ENERGY_APP", "OPERATIONS_APP", "FINANCE_APP").get(path)
    assert (answer.status_code, answer["Location"]) == (302, target)


def test_an_absent_platform_is_in_no_navigation(
    backend: Backend, signed_in: SignedIn, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(essentials, "absent_platforms", lambda: frozenset({"OPERATIONS"}))
    backend.lists("/energy/clients", [])
    page = signed_in("ENERGY_APP", "OPERATIONS_APP", "FINANCE_APP").get("/en/energy/clients").content.decode()
    assert 'href="http://localhost:8000/en/finance"' in page
    assert 'href="http://localhost:8000/en/operations"' not in page
