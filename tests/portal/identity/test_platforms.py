"""Permission strings to platforms: exact matches, in the registry's order, for any input."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from portal.config.platforms import PLATFORMS
from portal.identity import derive_platforms_from_me
from portal.identity.users import in_registry_order, primary_platform

NAMES = tuple(platform.name for platform in PLATFORMS)
JSON = st.recursive(
    st.none()
    | st.booleans()
    | st.floats()
    | st.integers()
    | st.text()
    | st.sampled_from(["ENERGY_APP", "FINANCE_APP"]),
    lambda inner: st.lists(inner) | st.dictionaries(st.sampled_from(["permissions", "Permissions", "x"]), inner),
)


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


@given(JSON)
def test_any_json_gives_platforms_in_order(permissions) -> None:
    platforms = derive_platforms_from_me(permissions)
    assert list(platforms) == [name for name in NAMES if name in platforms]


def test_the_primary_platform_is_the_role_where_permitted_else_the_first() -> None:
    assert primary_platform(("ENERGY", "FINANCE"), role="FINANCE") == "FINANCE"
    assert primary_platform(("ENERGY", "FINANCE"), role="OPERATIONS") == "ENERGY"
    assert primary_platform(("ENERGY", "FINANCE"), role=None) == "ENERGY"
    assert primary_platform((), role="FINANCE") is None


def test_names_are_put_in_order_and_what_is_no_platform_is_dropped() -> None:
    assert in_registry_order(["FINANCE", "x", 1, None, ["ENERGY"], "ENERGY", "FINANCE"]) == ("ENERGY", "FINANCE")
