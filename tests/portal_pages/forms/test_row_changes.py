"""`change_row`: one field of a row is changed by a button, unless somebody else has changed that field meanwhile."""

from __future__ import annotations

from collections.abc import Iterator

import pytest
from django.http import HttpRequest, HttpResponse
from django.test import Client as Browser

from portal.testing import SignedIn
from portal_pages import change_row, platform_page
from tests.portal_pages.customers import Customer, CustomerMutations, CustomerQueries, Plan, served
from tests.portal_pages.forms.conftest import KeptRow


def choose_plan(request: HttpRequest) -> HttpResponse:
    change = change_row(
        request,
        query=CustomerQueries.use_get_customer_query,
        mutation=CustomerMutations.use_update_customer_mutation,
        row_id="c1",
        body=Customer.partial(plan=Plan.PAYG),
    )
    return HttpResponse(f"{change.is_done} {change.conflicts} {change.theirs}")


@pytest.fixture
def button(signed_in: SignedIn) -> Iterator[Browser]:
    with served(platform_page("energy/plan", choose_plan, name="plan")):
        yield signed_in("ENERGY_APP")


def press(button: Browser, **shown: str) -> str:
    return button.post("/en/energy/plan", {"rowVersion": "1", **shown}).content.decode()


def test_it_names_the_version_that_was_shown(button: Browser, kept: KeptRow) -> None:
    assert press(button, **{"shown-plan": "flat"}) == "True () ()"
    assert kept.writes[0].headers["if-match"] == '"1"'


def test_a_change_of_another_field_is_no_conflict(button: Browser, kept: KeptRow) -> None:
    kept.change(name="Grace")
    assert press(button, **{"shown-plan": "flat", "shown-name": "Ada"}) == "True () ('name',)"
    assert kept.row is not None
    assert (kept.row["plan"], kept.row["name"]) == ("payg", "Grace")


def test_a_change_of_the_same_field_is_one_and_nothing_is_written(button: Browser, kept: KeptRow) -> None:
    kept.change(plan="beta")
    assert press(button, **{"shown-plan": "flat"}) == "False ('plan',) ()"
    assert kept.row is not None
    assert kept.row["plan"] == "beta"


def test_what_somebody_else_has_done_already_is_done(button: Browser, kept: KeptRow) -> None:
    kept.change(plan="payg")
    assert press(button, **{"shown-plan": "flat"}) == "True () ()"
    assert len(kept.writes) == 1


def test_a_page_that_did_not_say_what_it_showed_writes_nothing_over_another_version(
    button: Browser, kept: KeptRow
) -> None:
    kept.change(name="Grace")
    assert press(button) == "False ('plan',) ()"


def test_a_row_that_is_gone_is_a_404(button: Browser, kept: KeptRow) -> None:
    kept.delete()
    assert button.post("/en/energy/plan", {"rowVersion": "1"}).status_code == 404
