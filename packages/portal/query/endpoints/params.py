"""Parameters of one call: checked against the declaration, and as text in an address."""

from __future__ import annotations

import math
from collections.abc import Mapping
from typing import Any, is_typeddict

from portal.errors import UsageError
from portal.strict_json import replace_surrogates


def checked_params(*, given: object, declared: type[Any] | None, endpoint: str) -> Mapping[str, Any]:
    """The parameters of one call.

    :param declared: the endpoint's TypedDict, any other mapping type (not checked further), or None for none.
    :raises UsageError: a parameter is missing or unknown; the message names the known ones.
    """
    if given is None:
        given = {}
    if not isinstance(given, Mapping):
        raise UsageError(f"{endpoint}: params should be a mapping, not {type(given).__name__}")
    if declared is None:
        if given:
            raise UsageError(f"{endpoint}: this endpoint takes no params; declare them with params=…")
        return {}
    if not is_typeddict(declared):
        return given
    known = frozenset(declared.__annotations__)
    unknown = [name for name in given if name not in known]
    if unknown:
        raise UsageError(
            f"{endpoint}: {', '.join(map(str, unknown))} is no parameter of this endpoint;"
            f" it knows {', '.join(sorted(known)) or 'none'}"
        )
    missing = [name for name in declared.__required_keys__ if given.get(name) is None]
    if missing:
        raise UsageError(f"{endpoint}: the parameter {', '.join(sorted(missing))} is missing")
    return given


def given_params(params: Mapping[str, Any] | None, *, endpoint: str) -> dict[str, Any]:
    """The parameters that have a value: a missing parameter and None are the same.

    :raises UsageError: a value cannot be written in an address.
    """
    given = {name: _plain(value) for name, value in (params or {}).items() if value is not None}
    for name, value in given.items():
        wire_value(value, name=name, endpoint=endpoint)
    return given


def wire_value(value: object, *, name: str, endpoint: str) -> str:
    """A parameter as text in an address. Booleans are `true` and `false`, as in JSON.

    Lists and objects are refused, since backends do not agree on how to write them in an address. Characters that
    cannot be encoded are replaced as browsers do (:func:`~portal.strict_json.replace_surrogates`).

    :raises UsageError: the value is not a string, a boolean or a finite number.
    """
    value = _plain(value)
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, str):
        return replace_surrogates(value)
    if isinstance(value, int) or (isinstance(value, float) and math.isfinite(value)):
        return str(value)
    what = repr(value) if isinstance(value, float) else type(value).__name__
    raise UsageError(f"{endpoint}: {name!r} should be a string, a number or a boolean, not {what}")


def _plain(value: object) -> object:
    """The text or number of an enumeration's member, whose own `str` may return the member's name."""
    if isinstance(value, str):
        return str.__str__(value)
    if isinstance(value, int) and not isinstance(value, bool):
        return int(value)
    return float(value) if isinstance(value, float) else value
