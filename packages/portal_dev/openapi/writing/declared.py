"""Classes as data: what a module declares, before it is source."""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from typing import Final, Literal, TypeAlias

from portal_dev.openapi.writing.names import FreeNames, wire_name

ParamsBase: TypeAlias = Literal["Params", "ListParams"]
#: The base of enumerations.
OPEN_ENUM: Final = "OpenEnum"


@dataclass(frozen=True, slots=True, kw_only=True)
class ClassAttribute:
    """A field of a class, a parameter, or a member of an enumeration.

    :param kind: its annotation; empty for a member.
    :param default: as source; empty where it must be given.
    :param wire_name: its name on the wire, where its own does not say it; of a member its value.
    :param comment: what the schema says and the type does not.
    """

    name: str
    kind: str = ""
    default: str = ""
    wire_name: str = ""
    comment: str = ""


@dataclass(kw_only=True)
class Declared:
    """A class to write.

    :param module: dotted name of the module that declares it.
    :param base: of the query layer, or another class.
    :param doc: its docstring.
    :param notes: what the docstring says of its fields.
    :param rename: how attributes become names on the wire, where that is not camelCase.
    """

    name: str
    module: str
    base: str
    doc: str
    notes: list[str] = field(default_factory=list)
    rename: str = ""
    attributes: list[ClassAttribute] = field(default_factory=list)


@dataclass(kw_only=True)
class Library:
    """The classes of all modules.

    :param rows: the pointers of objects that are rows; the others are records.
    :param package: dotted name of the package that all modules stand in.
    :ivar names: of classes, each given once.
    :ivar by_scope: folder, or module without one, to its classes, by pointer. Modules of one folder share classes.
    """

    rows: frozenset[str]
    package: str
    names: FreeNames = field(default_factory=FreeNames)
    by_scope: dict[str, dict[str, Declared]] = field(default_factory=dict)


def shorten(made: Declared) -> None:
    """Say once for the class that names on the wire are those of the attributes, where that leaves fewer to be said."""
    wires = {each.name: each.wire_name or wire_name(each.name) for each in made.attributes}
    if sum(wire != name for name, wire in wires.items()) < sum(bool(each.wire_name) for each in made.attributes):
        made.rename = "lower"
        made.attributes = [
            replace(each, wire_name="" if wires[each.name] == each.name else wires[each.name])
            for each in made.attributes
        ]
