"""How the classes of this package are made: frozen structs with keyword arguments, and camelCase names on the wire."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import msgspec

from portal.errors import UsageError


class StructType(msgspec.StructMeta):
    """Makes such a class.

    Each base class says the same to type checkers, with `dataclass_transform` and `frozen=True`: mypy asks the base
    classes before the metaclass, and of `msgspec.Struct` it would learn that fields may be set, and given by position.
    """

    def __new__(cls, name: str, bases: tuple[type, ...], namespace: dict[str, Any], **options: Any) -> StructType:
        """Options of `msgspec.Struct` may be given with the bases, and win.

        :raises UsageError: two fields have one name on the wire.
        """
        defaults: dict[str, Any] = {"frozen": True, "kw_only": True, "rename": "camel"}
        chosen = defaults | options
        try:
            return super().__new__(cls, name, bases, namespace, **chosen)
        except ValueError:
            # The library says that there are such fields, and not which.
            known: dict[str, str] = {}
            for attribute, wire in _wire_names(bases, namespace, rename=chosen["rename"]):
                if known.setdefault(wire, attribute) != attribute:
                    raise UsageError(
                        f'{name}: {known[wire]} and {attribute} have one name on the wire, "{wire}": '
                        "give one of them another, by field(name=…)"
                    ) from None
            raise


def _wire_names(bases: tuple[type, ...], namespace: dict[str, Any], *, rename: Any) -> Iterator[tuple[str, str]]:
    """Each field of a class that is being made, with its name on the wire: those of its bases first."""
    own = namespace.get("__annotations__", {})
    for base in bases:
        names = zip(getattr(base, "__struct_fields__", ()), getattr(base, "__struct_encode_fields__", ()), strict=True)
        yield from (each for each in names if each[0] not in own)
    for attribute in own:
        given = getattr(namespace.get(attribute), "name", None)
        yield attribute, given or msgspec.defstruct("Renamed", [attribute], rename=rename).__struct_encode_fields__[0]


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
