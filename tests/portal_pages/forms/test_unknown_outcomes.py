"""A write whose answer is lost: the page says that nobody knows whether it was done, where to look, and sends it again."""

from dataclasses import replace
from typing import Any

import pytest
from django.http import HttpRequest, HttpResponse
from django.test import override_settings

from portal.api import Backend as BackendClass
from portal.errors import ApiTimeoutError, ApiUnavailableError, CircuitOpenError
from portal.testing.backend import Fault
from portal_pages import platform_page, see_other
from portal_pages.urls import platform_patterns
from tests.portal_pages.customers import CUSTOMERS, CustomerMutations, blank
from tests.portal_pages.site import FORM, HERE, NEW, PAGE, ROW, KeptRow, Page, Site

pytestmark = pytest.mark.usefixtures("kept")
UNKNOWN = "We don’t know whether it was done"
DELETE = f"{HERE}/delete"
IDA = {"name": "Ida", "plan": "flat"}


def says(page: Page) -> list[bool]:
    """Whether a failure is a 503, of which nobody knows what was done, that certainly did nothing, and is offered again."""
    return [page.status == 503, *(text in page.text for text in (UNKNOWN, "Nothing was changed", ">Send again<"))]


def recovers(site: Site) -> None:
    site.backend.recovers()
    site.backend.answers("POST", CUSTOMERS, json={"id": "c9", "name": "Ida"}, status=201)


@pytest.mark.parametrize(
    ("error", "is_unknown"),
    [
        (ApiTimeoutError("no answer"), True),
        (ApiUnavailableError("broke off"), True),
        (ApiUnavailableError("", status=504), True),
        (ApiUnavailableError("", status=503), False),
        (ApiUnavailableError("", status=429), False),
        (ApiTimeoutError("no connection", was_sent=False), False),
        (CircuitOpenError(was_sent=False), False),
    ],
)
def test_what_may_have_been_done(error: ApiUnavailableError, is_unknown: bool) -> None:
    assert error.outcome_is_unknown is is_unknown


@pytest.mark.parametrize("fault", ["timeout", 504, "malformed"])
def test_create_stays_unknown_until_there_is_an_answer(site: Site, fault: Fault) -> None:
    shown = site.get(NEW)
    site.backend.fails(fault, path=CUSTOMERS)
    page = site.post(NEW, shown.fields | IDA)
    assert says(page) == [True, True, False, True]
    # Somebody may ask what happened; nobody asks of a field that is empty.
    unnamed = site.post(NEW, shown.fields | IDA | {"name": ""})
    assert ["data-request-id" in each.text for each in (page, unnamed)] == [True, False]
    assert (page.response["Retry-After"], page.response["HX-Retarget"]) == ("5", "#content")
    assert f'href="{PAGE}">Look whether it was done: Customers<' in page.text
    # The second one was certainly not done. Of the first nobody knows it.
    site.backend.fails(503, path=CUSTOMERS)
    again = site.post(NEW, page.fields)
    assert says(again) == [True, True, False, True]
    recovers(site)
    assert site.post(NEW, again.fields).status == 303
    assert len(site.keys(CUSTOMERS, "POST")) == 1


class NoKeys(BackendClass):
    """A backend that gets no key."""

    idempotency_header = ""


@pytest.mark.parametrize(("backend_class", "may_be"), [(BackendClass(), False), (NoKeys(), True)])
def test_keyless_create_may_be_doubled(site: Site, settings: Any, backend_class: BackendClass, may_be: bool) -> None:
    settings.PORTAL = replace(settings.PORTAL, backend=backend_class, honours_idempotency_key=True)
    site.backend.fails("timeout", path=CUSTOMERS)
    page = site.post(NEW, IDA)
    assert [UNKNOWN in page.text, "sent again, it may be done a second time" in page.text] == [True, may_be]


def test_what_was_certainly_not_done_is_said_so(site: Site) -> None:
    for path in (CUSTOMERS, ROW):
        site.backend.fails(503, path=path)
    for path in (NEW, FORM):
        page = site.post(path, IDA)
        assert says(page)[:3] == [True, False, True]
        assert ("What you typed is still here." in page.text, page.fields["name"]) == (True, "Ida")
    page = site.post(DELETE, {"rowVersion": "1"}, referer=f"http://localhost:8001{HERE}")
    assert says(page)[1::2] == [False, True]
    # No link leads to an address that only takes forms.
    assert f'href="{DELETE}"' not in page.html


def test_an_edit_that_was_done_though_its_answer_was_lost_is_done_once(site: Site, kept: KeptRow) -> None:
    shown = site.get(FORM)
    site.backend.fails("timeout", path=ROW)
    page = site.send(shown, name="Ida")
    assert says(page)[:2] == [True, True]
    assert f'href="{HERE}">Look' in page.text
    site.backend.recovers()
    kept.change(name="Ida")
    assert site.send(page).status == 303
    assert len(site.keys(ROW, "PATCH")) == 1
    assert kept.row["version"] == 2


def test_a_delete_may_have_been_done_and_offers_to_look_and_to_send_it_again_with_all_of_its_fields(site: Site) -> None:
    sent = {"rowVersion": "1", "note": '"><b>'}
    for fault, came_from, look in (("timeout", DELETE, PAGE), (503, HERE, HERE)):
        site.backend.fails(fault, path=ROW)
        page = site.post(DELETE, sent, referer=f"http://localhost:8001{came_from}")
        assert says(page) == [True, True, False, True]
        assert f'href="{look}">Look whether it was done<' in page.text
        sent = page.forms[DELETE]
        assert (sent["note"], "<b>" in page.html) == ('"><b>', False)
    site.backend.recovers()
    assert site.post(DELETE, sent).status == 303
    assert len(site.keys(ROW, "DELETE")) == 1


def test_a_view_that_writes_under_no_key_offers_to_look_alone_and_one_that_only_read_wrote_nothing(site: Site) -> None:
    def writes(request: HttpRequest) -> HttpResponse:
        CustomerMutations.use_delete_customer_mutation(request).mutate(params={"id": "c1"}).unwrap()
        return see_other("home")

    def reads(request: HttpRequest) -> HttpResponse:
        raise ApiTimeoutError("a read took too long")

    pages = [
        platform_page("energy", blank, name="home"),
        platform_page("energy/clients", blank, name="clients"),
        platform_page("energy/complete", writes, name="complete", part_of="clients"),
        platform_page("energy/looked", reads, name="looked"),
    ]
    site.backend.fails("timeout", path=ROW)
    with override_settings(ROOT_URLCONF=tuple(platform_patterns(pages=pages))):
        page = site.post("/en/energy/complete")
        assert ["Look whether it was done" in page.text, *says(page)[1::2]] == [True, True, False]
        assert says(site.post("/en/energy/looked"))[:2] == [True, False]
