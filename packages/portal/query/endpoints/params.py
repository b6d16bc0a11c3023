"""Parameters of one call: checked against the declaration, and as text in an address."""

from __future__ import annotations

import math
from collections.abc import Collection, Mapping
from datetime import date
from decimal import Decimal
from functools import lru_cache
from typing import Any, TypeGuard, is_typeddict
from uuid import UUID

from portal.config.contract_names import VALUES_ESCAPE, VALUES_SEPARATOR
from portal.errors import UsageError
from portal.rows import OF_THE_CALL, Params, replace_surrogates, required_fields, to_json, wire_names, wire_params


def checked_params(*, given: object, declared: type[Any] | None, endpoint: str) -> Mapping[str, Any]:
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
    if known is None:
        return given
    unknown = [name for name in given if name not in known]
    if unknown:
        raise UsageError(
            f"{endpoint}: {', '.join(map(str, unknown))} is no parameter of this endpoint;"
            f" it knows {', '.join(sorted(known)) or 'none'}"
        )
    missing = [name for name in required if given.get(name) is None]
    if missing:
        raise UsageError(f"{endpoint}: the parameter {', '.join(sorted(missing))} is missing")
    return given


def named_params(named: Mapping[str, Any], *, declared: type[Any] | None, endpoint: str) -> dict[str, Any]:
    """Keywords of a call as parameters, by their names on the wire: `client_id="cli_1"` is `clientId`.

    :raises UsageError: a keyword is unknown; the message names the known ones.
    """
    if not _is_params(declared):
        return dict(named)
    names = _wire_names(declared)
    unknown = [name for name in named if name not in names]
    if unknown:
        raise UsageError(
            f"{endpoint}: {', '.join(unknown)} is no parameter of this endpoint; it knows {', '.join(sorted(names))}"
        )
    return {names[name]: value for name, value in named.items()}


def parameter_names(declared: type[Any] | None) -> frozenset[str] | None:
    """The names on the wire of an endpoint's parameters; None where every name is allowed."""
    return frozenset() if declared is None else _names(declared)[0]


def _names(declared: type[Any]) -> tuple[frozenset[str] | None, Collection[str]]:
    """The names on the wire of all parameters, and of those that must be given; None where every name is allowed."""
    if _is_params(declared):
        return _names_of_fields(declared)
    return (frozenset(declared.__annotations__), declared.__required_keys__) if is_typeddict(declared) else (None, ())


@lru_cache(maxsize=1024)
def _names_of_fields(declared: Any) -> tuple[frozenset[str], Collection[str]]:
    names = _wire_names(declared)
    return frozenset(names.values()), tuple(names[name] for name in required_fields(declared))


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
