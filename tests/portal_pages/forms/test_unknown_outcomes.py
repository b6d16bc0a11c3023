"""A write whose answer is lost: the page says that nobody knows whether it was done, where to look, and sends it again."""

from __future__ import annotations

import html
from dataclasses import replace
from typing import Any

import pytest
import requests
from django.http import HttpRequest, HttpResponse
from django.test import Client as Browser
from django.test import override_settings

from portal.api import Backend as BackendClass
from portal.errors import ApiTimeoutError, ApiUnavailableError, CircuitOpenError
from portal.testing import Backend, SignedIn
from portal.testing.backend import Call, Fault
from portal_pages import platform_page, see_other
from portal_pages.urls import platform_patterns
from tests.portal_pages.customers import CUSTOMERS, CustomerMutations, blank
from tests.portal_pages.forms.conftest import ROW, KeptRow, inputs, send, shown_form

UNKNOWN = "We don’t know whether it was done"
PAGE = "http://localhost:8001/en/energy/clients/c1"


def text_of(response: Any) -> str:
    return html.unescape(response.content.decode())


def keys(backend: Backend, path: str, *, method: str) -> set[str]:
    return {call.headers["idempotency-key"] for call in backend.calls_to(path, method=method)}


@pytest.mark.parametrize(
    ("error", "is_unknown"),
    [
        (ApiTimeoutError("no answer"), True),
        (ApiUnavailableError("broke off"), True),
        (ApiUnavailableError("", status=504), True),
        (ApiUnavailableError("", status=500), True),
        (ApiUnavailableError("", status=503), False),
        (ApiUnavailableError("", status=429), False),
        (ApiTimeoutError("no connection", was_sent=False), False),
        (CircuitOpenError(was_sent=False), False),
    ],
)
def test_what_may_have_been_done(error: ApiUnavailableError, is_unknown: bool) -> None:
    assert error.outcome_is_unknown is is_unknown


@pytest.mark.parametrize("fault", ["timeout", 504, "malformed"])
def test_a_create_may_have_been_done_and_is_sent_again_under_its_key(
    backend: Backend, browser: Browser, kept: KeptRow, fault: Fault
) -> None:
    form = inputs(browser.get("/en/energy/clients/new").content.decode())
    backend.fails(fault, path=CUSTOMERS)
    response = browser.post("/en/energy/clients/new", form | {"name": "Ida", "plan": "flat"})
    page = text_of(response)
    assert (response.status_code, UNKNOWN in page) == (503, True)
    assert 'href="/en/energy/clients">Look whether it was done: Customers<' in page
    assert ">Send again<" in page
    backend.recovers()
    backend.answers("POST", CUSTOMERS, json={"id": "c9", "name": "Ida"}, status=201)
    assert browser.post("/en/energy/clients/new", inputs(page)).status_code == 303
    assert len(keys(backend, CUSTOMERS, method="POST")) == 1


class NoKeys(BackendClass):
    """A backend that gets no key."""

    idempotency_header = ""


@pytest.mark.parametrize(("backend_class", "may_be"), [(BackendClass(), False), (NoKeys(), True)])
def test_a_create_without_a_key_may_be_done_twice_whatever_the_setting_says(
    *, backend: Backend, browser: Browser, kept: KeptRow, settings: Any, backend_class: BackendClass, may_be: bool
) -> None:
    settings.PORTAL = replace(settings.PORTAL, backend=backend_class, honours_idempotency_key=True)
    backend.fails("timeout", path=CUSTOMERS)
    page = text_of(browser.post("/en/energy/clients/new", {"name": "Ida", "plan": "flat"}))
    assert UNKNOWN in page
    assert ("sent again, it may be done a second time" in page) is may_be


def test_what_was_certainly_not_done_is_said_so(backend: Backend, browser: Browser, kept: KeptRow) -> None:
    form = inputs(browser.get("/en/energy/clients/new").content.decode())
    backend.fails(503, path=CUSTOMERS)
    page = text_of(browser.post("/en/energy/clients/new", form | {"name": "Ida", "plan": "flat"}))
    assert UNKNOWN not in page
    assert "Nothing was changed. What you typed is still here." in page


def test_an_edit_that_was_done_though_its_answer_was_lost_is_done_once(
    backend: Backend, browser: Browser, kept: KeptRow
) -> None:
    sent = shown_form(browser)
    backend.fails("timeout", path=ROW)
    response = send(browser, sent, name="Ida")
    assert (response.status_code, UNKNOWN in text_of(response)) == (503, True)
    assert 'href="/en/energy/clients/c1">Look' in text_of(response)
    backend.recovers()
    kept.change(name="Ida")
    assert send(browser, inputs(text_of(response))).status_code == 303
    assert len(keys(backend, ROW, method="PATCH")) == 1
    assert kept.row is not None
    assert kept.row["version"] == 2


def test_a_delete_may_have_been_done_and_offers_to_look_and_to_send_it_again(
    backend: Backend, browser: Browser, kept: KeptRow
) -> None:
    assert browser.get("/en/energy/clients/c1").status_code == 200
    backend.fails("timeout", path=ROW)
    sent = {"rowVersion": "1", "note": '"><b>'}
    response = browser.post("/en/energy/clients/c1/delete", sent, headers={"referer": PAGE})
    page = response.content.decode()
    assert (response.status_code, UNKNOWN in html.unescape(page)) == (503, True)
    assert 'href="/en/energy/clients/c1">Look whether it was done<' in page
    assert "<b>" not in page
    again = inputs(page.replace('<form method="post" action="/en/energy/clients/c1/delete"', "<form class"))
    assert html.unescape(again["note"]) == sent["note"]
    backend.recovers()
    assert browser.post("/en/energy/clients/c1/delete", again).status_code == 303
    assert len(keys(backend, ROW, method="DELETE")) == 1


