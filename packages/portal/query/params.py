"""Parameters as a caller gives them, held against what the endpoint declares."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, is_typeddict

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
