"""Two users change one row: no change is lost without a word."""

from __future__ import annotations

import html
import itertools
from typing import Any

import pytest
from django.contrib.messages import get_messages
from django.test import Client as Browser

from portal.testing import SignedIn
from portal_pages import EditView
from tests.portal_pages.customers import (
    CREATE,
    EDIT,
    CustomerForm,
    CustomerMutations,
    CustomerQueries,
    customer_pages,
    served,
)
from tests.portal_pages.forms.conftest import KeptRow, inputs, send, shown_form


def text_of(response: Any) -> str:
    return html.unescape(response.content.decode())


def bodies(kept: KeptRow) -> list[tuple[str | None, Any]]:
    """What was sent, each with the version that it was to change."""
    return [(call.headers.get("if-match"), call.body) for call in kept.writes]


def test_a_change_names_the_version_that_was_shown(browser: Browser, kept: KeptRow) -> None:
    sent = shown_form(browser)
    assert sent["rowVersion"] == "1"
    assert send(browser, sent, name="Ida").status_code == 303
    assert bodies(kept) == [('"1"', {"name": "Ida"})]


def test_a_field_that_somebody_else_changed_keeps_that_value_and_the_message_names_it(
    browser: Browser, kept: KeptRow
) -> None:
    sent = shown_form(browser)
    kept.change(plan="payg")
    response = send(browser, sent, name="Ida")
    assert (response.status_code, response["Location"]) == (303, "/en/energy/clients/c1")
    assert kept.row is not None
    assert (kept.row["name"], kept.row["plan"]) == ("Ida", "payg")
    [message] = get_messages(response.wsgi_request)
    assert str(message) == "Your changes were saved. Meanwhile somebody else changed: Plan."


def test_a_field_that_both_changed_shows_both_values_and_nothing_is_written(browser: Browser, kept: KeptRow) -> None:
    sent = shown_form(browser)
    kept.change(name="Grace", plan="payg")
    response = send(browser, sent, name="Ida")
    page = text_of(response)
    assert response.status_code == 409
    assert response["HX-Retarget"] == "#content"
    assert "Somebody else has changed the same meanwhile" in page
    assert "Changed by others, and kept: Plan." in page
    assert ["Ida" in page, "Grace" in page] == [True, True]
    assert kept.row is not None
    assert kept.row["name"] == "Grace"
    again = inputs(page)
    assert (again["rowVersion"], again["inConflict"], again["name"], again["initial-name"]) == (
        "2",
        "name",
        "Ida",
        "Grace",
    )
    assert again["plan"] == "payg"


def conflict(browser: Browser, kept: KeptRow) -> dict[str, str]:
    sent = shown_form(browser)
    kept.change(name="Grace")
    return inputs(text_of(send(browser, sent, name="Ida")))


@pytest.mark.parametrize(
    ("answer", "written"),
    [
        ({"keep-name": "mine"}, [('"2"', {"name": "Ida"})]),
        ({"keep-name": "theirs"}, []),
        ({"keep-name": "theirs", "plan": "payg"}, [('"2"', {"plan": "payg"})]),
    ],
)
def test_the_chosen_value_is_written_over_the_version_that_was_shown(
    browser: Browser, kept: KeptRow, answer: dict[str, str], written: list[Any]
) -> None:
    again = conflict(browser, kept)
    before = len(kept.writes)
    assert send(browser, again, **answer).status_code == 303
    assert bodies(kept)[before:] == written
    assert kept.row is not None
    assert kept.row["name"] == ("Ida" if answer["keep-name"] == "mine" else "Grace")


def test_nothing_is_written_until_the_user_has_chosen(browser: Browser, kept: KeptRow) -> None:
    again = conflict(browser, kept)
    writes = len(kept.writes)
    for answer in ({}, {"keep-name": "both"}):
        response = send(browser, again, **answer)
        assert response.status_code == 409
        assert "Choose which of the two is to stay." in text_of(response)
        assert inputs(text_of(response))["rowVersion"] == "2"
    assert len(kept.writes) == writes


def test_a_third_change_is_a_conflict_again(browser: Browser, kept: KeptRow) -> None:
    again = conflict(browser, kept)
    kept.change(name="Hedy")
    response = send(browser, again, **{"keep-name": "mine"})
    assert response.status_code == 409
    assert ["Ida" in text_of(response), "Hedy" in text_of(response)] == [True, True]
    assert kept.row is not None
    assert kept.row["name"] == "Hedy"


def test_the_same_change_by_both_is_no_conflict(browser: Browser, kept: KeptRow) -> None:
    sent = shown_form(browser)
    kept.change(name="Ida")
    assert send(browser, sent, name="Ida").status_code == 303
    assert [body for _, body in bodies(kept)] == [{"name": "Ida"}]
    assert kept.row is not None
    assert kept.row["version"] == 2


