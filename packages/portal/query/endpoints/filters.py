"""Filters of a list: which field of a row each of its parameters is held against. Pure.

Where a backend does not filter, its rows say so: no row that contradicts a parameter is shown under it (contract,
section 7). So each parameter of a list belongs to a field.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any, Final, Literal, get_args

from portal.config.contract_names import CREATED_AT_FIELD, CURSOR_PARAM, FROM_SUFFIX, LIMIT_PARAM, TO_SUFFIX
from portal.errors import UsageError
from portal.query.endpoints.params import parameter_names
from portal.rows import ListParams, OpenEnum, field_types, is_record, wire_names

if TYPE_CHECKING:
    from collections.abc import Collection, Mapping

#: Parameters of every list, which are no filters.
NO_FILTERS: Final = frozenset({"q", "sort", CURSOR_PARAM, LIMIT_PARAM})
_LIMITS: Final[tuple[tuple[str, Literal["from", "to"]], ...]] = ((FROM_SUFFIX, "from"), (TO_SUFFIX, "to"))


@dataclass(frozen=True, slots=True, kw_only=True)
class RowFilter:
    """What one parameter says of a row.

    :param field: of the row, by its name on the wire.
    :param kind: `one_of`: the row has one of the values; `from`: not before that time, or not less than that number;
        `to`: before that time, or not more than that number.
    :param item: type of a row.
    """

    field: str
    kind: Literal["one_of", "from", "to"] = "one_of"
    item: Any = None

    @property
    def types(self) -> tuple[Any, ...]:
        """The types that the field is declared to have; none where nothing declares them."""
        try:
            info = field_types(self.item).get(self.field) if is_record(self.item) else None
        except UsageError:
            return ()
        return () if info is None or info.type is Any else (info.type, *get_args(info.type))

    @property
    def members(self) -> frozenset[str] | None:
        """The values that the field can have, if it is an enumeration; else None."""
        known = [kind for kind in self.types if isinstance(kind, type) and issubclass(kind, OpenEnum)]
        return frozenset(str(member.value) for member in known[0]) if known else None


def row_filters(
    *,
    params: type[Any] | None,
    item: Any,
    fields: Mapping[str, str | None],
    in_path: Collection[str],
    declared_with: str,
) -> dict[str, RowFilter]:
    """The filters of a list, by the parameters' names on the wire.

    :param fields: what the declaration itself says: parameter to field, or to None for one that says nothing of rows.
    :param in_path: parameters that the path takes.
    :raises UsageError: there is no such parameter, or no such field.
    """
    names = (parameter_names(params) or frozenset()) - NO_FILTERS - frozenset(in_path)
    known = frozenset(wire_names(item).values()) if is_record(item) else None
    # A row may have its time of creation by another name; the parameters that limit it are `createdAt…` all the same.
    created = wire_names(item).get("created_at", CREATED_AT_FIELD) if is_record(item) else CREATED_AT_FIELD
    unknown = sorted(set(fields) - names)
    if unknown and parameter_names(params) is not None:
        raise UsageError(f"{declared_with}: filter_fields names {', '.join(unknown)}, which is no filter of the list")
    wrong = [name for name in fields.values() if name is not None and known is not None and name not in known]
    if wrong:
        raise UsageError(f"{declared_with}: filter_fields names {', '.join(wrong)}, which is no field of a row")
    found = {
        name: _given(name, fields[name]) if name in fields else _held(name, known, created) for name in sorted(names)
    }
    of_no_field = [name for name, one in found.items() if one is None and name not in fields]
    if of_no_field and isinstance(params, type) and issubclass(params, ListParams):
        raise UsageError(
            f"{declared_with}: the parameter {', '.join(of_no_field)} can't be held against a field of"
            f" {item.__name__}; name the field, as filter_fields={{{of_no_field[0]!r}: …}}, or None where no row can"
            " contradict it"
        )
    return {name: replace(one, item=item) for name, one in found.items() if one is not None}


def filter_of(name: str, *, known: Collection[str] | None) -> RowFilter | None:
    """What a parameter is held against by its name; None for nothing.

    :param known: the fields of a row; None where they are not declared: then the parameter's name alone decides.
    """
    if known is not None and name in known:
        return RowFilter(field=name)
    for ending, kind in _LIMITS:
        limited = name.removesuffix(ending)
        if limited and limited != name and (known is None or limited in known):
            return RowFilter(field=limited, kind=kind)
    return RowFilter(field=name) if known is None else None


def _held(name: str, known: frozenset[str] | None, created: str) -> RowFilter | None:
    found = filter_of(name, known=known if known is None or created not in known else known | {CREATED_AT_FIELD})
    return replace(found, field=created) if found is not None and found.field == CREATED_AT_FIELD else found


def _given(name: str, field: str | None) -> RowFilter | None:
    if field is None:
        return None
    limits: list[Literal["from", "to"]] = [kind for ending, kind in _LIMITS if name.endswith(ending) and name != field]
    return RowFilter(field=field, kind=limits[0]) if limits else RowFilter(field=field)
