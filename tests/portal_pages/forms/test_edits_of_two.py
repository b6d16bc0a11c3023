"""Two users change one row: no change is lost without a word."""

import itertools
from typing import Any

import pytest
from django.http import HttpRequest, HttpResponse

from portal_pages import EditView, change_row, platform_page
from tests.portal_pages import customers
from tests.portal_pages.site import FORM, HERE, NEW, KeptRow, Page, Site

MEANWHILE = "Meanwhile somebody else changed: Plan."


@pytest.mark.parametrize(
    ("theirs", "mine", "status", "row", "said"),
    [
        ({}, {"name": "Ida"}, 303, ("Ida", "flat", 2), "Your changes were saved."),
        ({"plan": "payg"}, {"name": "Ida"}, 303, ("Ida", "payg", 3), f"Your changes were saved. {MEANWHILE}"),
        ({"name": "Grace", "plan": "payg"}, {"name": "Ida"}, 409, ("Grace", "payg", 2), ""),
    ],
)
def test_change_overwrites_no_other(
    *, site: Site, kept: KeptRow, theirs: Any, mine: Any, status: int, row: tuple[Any, ...], said: str
) -> None:
    shown = site.get(FORM)
    kept.change(**theirs)
    page = site.send(shown, **mine)
    assert page.status == status
    assert kept.writes[0].headers["if-match"] == '"1"'
    assert (kept.row["name"], kept.row["plan"], kept.row["version"]) == row
    if status == 303:
        assert (page.location, page.said) == (HERE, [said])


def conflict(site: Site, kept: KeptRow, **theirs: Any) -> Page:
    shown = site.get(FORM)
    kept.change(**{"name": "Grace", **theirs})
    return site.send(shown, name="Ida")


def test_a_field_that_both_changed_shows_both_values(site: Site, kept: KeptRow) -> None:
    page = conflict(site, kept, plan="payg")
    assert page.response["HX-Retarget"] == "#content"
    for text in ("Somebody else has changed the same", "Changed by others, and kept: Plan.", "Ida", "Grace"):
        assert text in page.text
    again = page.fields
    assert (again["rowVersion"], again["inConflict"]) == ("2", "name")
    assert (again["name"], again["initial-name"], again["plan"]) == ("Ida", "Grace", "payg")


@pytest.mark.parametrize(
    ("answer", "written", "status"),
    [
        ({"keep-name": "mine"}, [('"2"', {"name": "Ida"})], 303),
        ({"keep-name": "theirs"}, [], 303),
        ({"keep-name": "theirs", "plan": "payg"}, [('"2"', {"plan": "payg"})], 303),
        ({}, [], 409),
        ({"keep-name": "both"}, [], 409),
    ],
)
def test_choice_is_sent(*, site: Site, kept: KeptRow, answer: dict[str, str], written: list[Any], status: int) -> None:
    page = conflict(site, kept)
    before = len(kept.writes)
    chosen = site.send(page, **answer)
    assert chosen.status == status
    assert [(call.headers.get("if-match"), call.body) for call in kept.writes[before:]] == written
    assert kept.row["name"] == ("Ida" if answer.get("keep-name") == "mine" else "Grace")
    if status == 409:
        assert "Choose which of the two is to stay." in chosen.text
        assert chosen.fields["rowVersion"] == "2"


def test_others_who_change_other_fields_again_and_again_hold_nobody_up_for_ever(site: Site, kept: KeptRow) -> None:
    shown = site.get(FORM)
    plans = itertools.cycle(["payg", "flat"])
    kept.meanwhile = [lambda: kept.change(plan=next(plans))] * 50
    page = site.send(shown, name="Ida")
    assert page.status == 422
    assert "Nothing was saved; please send it again." in page.text
    assert len(kept.writes) < 10
    kept.meanwhile = []
    assert site.send(page, name="Ida").status == 303


def test_a_row_without_a_version_is_changed_as_it_is_and_a_made_up_version_is_none(site: Site, kept: KeptRow) -> None:
    kept.row["version"] = None
    shown = site.get(FORM)
    assert "rowVersion" not in shown.fields
    kept.row["version"] = 7
    made_up = {"inConflict": "id", "keep-id": "theirs", "rowVersion": "9" * 40}
    for sent in ({"name": "Eve"}, {"name": "Ida", **made_up}):
        assert site.send(shown, **sent).status == 303
    assert [call.headers.get("if-match") for call in kept.writes] == [None, None]
    assert [call.body for call in kept.writes] == [{"name": "Eve"}, {"name": "Ida"}]


