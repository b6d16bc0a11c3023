"""Permission strings to platforms: exact matches, in the registry's order, for any input."""

import pytest

from portal.identity import derive_platforms_from_me


@pytest.mark.parametrize(
    ("permissions", "platforms"),
    [
        (["FINANCE_APP", "ENERGY_APP", "OPERATIONS_APP"], ("ENERGY", "OPERATIONS", "FINANCE")),
        (["IAM_ADMIN", "ENERGY_APP"], ("ENERGY",)),
        # Exact matches only.
        *(
            ([name], ())
            for name in ("energy_app", "ENERGY", "ENERGY_APP\n", "ENERGY_APPS", "A,ENERGY_APP", "\u0395NERGY_APP")
        ),
        # Not a list, and members that are no strings.
        *((none, ()) for none in ("ENERGY_APP", None, ())),
        ([None, 1, ["ENERGY_APP"], {"ENERGY_APP": 1}, "FINANCE_APP"], ("FINANCE",)),
        # A profile.
        ({"permissions": ["ENERGY_APP"], "id": "1"}, ("ENERGY",)),
        ({"permissions": "ENERGY_APP"}, ()),
    ],
)
def test_a_platform_is_open_only_with_its_exact_permission(permissions, platforms) -> None:
    assert derive_platforms_from_me(permissions) == platforms
