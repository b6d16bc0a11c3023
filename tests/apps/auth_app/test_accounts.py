"""Accounts and their permissions, for administrators alone."""

from __future__ import annotations

import re
from html import unescape

import pytest
from django.test import Client

from portal.testing import Backend, SignedIn, row_ids

ACCOUNTS = "/iam/accounts"
ADA = {
    "id": "acc_1",
    "name": "Ada",
    "email": "lovelace@example.com",
    "permissions": ["ENERGY_APP", "ODD_ONE"],
    "version": 3,
}


@pytest.fixture
def admin(backend: Backend, signed_in: SignedIn) -> Client:
    backend.lists(ACCOUNTS, [ADA, {"id": "acc_2", "email": "bob@example.com"}])
    return signed_in("IAM_ADMIN")


def test_nobody_else_may_open_or_change_them(backend: Backend, signed_in: SignedIn) -> None:
    backend.lists(ACCOUNTS, [ADA])
    backend.lists("/iam/auth/sessions", [])
    browser = signed_in("ENERGY_APP", "OPERATIONS_APP", "FINANCE_APP")
    sent = browser.post("/en/accounts/acc_1/edit", {"permissions": ["IAM_ADMIN"]})
    for response in (*(browser.get(f"/en/accounts{end}") for end in ("", "/acc_1", "/acc_1/edit")), sent):
        assert response.status_code == 403
        assert "lovelace" not in response.content.decode()
    assert not backend.calls_to(f"{ACCOUNTS}/acc_1", method="PATCH")
    assert 'href="/en/accounts"' not in browser.get("/en/profile").content.decode()


def test_what_me_says_decides_and_not_the_token(backend: Backend, signed_in: SignedIn) -> None:
    backend.lists(ACCOUNTS, [ADA])
    assert signed_in("IAM_ADMIN", permissions=["ENERGY_APP"]).get("/en/accounts").status_code == 403
    assert signed_in("ENERGY_APP", permissions=["IAM_ADMIN"]).get("/en/accounts").status_code == 200


def test_an_administrator_finds_them_in_the_menu(admin: Client) -> None:
    page = admin.get("/en/accounts")
    assert row_ids(page) == ["acc_1", "acc_2"]
    assert 'href="/en/accounts" aria-current="page"' in page.content.decode()
    assert "Open Energy" in page.content.decode()
    assert "ODD_ONE" in page.content.decode()


def test_the_list_is_filtered_by_chips_with_their_counts(backend: Backend, admin: Client) -> None:
    backend.answers("GET", f"{ACCOUNTS}/counts", json={"permission": {"IAM_ADMIN": 7, "ODD_ONE": 5}})
    page = admin.get("/en/accounts?permission=ENERGY_APP&permission=FINANCE_APP")
    assert backend.calls_to(ACCOUNTS)[0].query["permission"] == "ENERGY_APP,FINANCE_APP"
    assert backend.calls_to(f"{ACCOUNTS}/counts")[0].query["by"] == "permission"
    chips = re.findall(r'name="permission"\s+value="([A-Z_]+)"( checked)?', page.content.decode())
    assert dict(chips) == {"ENERGY_APP": " checked", "OPERATIONS_APP": "", "FINANCE_APP": " checked", "IAM_ADMIN": ""}
    assert '<span class="chip-count">7</span>' in page.content.decode()


def test_permissions_are_checkboxes_and_the_unknown_one_stays(admin: Client) -> None:
    page = unescape(admin.get("/de/accounts/acc_1/edit").content.decode())
    assert "Konten verwalten (IAM_ADMIN)" in page
    assert page.count(" checked") == 2


@pytest.mark.parametrize(
    ("chosen", "status"), [(["FINANCE_APP", "ODD_ONE"], 303), ([], 303), (["ENERGY_APP", "<b>"], 422)]
)
def test_known_permissions_and_the_accounts_own_are_sent_and_no_other(
    backend: Backend, admin: Client, chosen: list[str], status: int
) -> None:
    backend.answers("PATCH", f"{ACCOUNTS}/acc_1", json=ADA)
    sent = {"permissions": chosen, "initial-permissions": ["ENERGY_APP", "ODD_ONE"]}
    assert admin.post("/de/accounts/acc_1/edit", sent).status_code == status
    bodies = [call.body for call in backend.calls_to(f"{ACCOUNTS}/acc_1", method="PATCH")]
    assert bodies == [{"permissions": chosen}] * (status == 303)


