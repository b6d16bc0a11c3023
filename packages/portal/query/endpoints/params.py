"""Parameters as a caller gives them, held against what the endpoint declares."""

from __future__ import annotations

import math
from collections.abc import Mapping
from typing import Any, is_typeddict

from portal.api.response_limits import writable
from portal.errors import UsageError


def checked_params(*, given: object, declared: type[Any] | None, endpoint: str) -> Mapping[str, Any]:
    """The parameters of one call.

    :param declared: the endpoint's TypedDict, any other mapping type (not checked further), or None for none.
    :raises UsageError: a parameter is missing or not known; the message names those that are.
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


def check_stale_time(seconds: object, *, endpoint: str) -> None:
    """Refuse, when an endpoint is declared, a stale time that is none.

    :raises UsageError: it should be a number from 0 on.
    """
    if isinstance(seconds, bool) or not isinstance(seconds, int | float) or not seconds >= 0:
        raise UsageError(f"{endpoint}: stale_time_s should be a number of seconds from 0 on, not {seconds!r}")


def given_params(params: Mapping[str, Any] | None, *, endpoint: str) -> dict[str, Any]:
    """The parameters that have a value: a missing one and None are alike.

    :raises UsageError: one has a value that no address can carry.
    """
    given = {name: _plain(value) for name, value in (params or {}).items() if value is not None}
    for name, value in given.items():
        wire_value(value, name=name, endpoint=endpoint)
    return given


def wire_value(value: object, *, name: str, endpoint: str) -> str:
    """A parameter as it stands in an address: JSON's words for booleans.

    Nothing is nested: how a list would be written in an address, no two backends agree. A text that no address can
    carry is written as browsers do (:func:`~portal.api.response_limits.writable`).

    :raises UsageError: it is no string, no boolean, and no finite number.
    """
    value = _plain(value)
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, str):
        return writable(value)
    if isinstance(value, int) or (isinstance(value, float) and math.isfinite(value)):
        return str(value)
    what = repr(value) if isinstance(value, float) else type(value).__name__
    raise UsageError(f"{endpoint}: {name!r} should be a string, a number or a boolean, not {what}")


def _plain(value: object) -> object:
    """The text or number that a member of an enumeration is: its own `str` may give its name."""
    if isinstance(value, str):
        return str.__str__(value)
    if isinstance(value, int) and not isinstance(value, bool):
        return int(value)
    return float(value) if isinstance(value, float) else value
