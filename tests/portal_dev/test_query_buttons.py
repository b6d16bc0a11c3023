"""What the buttons' views do with odd forms, and how often they ask the backend."""

from __future__ import annotations

import importlib
import inspect
import sys
from types import ModuleType
from typing import TYPE_CHECKING, Any

import pytest
from django.test import RequestFactory

import portal.services.energy.clients
import portal.services.user  # noqa: F401  the queries that the buttons fetch
from tests.portal.query.world import World

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from django.http import HttpResponse


@pytest.fixture
def buttons(monkeypatch: pytest.MonkeyPatch) -> Iterator[Any]:
    """The module of the views; the toolbar's own decorator works in a project with the toolbar only."""
    decorators = ModuleType("debug_toolbar.decorators")
    decorators.require_show_toolbar = lambda view: view  # type: ignore[attr-defined]  # a module of this test's own
    monkeypatch.setitem(sys.modules, decorators.__name__, decorators)
    monkeypatch.delitem(sys.modules, "portal_dev.toolbar.queries_panel", raising=False)
    module = importlib.import_module("portal_dev.toolbar.queries_panel")
    yield module
    # So that the module with the stub goes with this test.
    sys.modules.pop(module.__name__, None)


def pressed(view: Callable[..., HttpResponse], world: World, **fields: str) -> HttpResponse:
    """The view itself, without its decorators."""
    request = RequestFactory().post("/", fields)
    request.query_client = world.process().request(world.backend.sign_in("ada"))
    return inspect.unwrap(view)(request)


@pytest.mark.parametrize(
    ("endpoint", "params"),
    [
        ("energy.get_clients", "[1]"),
        ("energy.get_clients", '{"q": {}}'),
        ("user.get_me", '{"a": 1}'),
        ("user.get_me", "[" * 100_000),
        ("no.such", "{}"),
        ("energy.get_clients", "no JSON"),
    ],
)
def test_parameters_that_no_query_has_are_400(buttons: Any, endpoint: str, params: str) -> None:
    assert pressed(buttons.refetch_query, World(), endpoint=endpoint, params=params).status_code == 400


def test_a_refetch_of_an_uncached_query_calls_the_backend_once(buttons: Any) -> None:
    for endpoint, path in (("energy.get_clients", "/energy/clients"), ("user.get_me", "/me")):
        world = World()
        assert pressed(buttons.refetch_query, world, endpoint=endpoint, params="{}", pages="1").status_code == 303
        assert world.backend.counted()["GET", path] == 1


def test_a_button_leads_back_into_this_app_only(buttons: Any) -> None:
    for back in ("//evil.test/x", "https://evil.test/x", "\\\\evil.test/x", ""):
        location = pressed(buttons.clear_queries, World(), back=back).headers["Location"]
        assert location.startswith("/")
        assert not location.startswith(("//", "/\\"))
    assert pressed(buttons.clear_queries, World(), back="//[").status_code == 400