@pytest.mark.parametrize("create", [{"create": customers.CREATE}, {}])
def test_deleted_row_can_be_created_anew(site: Site, kept: KeptRow, create: dict[str, Any]) -> None:
    with customers.served(*customers.customer_pages(edit=customers.EDIT, **create)):
        shown = site.get(FORM)
        kept.delete()
        page = site.send(shown, name="Ida", plan="payg")
    assert (page.status, page.response["HX-Retarget"]) == (404, "#content")
    assert "Ada was deleted meanwhile" in page.text
    assert "The address may be misspelt" not in page.text
    assert ["Ida" in page.text, "Pay as you go" in page.text] == [True, True]
    assert (NEW in page.forms, "Create it anew" in page.text) == (bool(create), bool(create))
    if create:
        typed = page.forms[NEW]
        assert (typed["name"], typed["plan"]) == ("Ida", "payg")
        assert typed["submissionKey"] != shown.fields["submissionKey"]
        assert {"rowVersion", "initial-name"}.isdisjoint(typed)


def test_a_put_sends_all_fields_and_replaces_none_that_somebody_else_changed(site: Site, kept: KeptRow) -> None:
    put = EditView(
        query=customers.CustomerQueries.use_get_customer_query,
        mutation=customers.CustomerMutations.use_replace_customer_mutation,
        form=customers.CustomerForm,
    )
    with customers.served(*customers.customer_pages(create=customers.CREATE, edit=put)):
        shown = site.get(FORM)
        kept.change(plan="payg")
        assert site.send(shown, name="Ida").status == 303
    last = kept.writes[-1]
    assert (last.method, last.headers["if-match"], last.body) == ("PUT", '"2"', {"name": "Ida", "plan": "payg"})


def test_a_delete_of_what_somebody_else_has_changed_deletes_nothing(site: Site, kept: KeptRow) -> None:
    sent = site.get().forms[f"{HERE}/delete"]
    kept.change(name="Grace")
    refused = site.post(f"{HERE}/delete", sent)
    assert (refused.status, refused.location, kept.row["name"]) == (303, HERE, "Grace")
    assert site.post(f"{HERE}/delete", sent | {"rowVersion": "2"}).status == 303
    assert kept.row == {}


# --- `change_row`: one field, changed by a button ---


def choose_plan(request: HttpRequest) -> HttpResponse:
    change = change_row(
        request,
        query=customers.CustomerQueries.use_get_customer_query,
        mutation=customers.CustomerMutations.use_update_customer_mutation,
        row_id="c1",
        body=customers.Customer.partial(plan=customers.Plan.PAYG),
    )
    return HttpResponse(f"{change.is_done} {change.conflicts} {change.theirs}")


@pytest.mark.parametrize(
    ("theirs", "shown", "answer", "row"),
    [
        ({}, {"plan": "flat"}, "True () ()", ("Ada", "payg")),
        ({"name": "Grace"}, {"plan": "flat", "name": "Ada"}, "True () ('name',)", ("Grace", "payg")),
        ({"plan": "beta"}, {"plan": "flat"}, "False ('plan',) ()", ("Ada", "beta")),
        ({"plan": "payg"}, {"plan": "flat"}, "True () ()", ("Ada", "payg")),
        # A page that did not say what it showed writes nothing over another version.
        ({"name": "Grace"}, {}, "False ('plan',) ()", ("Grace", "flat")),
    ],
)
def test_button_overwrites_no_other(
    *, site: Site, kept: KeptRow, theirs: Any, shown: dict[str, str], answer: str, row: tuple[str, str]
) -> None:
    kept.change(**theirs)
    sent = {"rowVersion": "1"} | {f"shown-{name}": value for name, value in shown.items()}
    with customers.served(platform_page("energy/plan", choose_plan, name="plan")):
        assert site.post("/en/energy/plan", sent).text == answer
        assert kept.writes[0].headers["if-match"] == '"1"'
        assert (kept.row["name"], kept.row["plan"]) == row
        kept.delete()
        assert site.post("/en/energy/plan", sent).status == 404
