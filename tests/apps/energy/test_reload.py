"""What a reload by the user shows, and what is none, through the energy app."""

from __future__ import annotations

import pytest
from django.http import HttpResponse
from django.test import Client

from portal.testing import Backend, SignedIn, page_of
from portal.web.query_client import NO_RELOAD

LIST = "/en/energy/clients"
LEFT_PAGE_COOKIE = "left_page"


@pytest.fixture
def user(backend: Backend, signed_in: SignedIn) -> Client:
    backend.answers("GET", "/energy/clients", json=page_of([{"id": "cli_1", "name": "before"}]))
    backend.answers("DELETE", "/energy/clients/cli_1", status=204)
    return signed_in("ENERGY_APP")


def shown(user: Client, **headers: str) -> str:
    return user.get(LIST, headers=headers).content.decode()


def test_a_reload_shows_what_the_backend_says_now(backend: Backend, user: Client) -> None:
    assert "before" in shown(user)
    backend.answers("GET", "/energy/clients", json=page_of([{"id": "cli_1", "name": "after"}]))
    assert "before" in shown(user)
    assert "before" in shown(user, **{"cache-control": "max-age=0", "hx-request": "true"})
    assert "after" in shown(user, **{"cache-control": "max-age=0"})
    assert "after" in shown(user)


def test_the_page_after_a_form_is_none_and_the_next_one_may_be(backend: Backend, user: Client) -> None:
    shown(user)
    backend.answers("GET", "/energy/clients", json=page_of([{"id": "cli_2", "name": "after"}]))
    assert user.post(f"{LIST}/cli_1/delete").cookies[LEFT_PAGE_COOKIE].value == NO_RELOAD
    after_form: HttpResponse = user.get(LIST, headers={"cache-control": "max-age=0"})
    assert "after" not in after_form.content.decode()
    assert after_form.cookies[LEFT_PAGE_COOKIE]["max-age"] == 0
    assert "after" in shown(user, **{"cache-control": "max-age=0"})
