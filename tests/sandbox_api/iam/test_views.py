from datetime import timedelta

import pytest
from django.utils import timezone

from sandbox_api.auth.models import SignIn


@pytest.fixture
def admin(sign_in):
    return sign_in("IAM_ADMIN")


def test_administrator_sees_accounts_without_passwords(admin, make_account):
    other = make_account("ENERGY_APP", name="Zoë", email="zoe@example.com")
    page = admin.get("/iam/accounts?sort=name").json()
    assert page["total"] == 2
    row = page["items"][1]
    assert set(row) == {"id", "email", "name", "permissions", "createdAt", "version"}
    assert (row["id"], row["name"], row["permissions"]) == (other.id, "Zoë", ["ENERGY_APP"])
    assert admin.get(f"/iam/accounts/{other.id}").json() == row
    assert admin.get("/iam/accounts?q=zoe").json()["total"] == 1


def test_accounts_are_filtered_by_permission_and_counted(admin, make_account):
    codes = {"A": ["ENERGY_APP"], "B": ["FINANCE_APP", "ENERGY_APP"], "C": [], "D": ["ENERGY_APP_2"]}
    for name, permissions in codes.items():
        make_account(*permissions, name=name)

    def names(**query):
        page = admin.get("/iam/accounts", {"sort": "name", **query}).json()
        assert page["total"] == len(page["items"])
        return "".join(row["name"] for row in page["items"] if len(row["name"]) == 1)

    assert names(permission="ENERGY_APP") == "AB"
    assert names(permission="FINANCE_APP") == "B"
    assert names(permission="ENERGY_APP,ENERGY_APP_2") == "ABD"
    assert names(permission="ENERGY_APP", q="b") == "B"
    assert names(permission='"') == names(permission="ENERGY") == names(permission="E%") == ""
    counts = {"ENERGY_APP": 2, "FINANCE_APP": 1, "ENERGY_APP_2": 1, "IAM_ADMIN": 1}
    assert admin.get("/iam/accounts/counts?by=permission").json() == {"permission": counts}


def test_permissions_alone_change_and_hold_at_once(admin, sign_in, problem):
    user = sign_in()
    assert problem(user.get("/finance/invoices"), 403)
    path = f"/iam/accounts/{user.account.id}"
    body = {"permissions": ["FINANCE_APP", "LOGISTICS_APP", "FINANCE_APP"], "email": "x@example.com", "name": "X"}
    row = admin.patch(path, body).json()
    assert row["permissions"] == ["FINANCE_APP", "LOGISTICS_APP"]
    for value in ("ENERGY_APP", None, ["energy"], ["A\n"]):
        assert problem(admin.patch(path, {"permissions": value}), 422, "permissions"), value
    assert (row["email"], row["name"]) == (user.account.email, user.account.name)
    assert user.get("/finance/invoices").status_code == 200
    admin.patch(path, {"permissions": []})
    assert problem(user.get("/finance/invoices"), 403)


def test_caller_sees_own_sign_ins_and_the_current_one(sign_in):
    client = sign_in()
    other_device = sign_in(account=client.account)
    sign_in()
    page = client.get("/iam/auth/sessions").json()
    assert page["total"] == 2
    rows = page["items"]
    assert [row["current"] for row in rows] == [False, True]
    assert set(rows[0]) == {"id", "createdAt", "lastUsedAt", "userAgent", "ipAddress", "place", "current"}
    assert rows[0]["userAgent"] == "tests"
    assert [row["current"] for row in other_device.get("/iam/auth/sessions").json()["items"]] == [True, False]
    SignIn.objects.filter(id=rows[0]["id"]).update(expires_at=timezone.now() - timedelta(seconds=1))
    assert [row["id"] for row in client.get("/iam/auth/sessions").json()["items"]] == [rows[1]["id"]]
