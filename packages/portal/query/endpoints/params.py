"""Parameters of one call: checked against the declaration, as text in an address, and which rows they filter.

Where a backend does not filter, its rows say so: no row that contradicts a parameter is shown under it (contract,
section 7). So each parameter of a list belongs to a field.
"""

import math
from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import date
from decimal import Decimal
from functools import lru_cache
from types import NoneType
from typing import Any, Final, Literal, TypeGuard, get_args, get_origin, is_typeddict
from uuid import UUID

from portal.config.contract_names import (
    CREATED_AT_FIELD,
    CURSOR_PARAM,
    FROM_SUFFIX,
    LIMIT_PARAM,
    TO_SUFFIX,
    VALUES_ESCAPE,
    VALUES_SEPARATOR,
)
from portal.errors import UsageError
from portal.rows import (
    OF_THE_CALL,
    ListParams,
    OpenEnum,
    Params,
    field_types,
    is_record,
    literal_params,
    replace_surrogates,
    required_fields,
    to_json,
    wire_names,
    wire_params,
)


def checked_params(*, given: object, declared: Any, endpoint: str) -> Mapping[str, Any]:
    """The parameters of one call.

    :param given: a mapping by names on the wire, or an object of the declared class.
    :param declared: the endpoint's class of parameters, its TypedDict, any other mapping type (not checked further), or
        None for none.
    :returns: by names on the wire.
    :raises UsageError: a parameter is missing or unknown; the message names the known ones.
    """
    if given is None:
        given = {}
    if isinstance(given, Params):
        named = wire_params(given).items()
        given = {name: value for name, value in named if value is not None and name not in OF_THE_CALL}
    if not isinstance(given, Mapping):
        raise UsageError(f"{endpoint}: params should be a mapping, not {type(given).__name__}")
    if declared is None:
        if given:
            raise UsageError(f"{endpoint}: this endpoint takes no params; declare them with params=…")
        return {}
    known, required = _names(declared)
    check_known(given, known=known, endpoint=endpoint)
    missing = [name for name in required if given.get(name) is None]
    if missing:
        raise UsageError(f"{endpoint}: the parameter {', '.join(sorted(missing))} is missing")
    return given


def check_known(given: Iterable[object], *, known: Collection[str] | None, endpoint: str) -> None:
    """Refuse names of parameters that an endpoint does not declare.

    :param known: None where every name is allowed.
    :raises UsageError: a parameter is unknown; the message names the known ones.
    """
    unknown = [] if known is None else [str(name) for name in given if name not in known]
    if unknown:
        raise UsageError(
            f"{endpoint}: {', '.join(unknown)} is no parameter of this endpoint;"
            f" it knows {', '.join(sorted(known or ())) or 'none'}"
        )


def named_params(named: Mapping[str, Any], *, declared: type[Any] | None, endpoint: str) -> dict[str, Any]:
    """Keywords of a call as parameters, by their names on the wire: `client_id="cli_1"` is `clientId`.

    :raises UsageError: a keyword is unknown, or a value is none of its `Literal`; the message names the known ones.
    """
    if not _is_params(declared):
        return dict(named)
    names = _wire_names(declared)
    check_known(named, known=names, endpoint=endpoint)
    literals = literal_params(declared)
    for name in literals.keys() & named.keys():
        value, known = named[name], literals[name]
        if value is not None and value not in known:
            raise UsageError(f"{endpoint}: {name} has no value {value!r}; it has {', '.join(sorted(map(str, known)))}")
    return {names[name]: value for name, value in named.items()}


def parameter_names(declared: Any) -> frozenset[str] | None:
    """The names on the wire of an endpoint's parameters; None where every name is allowed."""
    return frozenset() if declared is None else _names(declared)[0]


def lacking_names(declared: type[Any] | None) -> frozenset[str]:
    """Return the names on the wire of parameters that can only be None: a class takes them back from its base."""
    found = field_types(declared).items() if _is_params(declared) else ()
    return frozenset(wire for wire, info in found if info.type in {None, NoneType})


