"""How the classes of this room are made: frozen structs with keyword arguments, and camelCase names on the wire."""

from __future__ import annotations

from typing import Any

import msgspec


class StructType(msgspec.StructMeta):
    """Makes such a class.

    Each base class says the same to type checkers, with `dataclass_transform` and `frozen=True`: mypy asks the base
    classes before the metaclass, and of `msgspec.Struct` it would learn that fields may be set, and given by position.
    """

    def __new__(cls, name: str, bases: tuple[type, ...], namespace: dict[str, Any], **options: Any) -> StructType:
        """Options of `msgspec.Struct` may be given with the bases, and win."""
        defaults: dict[str, Any] = {"frozen": True, "kw_only": True, "rename": "camel"}
        return super().__new__(cls, name, bases, namespace, **(defaults | options))


def default_of(made: type, field: str) -> Any:
    """The default of a struct class's field; None for a field without one."""
    names, defaults = getattr(made, "__struct_fields__", ()), getattr(made, "__struct_defaults__", ())
    place = names.index(field) - (len(names) - len(defaults))
    default = defaults[place] if place >= 0 else None
    return None if default is msgspec.NODEFAULT else default


def required_fields(made: type) -> tuple[str, ...]:
    """The attributes of a struct class that have no default."""
    names, defaults = getattr(made, "__struct_fields__", ()), getattr(made, "__struct_defaults__", ())
    without = len(names) - len(defaults)
    return (
        *names[:without],
        *(name for name, default in zip(names[without:], defaults, strict=True) if default is msgspec.NODEFAULT),
    )
