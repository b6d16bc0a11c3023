"""What all resources share: a row's id, a list's parameters, the path of one row."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final, TypedDict

from portal.config.wire_names import SORT_NEWEST_FIRST, SORT_OLDEST_FIRST

if TYPE_CHECKING:
    from collections.abc import Mapping

#: Orders in which no change of a row moves it; a list without `sort` is newest first.
_BY_CREATION: Final = frozenset({None, SORT_NEWEST_FIRST, SORT_OLDEST_FIRST})


class Row(TypedDict):
    """A row of any resource; only this much is certain. The member is named as `ID_FIELD` of the contract says."""

    id: str


class RowParams(TypedDict):
    """Names one row. A hook's own parameter: on the wire it stands in the address, without its name."""

    id: str


class ListParams(TypedDict, total=False):
    """What every list can be asked.

    `q`: words to look for, without case and accents; a row has them all. `sort`: one of the contract's sort names or
    the resource's own; newest first where it is missing. The backend's names of both: `portal.config.wire_names`.
    """

    q: str | None
    sort: str | None


def belongs_at_start(params: Mapping[str, Any], row: Mapping[str, Any]) -> bool | None:
    """Whether a new row stands first: in the whole list, newest first. Of all else only the server knows."""
    del row
    return True if params.get("sort") in {None, SORT_NEWEST_FIRST} and not _filters(params) else None


def stays_in_place(params: Mapping[str, Any], row: Mapping[str, Any]) -> bool | None:
    """Whether a changed row stands where it stood: in the whole list, by creation. Else only the server knows."""
    del row
    return True if params.get("sort") in _BY_CREATION and not _filters(params) else None


def _filters(params: Mapping[str, Any]) -> bool:
    return any(value is not None for name, value in params.items() if name != "sort")
