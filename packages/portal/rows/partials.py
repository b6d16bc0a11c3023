"""Some fields of a record: the body of a create, or of a change."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Generic, TypeVar, cast

import msgspec

from portal.errors import UsageError

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

TRecord = TypeVar("TRecord")


@dataclass(frozen=True, slots=True, kw_only=True)
class Partial(Generic[TRecord]):
    """The fields that a write sends; the others are left out. Made by `Client.partial(name=…)`, and by forms.

    :param fields: attribute to value.
    :param names: attribute to name on the wire.
    """

    record: Callable[..., TRecord]
    fields: Mapping[str, Any]
    names: Mapping[str, str]

    def to_wire(self) -> dict[str, Any]:
        """The fields as JSON, by their names on the wire."""
        return {self.names[name]: value for name, value in self.fields.items()}


def partial_type(record: type[TRecord]) -> type[Partial[TRecord]]:
    """`Partial[record]`, for a class that is known at run time only."""
    generic: Any = Partial
    return cast("type[Partial[TRecord]]", generic[record])


def to_json(value: object) -> Any:
    """Records, decimals, times and members of enumerations as JSON.

    :raises TypeError: it can't be written as JSON.
    """
    return msgspec.to_builtins(value, order="deterministic")


def wire_body(body: object, *, endpoint: str) -> Any:
    """A body as JSON: decimals as texts, times as ISO 8601, members of enumerations as their values.

    :raises UsageError: a part of it can't be written as JSON.
    """
    given = body.to_wire() if isinstance(body, Partial) else body
    try:
        return to_json(given)
    except (TypeError, ValueError, RecursionError) as error:
        raise UsageError(f"{endpoint}: the body can't be written as JSON: {error}") from error
