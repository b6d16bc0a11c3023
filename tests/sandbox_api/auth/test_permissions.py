"""Each path of a platform is open to whoever has exactly its permission; so are its writes."""

import pytest
from django.urls import get_resolver

from sandbox_api.profiles import path_shape

PERMISSIONS = {
    "/energy/": "ENERGY_APP",
    "/operations/": "OPERATIONS_APP",
    "/finance/": "FINANCE_APP",
    "/iam/accounts": "IAM_ADMIN",
}
GUARDED = [
    (permission, method, path_shape(str(each.pattern)).replace("{id}", "x"))
    for each in get_resolver("sandbox_api.urls").url_patterns
    for start, permission in PERMISSIONS.items()
    if path_shape(str(each.pattern)).startswith(start)
    for method in ("get", "post", "patch", "delete")
    if hasattr(each.callback.cls, method)
]


@pytest.mark.parametrize(("permission", "method", "path"), GUARDED)
def test_only_the_matching_permission_opens_a_path(sign_in, anyone, problem, permission, method, path):
    def status_for(*permissions):
        client = sign_in(*permissions)
        return getattr(client, method)(path, {"by": "status"} if method == "get" else {}).status_code

    others = [name for name in PERMISSIONS.values() if name != permission]
    assert status_for(*others, permission.lower(), f" {permission}") == 403
    assert status_for(permission) in ({404} if "/x" in path else {200, 422})
    assert problem(getattr(anyone, method)(path), 401)


def test_every_platform_has_guarded_paths():
    assert {permission for permission, _, _ in GUARDED} == set(PERMISSIONS.values())
    assert {method for _, method, _ in GUARDED} == {"get", "post", "patch", "delete"}
