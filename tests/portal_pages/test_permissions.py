"""A page or an action that needs a permission: who lacks it is not offered it, and gets a 403."""

from dataclasses import replace

import pytest
from django.test import Client as Browser
from django.urls import URLPattern

from portal.testing import Backend, SignedIn
from portal_pages import RowAction, resource_pages
from tests.portal_pages.customers import CREATE, CUSTOMERS, DELETE, EDIT, LIST, Customer, acting, customer_pages, served
from tests.portal_pages.site import FORM, HERE, NEW, PAGE, ROW, Page

EDITOR = "ENERGY_EDITOR"
ADA = {"id": "c1", "name": "Ada", "plan": "flat", "city": "Oslo"}
MOVE = RowAction(name="move", label="Move", values=Customer.partial(city="Rome"), message="Moved.", permission=EDITOR)
RENAME = RowAction(name="rename", label="Rename", form=EDIT.form, message="Renamed.", permission=EDITOR)
ACTS = acting(MOVE, RENAME)
WRITES = {"create": CREATE, "edit": EDIT, "delete": DELETE}
OFFERED = (f'href="{NEW}"', f'href="{FORM}"', f'action="{HERE}/delete"', f'action="{HERE}/move"', f'{HERE}/rename"')
SENT = {"name": "Ada", "plan": "flat"}


@pytest.fixture
def pages() -> list[URLPattern]:
    return customer_pages(detail=ACTS, **{role: replace(page, permission=EDITOR) for role, page in WRITES.items()})


@pytest.fixture
def user(backend: Backend, signed_in: SignedIn, pages: list[URLPattern]) -> object:
    backend.lists(CUSTOMERS, [ADA])
    backend.answers("PATCH", ROW, json=ADA | {"city": "Rome"})

    def browser(*permissions: str) -> Browser:
        return signed_in("ENERGY_APP", permissions=["ENERGY_APP", *permissions])

    with served(*pages):
        yield browser


def test_who_has_the_permission_is_offered_all_and_may_do_it(user, backend: Backend) -> None:
    editor = user(EDITOR)
    shown = Page(editor.get(PAGE)).html + Page(editor.get(HERE)).html
    assert [each for each in OFFERED if each not in shown] == []
    assert editor.get(NEW).status_code == 200
    assert editor.post(f"{HERE}/move").status_code == 303
    assert len(backend.calls_to(ROW, method="PATCH")) == 1


def test_who_lacks_it_sees_the_rows_and_is_offered_nothing_of_it(user) -> None:
    reader = user()
    shown = Page(reader.get(PAGE)).html + Page(reader.get(HERE)).html
    assert "Ada" in shown
    assert [each for each in OFFERED if each in shown] == []


@pytest.mark.parametrize("path", [NEW, FORM, f"{HERE}/delete", f"{HERE}/move", f"{HERE}/rename"])
def test_what_is_sent_or_opened_without_it_is_a_403_and_reaches_no_backend(user, backend: Backend, path: str) -> None:
    assert user().post(path, SENT).status_code == 403
    assert [backend.calls_to(CUSTOMERS, method="POST"), backend.calls_to(ROW, method="PATCH")] == [[], []]
    assert backend.calls_to(ROW, method="DELETE") == []
    assert user().get(path).status_code == 403


def test_permission_of_a_page_replaces_that_of_its_resource() -> None:
    free = RowAction(name="stay", label="Stay", values=Customer.partial(city="Oslo"), message="Stayed.")
    made = resource_pages(
        "energy/clients",
        name="client",
        title="Clients",
        list=replace(LIST, permission="ENERGY_LIST"),
        detail=replace(ACTS, permission="ENERGY_LEAD", actions=(MOVE, free)),
        create=replace(CREATE, permission=EDITOR),
        edit=EDIT,
        permission="ENERGY_READER",
    )
    needed = {page.name: page.callback._portal_permission for page in made}  # type: ignore[attr-defined]  # the guard's
    assert needed == {
        "clients": "ENERGY_LIST",
        "clients-export": "ENERGY_LIST",
        "client-new": EDITOR,
        "client": "ENERGY_LEAD",
        "client-edit": "ENERGY_READER",
        "client-move": EDITOR,
        "client-stay": "ENERGY_LEAD",
        "client-undo": "ENERGY_LEAD",
    }
