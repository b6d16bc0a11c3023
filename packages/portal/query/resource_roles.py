"""What an endpoint is to its resource, and what a page does without it."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final, Literal, TypeAlias

from portal.errors import UsageError

if TYPE_CHECKING:
    from collections.abc import Collection, Mapping

ResourceRole: TypeAlias = Literal[
    "list", "detail", "counts", "totals", "create", "update", "replace", "delete", "restore", "activity", "note"
]
#: What a page does without an optional endpoint, where the declaration says nothing else.
_WITHOUT: Final[Mapping[ResourceRole, str]] = {
    "list": "The list is not offered: no page, no menu entry, no section.",
    "detail": "Rows have no page.",
    "counts": "Filters have no numbers.",
    "totals": "The list has no sums.",
    "create": "Nothing can be created.",
    "update": "Rows can't be edited.",
    "replace": "Rows can't be edited.",
    "delete": "Rows can't be deleted.",
    "restore": "The deletion of a row can't be undone.",
    "activity": "Rows have no history and no notes.",
    "note": "No notes can be written.",
}


def sentences_of(
    path: str, *, required: Collection[ResourceRole], without: Mapping[ResourceRole, str]
) -> dict[ResourceRole, str]:
    """What a page does without each endpoint; empty for a required one.

    :raises UsageError: a role is unknown, or is both required and optional.
    """
    unknown = [role for role in (*required, *without) if role not in _WITHOUT]
    if unknown:
        raise UsageError(f"resource {path}: {unknown[0]!r} should be one of {', '.join(_WITHOUT)}")
    both = [role for role in without if role in required]
    if both:
        raise UsageError(f"resource {path}: {both[0]} is required, so no page does without it")
    return {role: "" if role in required else without.get(role) or usual for role, usual in _WITHOUT.items()}