def test_what_may_have_been_done_stays_unknown_until_there_is_an_answer(
    backend: Backend, browser: Browser, kept: KeptRow
) -> None:
    form = inputs(browser.get("/en/energy/clients/new").content.decode())
    backend.fails("timeout", path=CUSTOMERS)
    page = text_of(browser.post("/en/energy/clients/new", form | {"name": "Ida", "plan": "flat"}))
    # The second one was certainly not done. Of the first nobody knows it.
    backend.fails(503, path=CUSTOMERS)
    again = text_of(browser.post("/en/energy/clients/new", inputs(page)))
    assert [UNKNOWN in again, "Nothing was changed" in again, ">Send again<" in again] == [True, False, True]
    backend.recovers()
    backend.answers("POST", CUSTOMERS, json={"id": "c9", "name": "Ida"}, status=201)
    assert browser.post("/en/energy/clients/new", inputs(again)).status_code == 303
    assert len(keys(backend, CUSTOMERS, method="POST")) == 1


def test_so_does_a_button(backend: Backend, browser: Browser, kept: KeptRow) -> None:
    def pressed(sent: dict[str, str]) -> tuple[str, dict[str, str]]:
        response = browser.post("/en/energy/clients/c1/delete", sent, headers={"referer": PAGE})
        page = response.content.decode()
        fields = inputs(page.replace('<form method="post" action="/en/energy/clients/c1/delete"', "<form class"))
        return html.unescape(page), fields

    assert browser.get("/en/energy/clients/c1").status_code == 200
    backend.fails("timeout", path=ROW)
    first, fields = pressed({"rowVersion": "1"})
    backend.fails(503, path=ROW)
    second, again = pressed(fields)
    assert (UNKNOWN in first, UNKNOWN in second) == (True, True)
    assert {**again, "csrfmiddlewaretoken": ""} == {**fields, "csrfmiddlewaretoken": ""}


def test_a_button_whose_write_was_not_done_can_be_sent_again_too(
    backend: Backend, browser: Browser, kept: KeptRow
) -> None:
    backend.fails(503, path=ROW)
    page = text_of(browser.post("/en/energy/clients/c1/delete", {"rowVersion": "1"}, headers={"referer": PAGE}))
    assert [UNKNOWN in page, ">Send again<" in page] == [False, True]


def test_where_the_form_came_from_elsewhere_the_list_is_where_to_look(
    backend: Backend, browser: Browser, kept: KeptRow
) -> None:
    backend.fails("timeout", path=ROW)
    for referer in ("https://elsewhere.test/", "http://localhost:8001/en/energy/clients/c1/delete"):
        response = browser.post("/en/energy/clients/c1/delete", {}, headers={"referer": referer})
        assert 'href="/en/energy/clients">Look whether it was done<' in response.content.decode()


def test_a_view_that_writes_under_no_key_offers_to_look_alone(
    backend: Backend, signed_in: SignedIn, kept: KeptRow
) -> None:
    def complete(request: HttpRequest) -> HttpResponse:
        CustomerMutations.use_delete_customer_mutation(request).mutate(params={"id": "c1"}).unwrap()
        return see_other("home")

    pages = [
        platform_page("energy", blank, name="home"),
        platform_page("energy/clients", blank, name="clients"),
        platform_page("energy/complete", complete, name="complete", part_of="clients"),
    ]
    with override_settings(ROOT_URLCONF=tuple(platform_patterns(pages=pages))):
        backend.fails("timeout", path=ROW)
        page = text_of(signed_in("ENERGY_APP").post("/en/energy/complete"))
    assert UNKNOWN in page
    assert "Look whether it was done" in page
    assert "Send again" not in page


def test_a_request_that_got_no_further_than_its_reads_wrote_nothing(
    backend: Backend, signed_in: SignedIn, kept: KeptRow
) -> None:
    def complete(request: HttpRequest) -> HttpResponse:
        raise ApiTimeoutError("a read took too long")

    pages = [platform_page("energy/complete", complete, name="home")]
    with override_settings(ROOT_URLCONF=tuple(platform_patterns(pages=pages))):
        response = signed_in("ENERGY_APP").post("/en/energy/complete")
    assert response.status_code == 503
    assert UNKNOWN not in text_of(response)


def test_a_try_that_was_refused_says_nothing_of_the_try_before_it(
    backend: Backend, browser: Browser, kept: KeptRow, monkeypatch: pytest.MonkeyPatch
) -> None:
    answers = iter([requests.ReadTimeout("lost"), (503, {"Content-Type": "application/json"}, "{}")])
    others = backend._response

    def response(call: Call, *, account: str | None) -> Any:
        return next(answers) if call.method == "POST" else others(call, account=account)

    monkeypatch.setattr(backend, "_response", response)
    page = text_of(browser.post("/en/energy/clients/new", {"name": "Ida", "plan": "flat"}))
    assert UNKNOWN in page
