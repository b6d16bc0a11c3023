import pytest

GUARDED = {
    "ENERGY_APP": [
        "/energy/clients",
        "/energy/clients/x",
        "/energy/stations",
        "/energy/stations/x",
        "/energy/chargers",
        "/energy/chargers/x",
        "/energy/sessions",
        "/energy/sessions/x",
        "/energy/meters",
        "/energy/meters/x",
        "/energy/summary",
        "/energy/state",
    ],
    "OPERATIONS_APP": ["/operations/work-orders", "/operations/work-orders/x", "/operations/summary"],
    "FINANCE_APP": ["/finance/invoices", "/finance/invoices/x", "/finance/summary"],
    "IAM_ADMIN": ["/iam/accounts", "/iam/accounts/x"],
}


@pytest.mark.parametrize(("permission", "path"), [(name, path) for name, paths in GUARDED.items() for path in paths])
def test_only_the_matching_permission_opens_it(sign_in, problem, permission, path):
    others = [name for name in GUARDED if name != permission]
    assert problem(sign_in(*others, permission.lower(), f" {permission}").get(path), 403)
    assert sign_in(permission).get(path).status_code == (404 if path.endswith("/x") else 200)


@pytest.mark.parametrize(
    ("method", "path"),
    [
        ("post", "/energy/clients"),
        ("patch", "/energy/clients/x"),
        ("delete", "/energy/clients/x"),
        ("post", "/operations/work-orders"),
        ("patch", "/operations/work-orders/x"),
        ("patch", "/iam/accounts/x"),
    ],
)
def test_writes_are_guarded_as_reads_are(sign_in, problem, method, path):
    assert problem(getattr(sign_in(), method)(path, {}), 403)


def test_a_change_of_permissions_is_effective_at_once(sign_in, problem):
    client = sign_in("ENERGY_APP")
    client.account.permissions = []
    client.account.save()
    assert problem(client.get("/energy/clients"), 403)
    assert client.get("/me").json()["permissions"] == []
    client.account.permissions = ["ENERGY_APP"]
    client.account.save()
    assert client.get("/energy/clients").status_code == 200
