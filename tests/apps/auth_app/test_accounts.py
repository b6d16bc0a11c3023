"""Accounts and their permissions, for administrators alone."""

import re
from typing import Any

import pytest
from django.test import Client

from portal.testing import Backend, SignedIn, row_ids

ACCOUNTS, ROW = "/iam/accounts", "/iam/accounts/acc_1"
PAGE, EDIT = "/en/accounts", "/en/accounts/acc_1/edit"
SIGN_INS = "/iam/auth/sessions"
ADA = {"id": "acc_1", "email": "lovelace@example.com", "permissions": ["ENERGY_APP", "ODD_ONE"], "version": 3}


@pytest.fixture
def admin(backend: Backend, signed_in: SignedIn) -> Client:
    backend.lists(ACCOUNTS, [ADA, {"id": "acc_2", "email": "bob@example.com", "permissions": ["FINANCE_APP"]}])
    return signed_in("IAM_ADMIN")


@pytest.fixture
def ada(signed_in: SignedIn) -> Client:
    """An administrator at her own account."""
    return signed_in("IAM_ADMIN", id="acc_1")


def sent_to(backend: Backend) -> list[Any]:
    return [call.body["permissions"] for call in backend.calls_to(ROW, method="PATCH")]


def test_nobody_else_may_open_or_change_them(backend: Backend, signed_in: SignedIn) -> None:
    backend.lists(ACCOUNTS, [ADA])
    backend.lists(SIGN_INS, [])
    browser = signed_in("ENERGY_APP", "OPERATIONS_APP", "FINANCE_APP")
    pages = [browser.post(EDIT, {"permissions": ["IAM_ADMIN"]}), *map(browser.get, (PAGE, f"{PAGE}/acc_1", EDIT))]
    assert [(page.status_code, "lovelace" in page.content.decode()) for page in pages] == [(403, False)] * 4
    assert sent_to(backend) == []
    assert 'href="/en/accounts"' not in browser.get("/en/profile").content.decode()
    # What `/me` says decides, and not the token.
    assert signed_in("IAM_ADMIN", permissions=["ENERGY_APP"]).get(PAGE).status_code == 403


def test_administrator_finds_and_filters_accounts(backend: Backend, admin: Client) -> None:
    page = admin.get(PAGE)
    assert row_ids(page) == ["acc_1", "acc_2"]
    for text in ('href="/en/accounts" aria-current="page"', "Open Energy", "ODD_ONE"):
        assert text in page.content.decode()
    backend.answers("GET", f"{ACCOUNTS}/counts", json={"permission": {"IAM_ADMIN": 7, "ODD_ONE": 5}})
    page = admin.get(f"{PAGE}?permission=ENERGY_APP&permission=FINANCE_APP")
    assert backend.calls_to(ACCOUNTS)[-1].query["permission"] == "ENERGY_APP,FINANCE_APP"
    assert backend.calls_to(f"{ACCOUNTS}/counts")[-1].query["by"] == "permission"
    chips = re.findall(r'name="permission"\s+value="([A-Z_]+)"( checked)?', page.content.decode())
    assert dict(chips) == {"ENERGY_APP": " checked", "OPERATIONS_APP": "", "FINANCE_APP": " checked", "IAM_ADMIN": ""}
    assert '<span class="chip-count">7</span>' in page.content.decode()


@pytest.mark.parametrize(
    ("chosen", "status"), [(["FINANCE_APP", "ODD_ONE"], 303), ([], 303), (["ENERGY_APP", "<b>"], 422)]
)
def test_known_permissions_are_sent(backend: Backend, admin: Client, chosen: list[str], status: int) -> None:
    backend.answers("PATCH", ROW, json=ADA)
    sent = {"permissions": chosen, "initial-permissions": ADA["permissions"]}
    assert admin.post(EDIT, sent).status_code == status
    assert sent_to(backend) == [chosen] * (status == 303)


@pytest.mark.parametrize(
    ("theirs", "status"), [(["FINANCE_APP", "ODD_ONE"], 303), (["ODD_ONE"], 409)], ids=["the same", "another"]
)
def test_same_change_is_no_conflict(backend: Backend, admin: Client, theirs: list[str], status: int) -> None:
    backend.refuses("PATCH", ROW, status=412)
    backend.lists(ACCOUNTS, [ADA | {"permissions": theirs, "version": 4}])
    sent = {"permissions": ["ODD_ONE", "FINANCE_APP"], "initial-permissions": ADA["permissions"], "rowVersion": "3"}
    assert admin.post(EDIT, sent).status_code == status
    assert len(sent_to(backend)) == 1


def test_administrators_are_asked_before_they_lose_their_own_permission(backend: Backend, ada: Client) -> None:
    backend.lists(ACCOUNTS, [ADA | {"permissions": ["IAM_ADMIN"]}])
    backend.answers("PATCH", ROW, json=ADA)
    sent = {"permissions": ["ENERGY_APP"], "initial-permissions": ["IAM_ADMIN"]}
    page = ada.post(EDIT, sent)
    assert page.status_code == 200
    for text in ("Give up administration?", 'name="permissions" value="ENERGY_APP"'):
        assert text in page.content.decode()
    assert sent_to(backend) == []
    assert ada.post(EDIT, sent | {"confirmed": "yes"})["Location"] == "/en/profile"
    assert sent_to(backend) == [["ENERGY_APP"]]
    # Who keeps it is not asked.
    assert ada.post(EDIT, {"permissions": ["IAM_ADMIN", "ENERGY_APP"]})["Location"] == f"{PAGE}/acc_1"


@pytest.mark.parametrize(
    ("mine", "theirs", "kept", "is_asked"),
    [
        (["ENERGY_APP"], ["IAM_ADMIN"], "theirs", False),
        (["ENERGY_APP"], ["IAM_ADMIN"], "mine", True),
        (["IAM_ADMIN"], ["ENERGY_APP"], "mine", False),
        (["ENERGY_APP"], ["IAM_ADMIN"], "", False),
    ],
)
def test_settled_conflict_asks(
    *, backend: Backend, ada: Client, mine: list[str], theirs: list[str], kept: str, is_asked: bool
) -> None:
    backend.lists(ACCOUNTS, [ADA | {"permissions": theirs, "version": 4}])
    backend.answers("PATCH", ROW, json=ADA)
    sent: dict[str, Any] = {"permissions": mine, "initial-permissions": theirs, "keep-permissions": kept}
    page = ada.post(EDIT, sent | {"rowVersion": "4", "inConflict": "permissions"})
    assert ("Give up administration?" in page.content.decode()) is is_asked


@pytest.mark.parametrize("status", [200, 503], ids=["done", "perhaps done"])
def test_taken_permission_ends_with_the_next_page(backend: Backend, signed_in: SignedIn, status: int) -> None:
    backend.lists(ACCOUNTS, [ADA])
    backend.lists(SIGN_INS, [])
    browsers = [signed_in("ENERGY_APP", account=account) for account in ("acc_1", "acc_2")]
    for browser in browsers * 2:
        browser.get("/en/profile")
    backend.answers("PATCH", ROW, json=ADA, status=status)
    signed_in("IAM_ADMIN").post(EDIT, {"permissions": []})
    known = len(backend.calls_to("/me"))
    for browser in browsers:
        browser.get("/en/profile")
    assert len(backend.calls_to("/me")) == known + 1