def several_names(declared: type[Any] | None) -> frozenset[str]:
    """Return the names on the wire of parameters that are declared to take several values, as `Values` are."""
    found = field_types(declared).items() if _is_params(declared) else ()
    return frozenset(name for name, info in found if _SEVERAL & {*map(get_origin, (info.type, *get_args(info.type)))})


@lru_cache(maxsize=1024)
def _names(declared: Any) -> tuple[frozenset[str] | None, Collection[str]]:
    """The names on the wire of all parameters, and of those that must be given; None where every name is allowed."""
    if _is_params(declared):
        names = _wire_names(declared)
        return frozenset(names.values()), tuple(names[name] for name in required_fields(declared))
    return (frozenset(declared.__annotations__), declared.__required_keys__) if is_typeddict(declared) else (None, ())


@lru_cache(maxsize=1024)
def _wire_names(declared: Any) -> Mapping[str, str]:
    return {name: wire for name, wire in wire_names(declared).items() if name not in OF_THE_CALL}


def _is_params(declared: type[Any] | None) -> TypeGuard[type[Params]]:
    return isinstance(declared, type) and issubclass(declared, Params)


def given_params(params: Mapping[str, Any] | None, *, endpoint: str) -> dict[str, Any]:
    """The parameters that have a value: a missing parameter and None are the same.

    :raises UsageError: a value cannot be written in an address.
    """
    plain = {name: _plain(value, name=name, endpoint=endpoint) for name, value in (params or {}).items()}
    given = {name: value for name, value in plain.items() if value is not None}
    for name, value in given.items():
        wire_value(value, name=name, endpoint=endpoint)
    return given


def wire_value(value: object, *, name: str, endpoint: str) -> str:
    """A parameter as text in an address. Booleans are `true` and `false`, as in JSON.

    Objects are refused, since backends do not agree on how to write them in an address. Characters that cannot be
    encoded are replaced as browsers do (:func:`~portal.rows.strict_json.replace_surrogates`).

    :raises UsageError: the value is not a string, a boolean or a finite number, nor a sequence of them.
    """
    value = _plain(value, name=name, endpoint=endpoint)
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, str):
        return replace_surrogates(value)
    if isinstance(value, int) or (isinstance(value, float) and math.isfinite(value)):
        return str(value)
    what = repr(value) if isinstance(value, float) else type(value).__name__
    raise UsageError(f"{endpoint}: {name!r} should be a string, a number or a boolean, not {what}")


def _plain(value: object, *, name: str, endpoint: str) -> object:
    """The text or number of an enumeration's member, whose own `str` may return the member's name.

    Several values are one text, the same in whatever order they come; none are None.
    """
    if isinstance(value, list | tuple | set | frozenset):
        if any(isinstance(each, list | tuple | set | frozenset) for each in value):
            raise UsageError(
                f"{endpoint}: {name!r} should be a string, a number or a boolean, or some, not list of lists"
            )
        texts = {wire_value(each, name=name, endpoint=endpoint) for each in value}
        return VALUES_SEPARATOR.join(sorted(map(_escaped, texts))) or None
    if isinstance(value, str):
        return str.__str__(value)
    if isinstance(value, int) and not isinstance(value, bool):
        return int(value)
    if isinstance(value, date | Decimal | UUID):
        # As in a body.
        return to_json(value)
    return float(value) if isinstance(value, float) else value


def _escaped(value: str) -> str:
    """A value that stands among others."""
    doubled = value.replace(VALUES_ESCAPE, VALUES_ESCAPE * 2)
    return doubled.replace(VALUES_SEPARATOR, f"{VALUES_ESCAPE}{VALUES_SEPARATOR}")


#: The types of several values.
_SEVERAL: Final = frozenset({Sequence, Collection, list, tuple, set, frozenset})
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