@pytest.mark.parametrize(
    ("theirs", "status"), [(["FINANCE_APP", "ODD_ONE"], 303), (["ODD_ONE"], 409)], ids=["the same", "another"]
)
def test_the_same_change_by_somebody_else_is_no_conflict_in_whatever_order(
    backend: Backend, admin: Client, theirs: list[str], status: int
) -> None:
    backend.refuses("PATCH", f"{ACCOUNTS}/acc_1", status=412)
    backend.lists(ACCOUNTS, [ADA | {"permissions": theirs, "version": 4}])
    sent = {
        "permissions": ["ODD_ONE", "FINANCE_APP"],
        "initial-permissions": ["ENERGY_APP", "ODD_ONE"],
        "rowVersion": "3",
    }
    response = admin.post("/en/accounts/acc_1/edit", sent)
    assert response.status_code == status
    assert len(backend.calls_to(f"{ACCOUNTS}/acc_1", method="PATCH")) == 1


def test_administrators_are_asked_before_they_lose_their_own_permission(backend: Backend, signed_in: SignedIn) -> None:
    backend.lists(ACCOUNTS, [ADA | {"permissions": ["IAM_ADMIN"]}])
    backend.answers("PATCH", f"{ACCOUNTS}/acc_1", json=ADA)
    browser = signed_in("IAM_ADMIN", id="acc_1")
    sent = {"permissions": ["ENERGY_APP"], "initial-permissions": ["IAM_ADMIN"]}
    page = browser.post("/en/accounts/acc_1/edit", sent)
    assert page.status_code == 200
    assert "Give up administration?" in page.content.decode()
    assert 'name="permissions" value="ENERGY_APP"' in page.content.decode()
    assert not backend.calls_to(f"{ACCOUNTS}/acc_1", method="PATCH")
    response = browser.post("/en/accounts/acc_1/edit", sent | {"confirmed": "yes"})
    assert (response.status_code, response["Location"]) == (303, "/en/profile")
    assert backend.calls_to(f"{ACCOUNTS}/acc_1", method="PATCH")[0].body == {"permissions": ["ENERGY_APP"]}
    # Who keeps it is not asked.
    kept = browser.post("/en/accounts/acc_1/edit", {"permissions": ["IAM_ADMIN", "ENERGY_APP"]})
    assert kept["Location"] == "/en/accounts/acc_1"


@pytest.mark.parametrize(
    ("mine", "theirs", "kept", "is_asked"),
    [
        (["ENERGY_APP"], ["IAM_ADMIN"], "theirs", False),
        (["ENERGY_APP"], ["IAM_ADMIN"], "mine", True),
        (["IAM_ADMIN"], ["ENERGY_APP"], "theirs", False),
        (["IAM_ADMIN"], ["ENERGY_APP"], "mine", False),
        (["ENERGY_APP"], ["IAM_ADMIN"], "", False),
    ],
)
def test_who_settles_a_conflict_is_asked_only_where_that_gives_administration_up(
    backend: Backend, signed_in: SignedIn, *, mine: list[str], theirs: list[str], kept: str, is_asked: bool
) -> None:
    backend.lists(ACCOUNTS, [ADA | {"permissions": theirs, "version": 4}])
    backend.answers("PATCH", f"{ACCOUNTS}/acc_1", json=ADA)
    sent = {
        "permissions": mine,
        "initial-permissions": theirs,
        "rowVersion": "4",
        "inConflict": "permissions",
        "keep-permissions": kept,
    }
    response = signed_in("IAM_ADMIN", id="acc_1").post("/en/accounts/acc_1/edit", sent)
    assert ("Give up administration?" in response.content.decode()) is is_asked


@pytest.mark.parametrize("status", [200, 503], ids=["done", "perhaps done"])
def test_what_was_taken_away_ends_with_the_accounts_next_page(
    backend: Backend, signed_in: SignedIn, status: int
) -> None:
    backend.lists(ACCOUNTS, [ADA])
    backend.lists("/iam/auth/sessions", [])
    ada, others = signed_in("ENERGY_APP", id="acc_1"), signed_in("ENERGY_APP", id="acc_2")
    for browser in (ada, others, ada, others):
        browser.get("/en/profile")
    backend.answers("PATCH", f"{ACCOUNTS}/acc_1", json=ADA, status=status)
    signed_in("IAM_ADMIN").post("/en/accounts/acc_1/edit", {"permissions": []})
    known = len(backend.calls_to("/me"))
    for browser in (ada, others):
        browser.get("/en/profile")
    assert len(backend.calls_to("/me")) == known + 1
