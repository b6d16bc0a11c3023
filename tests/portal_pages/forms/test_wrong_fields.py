"""What a form says of several wrong fields, and of a value that another row has."""

import re
import time
from dataclasses import replace
from functools import partial
from typing import Any

import pytest
from django.urls import URLPattern

from portal.testing import Backend
from portal.testing.backend import Call
from portal_pages import BackendForm, CreateView
from tests.portal_pages.customers import CUSTOMERS, DETAIL, LIST, Customer, CustomerMutations, customer_pages
from tests.portal_pages.site import HERE, NEW, PAGE, Page, Site
from tests.support.forks import at_once, fork, in_processes

ADA = {"id": "c1", "name": "Ada <A>", "email": "ada@example.com"}
SENT = {"name": "Eve", "email": " ADA@example.com"}


class ContactForm(BackendForm[Customer]):
    class Meta:
        fields = {"name": "Name", "email": "Email"}


@pytest.fixture
def pages(backend: Backend) -> list[URLPattern]:
    backend.lists(CUSTOMERS, [{"id": "c0", "name": "Ada"}, ADA])
    create = CreateView(
        mutation=CustomerMutations.use_create_customer_mutation, form=ContactForm, unique=("name", "email")
    )
    return customer_pages(list=LIST, detail=DETAIL, create=create)


def asked_about(page: Page) -> list[str]:
    return re.findall(r'name="createAnyway" value="([^"]*)"', page.html)


def test_a_value_that_another_row_has_is_asked_about_before_anything_is_sent(site: Site) -> None:
    page = site.post(NEW, SENT)
    assert (page.status, asked_about(page), site.bodies(CUSTOMERS, "POST")) == (422, ["ada@example.com"], [])
    assert f'There is already an entry with this value: <a href="{HERE}">Ada &lt;A&gt;</a>' in page.html
    assert site.backend.calls_to(CUSTOMERS)[-1].query["q"] == "ada@example.com"
    site.backend.answers("POST", CUSTOMERS, json=ADA | {"id": "c9"}, status=201)
    assert asked_about(site.post(NEW, SENT | {"name": "ada", "createAnyway": "ada@example.com"})) == ["ada"]
    assert site.post(NEW, SENT | {"createAnyway": "ada@example.com"}).location == f"{PAGE}/c9"
    assert site.bodies(CUSTOMERS, "POST")[-1] == {"name": "Eve", "email": "ADA@example.com"}


@pytest.mark.parametrize("status", [400, 403, 404, 422, 500, 503])
def test_a_backend_that_can_t_be_asked_creates_it(site: Site, status: int) -> None:
    site.backend.refuses("GET", CUSTOMERS, status=status)
    site.backend.answers("POST", CUSTOMERS, json=ADA | {"id": "c9"}, status=201)
    assert site.post(NEW, SENT).location == f"{PAGE}/c9"


def test_several_wrong_fields_are_listed_each_with_a_link_to_it_and_one_is_not(site: Site) -> None:
    page = site.post(NEW, {"name": "", "email": "x\ny"})
    links = re.findall(r'<a href="#([^"]*)">(.*?)</a>', page.html)
    assert ("id_name", "Name: Please fill this in.") in links
    assert ("id_email", "Email: Control characters are not allowed.") in links
    assert "Please check 2 fields" in page.text
    for one in ({"name": "", "email": "x"}, SENT):
        assert 'id="error-summary"' not in site.post(NEW, one).html


@pytest.mark.parametrize("honours", [True, False])
@pytest.mark.parametrize("side_by_side", [lambda work: at_once(2, lambda _: work()), partial(in_processes, 2)])
def test_form_that_arrives_twice_creates_one_row(
    site: Site, settings: Any, monkeypatch: pytest.MonkeyPatch, side_by_side: Any, honours: bool
) -> None:
    settings.PORTAL = replace(settings.PORTAL, honours_idempotency_key=honours)
    made, others = fork.Value("i", 0), site.backend._response

    def response(call: Call, *, account: str | None) -> Any:
        if call.method == "POST":
            made.value += 1
            site.backend.lists(CUSTOMERS, [ADA, {"id": "c9", "name": "Eva"}])
            time.sleep(0.3)
        return others(call, account=account)

    def sends() -> None:
        assert site.post(NEW, sent).location == f"{PAGE}/c9"

    monkeypatch.setattr(site.backend, "_response", response)
    site.backend.answers("POST", CUSTOMERS, json=ADA | {"id": "c9", "name": "Eva"}, status=201)
    sent = site.get(NEW).fields | {"name": "Eva", "email": "eva@example.com"}
    side_by_side(sends)
    sends()
    assert made.value == 1
    assert asked_about(site.post(NEW, sent | SENT)) == ["ada@example.com"], "other values under the same key"


def test_what_is_sent_again_after_an_unknown_outcome_is_not_a_double_of_itself(site: Site) -> None:
    site.backend.answers("POST", CUSTOMERS, status=504)
    page = site.post(NEW, site.get(NEW).fields | {"name": "Eva", "email": "x"})
    assert "We don’t know whether it was done" in page.text
    site.backend.lists(CUSTOMERS, [{"id": "c9", "name": "Eva"}])
    site.backend.answers("POST", CUSTOMERS, json=ADA | {"id": "c9", "name": "Eva"}, status=201)
    assert site.post(NEW, page.fields | {"name": "Eva", "email": "x"}).location == f"{PAGE}/c9"
