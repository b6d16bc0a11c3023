"""What all resources share: a row's id, and where a written row belongs in a list."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final, TypedDict

from portal.config.wire_names import SORT_NEWEST_FIRST, SORT_OLDEST_FIRST

if TYPE_CHECKING:
    from collections.abc import Mapping

#: Orders in which no change of a row moves it; a list without `sort` is newest first.
_BY_CREATION: Final = frozenset({None, SORT_NEWEST_FIRST, SORT_OLDEST_FIRST})


class Row(TypedDict):
    """A row of any resource. Only `id` is certain; its name on the wire is `ID_FIELD`."""

    id: str


def row_url(path: str) -> str:
    """The path of a row whose list has this path."""
    return f"{path}/{{id}}"


def belongs_at_start(params: Mapping[str, Any], row: Mapping[str, Any]) -> bool | None:
    """A new row is first in the whole list, newest first. For every other variant only the server knows its place."""
    del row
    return True if params.get("sort") in {None, SORT_NEWEST_FIRST} and not _filters(params) else None


def stays_in_place(params: Mapping[str, Any], row: Mapping[str, Any]) -> bool | None:
    """A changed row keeps its place in the whole list, by creation. For every other variant only the server knows."""
    del row
    return True if params.get("sort") in _BY_CREATION and not _filters(params) else None


def _filters(params: Mapping[str, Any]) -> bool:
    return any(value is not None for name, value in params.items() if name != "sort")