def test_a_select_shows_the_words_of_both_values(browser: Browser, kept: KeptRow) -> None:
    sent = shown_form(browser)
    assert kept.row is not None
    kept.row["plan"] = None
    kept.change(plan="beta")
    page = text_of(send(browser, sent, plan="payg"))
    assert ["Pay as you go" in page, "beta" in page] == [True, True]


def test_others_who_change_other_fields_again_and_again_hold_nobody_up_for_ever(
    browser: Browser, kept: KeptRow
) -> None:
    sent = shown_form(browser)
    plans = itertools.cycle(["payg", "flat"])
    kept.meanwhile = [lambda: kept.change(plan=next(plans))] * 50
    response = send(browser, sent, name="Ida")
    assert response.status_code == 422
    assert "Nothing was saved; please send it again." in text_of(response)
    assert len(kept.writes) < 10
    kept.meanwhile = []
    assert send(browser, inputs(text_of(response)), name="Ida").status_code == 303


def test_what_others_have_written_since_counts_for_who_has_just_written_too(browser: Browser, kept: KeptRow) -> None:
    """For some seconds a user's own write shows in all that is fetched: the backend's reads may be behind it."""
    assert send(browser, shown_form(browser), plan="payg").status_code == 303
    sent = shown_form(browser)
    kept.change(city="Bonn")
    assert send(browser, sent, name="Ida").status_code == 303
    assert "Bonn" in browser.get("/en/energy/clients/c1").content.decode()
    kept.change(name="Grace")
    assert send(browser, shown_form(browser), name="Hedy").status_code == 409


def test_a_row_without_a_version_is_changed_as_it_is(browser: Browser, kept: KeptRow) -> None:
    assert kept.row is not None
    kept.row["version"] = None
    sent = shown_form(browser)
    assert "rowVersion" not in sent
    kept.row["version"] = 7
    assert send(browser, sent, name="Ida").status_code == 303
    assert bodies(kept) == [(None, {"name": "Ida"})]


def test_made_up_fields_of_a_conflict_write_nothing_unseen(browser: Browser, kept: KeptRow) -> None:
    sent = shown_form(browser)
    made_up = {"inConflict": "id", "keep-id": "theirs", "rowVersion": "9" * 40}
    assert send(browser, sent | made_up, name="Ida").status_code == 303
    assert bodies(kept) == [(None, {"name": "Ida"})]


@pytest.mark.parametrize("create", [{"create": CREATE}, {}], ids=["created anew", "nothing creates one"])
def test_a_row_that_was_deleted_meanwhile_shows_what_was_typed_and_can_be_created_anew_where_one_can(
    signed_in: SignedIn, kept: KeptRow, create: dict[str, Any]
) -> None:
    with served(*customer_pages(edit=EDIT, **create)):
        browser = signed_in("ENERGY_APP")
        sent = shown_form(browser)
        kept.delete()
        response = send(browser, sent, name="Ida", plan="payg")
    page = text_of(response)
    assert (response.status_code, response["HX-Retarget"]) == (404, "#content")
    assert "Ada was deleted meanwhile" in page
    assert "The address may be misspelt" not in page
    assert ["Ida" in page, "Pay as you go" in page, "Create it anew" in page] == [True, True, bool(create)]
    if create:
        assert 'action="/en/energy/clients/new"' in page
        typed = inputs(page)
        assert (typed["name"], typed["plan"]) == ("Ida", "payg")
        assert typed["submissionKey"] != sent["submissionKey"]
        assert {"rowVersion", "initial-name"}.isdisjoint(typed)


def test_a_put_replaces_no_field_that_somebody_else_changed(signed_in: SignedIn, kept: KeptRow) -> None:
    put = EditView(
        query=CustomerQueries.use_get_customer_query,
        mutation=CustomerMutations.use_replace_customer_mutation,
        form=CustomerForm,
    )
    with served(*customer_pages(create=CREATE, edit=put)):
        browser = signed_in("ENERGY_APP")
        sent = shown_form(browser)
        kept.change(plan="payg")
        assert send(browser, sent, name="Ida").status_code == 303
    assert bodies(kept)[-1] == ('"2"', {"name": "Ida", "plan": "payg"})


def test_a_delete_of_what_somebody_else_has_changed_deletes_nothing(browser: Browser, kept: KeptRow) -> None:
    page = browser.get("/en/energy/clients/c1").content.decode()
    assert 'name="rowVersion" value="1"' in page
    kept.change(name="Grace")
    response = browser.post("/en/energy/clients/c1/delete", {"rowVersion": "1"})
    assert (response.status_code, response["Location"]) == (303, "/en/energy/clients/c1")
    assert kept.row is not None
    assert browser.post("/en/energy/clients/c1/delete", {"rowVersion": "2"}).status_code == 303
    assert kept.row is None
