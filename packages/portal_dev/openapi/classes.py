"""Shapes → classes: the records, enumerations and parameters of the modules of one folder."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Final, get_args

from portal.config.contract_names import CREATED_AT_FIELD, CURSOR_PARAM, ID_FIELD, LIMIT_PARAM, SEARCH_PARAM, SORT_PARAM
from portal.query import CommonSort
from portal_dev.openapi.names import (
    FreeNames,
    attribute_name,
    camel,
    class_name,
    comment,
    docstring,
    is_possible,
    member_name,
    sentence,
    singular,
    words,
)
from portal_dev.openapi.shapes import is_same

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from portal_dev.openapi.operations import Parameter
    from portal_dev.openapi.shapes import Shape

#: Kind to type and default: zero would be a wrong number.
_TYPES: Final = {
    "text": ("str", '""'),
    "boolean": ("bool", "False"),
    "integer": ("int", "None"),
    "number": ("float", "None"),
    "decimal": ("Decimal", "None"),
    "time": ("datetime", "None"),
    "day": ("date", "None"),
    "any": ("Any", "None"),
}
#: Parameters that every list has by the portal's own names.
OF_ALL_LISTS: Final = {SEARCH_PARAM, SORT_PARAM, CURSOR_PARAM, LIMIT_PARAM}
#: The last words of attributes that people call a row by.
_CALLED: Final = ("label", "name", "number", "serial", "title")


@dataclass(kw_only=True)
class Declared:
    """A class to write.

    :param lines: its attributes, as source.
    :param values: of an enumeration: member to value.
    """

    name: str
    base: str
    doc: str
    is_lower: bool = False
    lines: list[str] = field(default_factory=list)
    values: dict[str, str] = field(default_factory=dict)

    @property
    def head(self) -> str:
        """The beginning of its source, to the docstring."""
        options = ', rename="lower"' if self.is_lower else ""
        return f"class {self.name}({self.base}{options}):\n" + docstring(self.doc)


@dataclass(kw_only=True)
class Classes:
    """The classes of one folder. Its modules import from those before them.

    :param rows: the pointers of objects that are rows; the others are records.
    :param names: of the classes of all folders.
    :ivar module: dotted name of the module that is written now.
    """

    folder: str
    rows: set[str]
    names: FreeNames
    module: str = ""
    declared: dict[str, list[Declared]] = field(default_factory=dict)
    imported: dict[str, dict[str, set[str]]] = field(default_factory=dict)
    left_out: list[str] = field(default_factory=list)
    _known: dict[str, tuple[Declared, str]] = field(default_factory=dict)

    def named(self, shape: Shape, wanted: str, *, extends: Shape | None = None) -> str:
        """Return the class of an object or an enumeration.

        :param wanted: its name, where the schema has none.
        :param extends: an object, whose fields it has too.
        """
        if shape.pointer not in self._known:
            name = self._unused(class_name(shape.name or wanted))
            doc = sentence(shape.description) or f"{' '.join(words(name)).capitalize()}."
            made = Declared(name=name, base="OpenEnum", doc=doc)
            self._known[shape.pointer] = made, self.module
            self._fill_enumeration(made, shape) if shape.kind == "enum" else self._fill(made, shape, extends)
            self.declared.setdefault(self.module, []).append(made)
        made, module = self._known[shape.pointer]
        if module != self.module:
            self.imported.setdefault(self.module, {}).setdefault(module, set()).add(made.name)
        return made.name

    def _unused(self, wanted: str) -> str:
        return self.names.unused(wanted, class_name(f"{self.folder}_{wanted}"))

    def declared_as(self, shape: Shape) -> Declared:
        """Return the class of an object or an enumeration that is declared."""
        return self._known[shape.pointer][0]

    def type_of(self, shape: Shape, wanted: str) -> str:
        """Return the type of a value, null aside."""
        if shape.kind in _TYPES:
            return _TYPES[shape.kind][0]
        if shape.item is not None:
            kind = self.type_of(shape.item, singular_class(wanted))
            kind = f"{kind} | None" if shape.item.nullable and kind != "Any" else kind
            return f"tuple[{kind}, ...]" if shape.kind == "list" else f"dict[str, {kind}]"
        return self.named(shape, wanted)

    def _fill_enumeration(self, made: Declared, shape: Shape) -> None:
        names = FreeNames({"mro"})
        made.values = {names.unused(member_name(value)): value for value in shape.values}
        made.lines = [f"{name} = {value!r}" for name, value in made.values.items()]

    def _fill(self, made: Declared, shape: Shape, extends: Shape | None) -> None:
        is_row = shape.pointer in self.rows
        made.base, inherited, taken = ("Row", {ID_FIELD}, {"id", "created_at"}) if is_row else ("Record", set(), set())
        if extends and all(
            name in shape.fields and is_same(each.shape, shape.fields[name].shape)
            for name, each in extends.fields.items()
        ):
            made.base = self.named(extends, "")
            inherited, taken = {*extends.fields}, taken | {attribute_name(name) for name in extends.fields}
            made.is_lower = next((base.is_lower for base, _ in self._known.values() if base.name == made.base), False)
        own = {wire: each for wire, each in shape.fields.items() if wire not in inherited}
        created = next((wire for wire in (CREATED_AT_FIELD, "created_at") if wire in own), "") if is_row else ""
        if created == CREATED_AT_FIELD:
            del own[created]
        made.is_lower = made.is_lower or _is_lower(own)
        names, called = FreeNames(taken), ""
        for wire, each in own.items():
            if not is_possible(wire):
                self.left_out.append(f"`{made.name}`: without the field {wire!r}, a name that no record can have")
                continue
            attribute = attribute_name(wire)
            name = "created_at" if wire == created and each.shape.kind == "time" else names.unused(attribute)
            kind, default = self._annotated(each.shape, f"{made.name.removesuffix('Req')}_{wire}")
            called = called or (name if kind == "str" and name.rpartition("_")[2] in _CALLED else "")
            made.lines += _told(each.description, each.shape)
            made.lines.append(_attribute(name, kind, default, wire, is_lower=made.is_lower))
        if called and is_row:
            made.lines.append(f"\n    def __str__(self) -> str:\n        return self.{called} or self.id")

    def _annotated(self, shape: Shape, wanted: str) -> tuple[str, str]:
        kind = self.type_of(shape, class_name("_".join(words(wanted))))
        default = {"list": "()", "map": "field(default_factory=dict)"}.get(shape.kind) or _TYPES.get(
            shape.kind, ("", "None")
        )[1]
        default = "None" if shape.nullable else default
        return (f"{kind} | None" if default == "None" and kind != "Any" else kind), default

    def parameters(self, given: Sequence[Parameter], *, base: str, wanted: str, doc: str, sort: str = "") -> str:
        """Return the class of these parameters.

        :param sort: the type of a list's sort orders; empty where the schema does not name them.
        """
        is_lower = _is_lower([each.name for each in given])
        lines = [f"sort: {sort} | None = None"] if sort else []
        for name, each in zip(keywords(given), given, strict=True):
            kind = {"integer": "int", "number": "float", "boolean": "bool", "list": "Values"}.get(
                each.shape.kind, "str"
            )
            kind, default = (kind, "") if each.required else (f"{kind} | None", "None")
            lines += _told(each.description if base == "Params" else "")
            lines.append(_attribute(name, kind, default, wire_of(each), is_lower=is_lower))
        for known in self.declared.setdefault(self.module, []):
            if (known.base, known.lines) == (base, lines):
                return known.name
        made = Declared(name=self._unused(wanted), base=base, doc=doc, is_lower=is_lower, lines=lines)
        self.declared[self.module].append(made)
        return made.name


def keywords(given: Sequence[Parameter]) -> list[str]:
    """Return the keywords of a hook for these parameters."""
    names = FreeNames({"params", "pages", "cursor", "q", "sort"})
    return [names.unused(attribute_name(each.name), f"{attribute_name(each.name)}_") for each in given]


def wire_of(given: Parameter) -> str:
    """Return the name of a parameter in an address. In a path an odd one becomes a word."""
    is_odd = given.place == "path" and not (given.name.isascii() and given.name.isidentifier())
    return camel(attribute_name(given.name)) if is_odd else given.name


def sort_type(sort: Shape | None) -> str:
    """Return the type of a list's sort orders; empty where the schema does not name them."""
    if sort is None or sort.kind != "enum":
        return ""
    common = set(get_args(CommonSort)) if set(get_args(CommonSort)) <= set(sort.values) else set()
    others = sorted(set(sort.values) - common, key=lambda value: (value.removeprefix("-"), value.startswith("-")))
    own = [f"Literal[{', '.join(map(repr, others))}]"] if others else []
    return " | ".join(["CommonSort"] * bool(common) + own)


def singular_class(name: str) -> str:
    """Return the class of one part of many: `InvoiceLines` has `InvoiceLine`."""
    *others, last = words(name)
    return class_name("_".join([*others, singular(last)])) if singular(last) != last else f"{name}Item"


def _told(description: str, shape: Shape | None = None) -> list[str]:
    """Return the comment above an attribute: what its type does not say, else its description."""
    while shape and shape.item:
        shape = shape.item
    note = f"{'Any JSON: ' * (shape.kind == 'any')}{shape.note}." if shape and shape.note else sentence(description)
    return [comment(f"{note[:1].upper()}{note[1:]}", indent="    ").strip()] if note else []


def _is_lower(wires: Iterable[str]) -> bool:
    """Return whether more names on the wire are those of the attributes than are in camelCase."""
    pairs = [(wire, attribute_name(wire)) for wire in wires]
    return sum(wire == name for wire, name in pairs) > sum(wire == camel(name) for wire, name in pairs)


def _attribute(name: str, kind: str, default: str, wire: str, *, is_lower: bool) -> str:
    if wire != (name if is_lower else camel(name)):
        inside = (
            default.removeprefix("field(").removesuffix(")")
            if "(" in default and default != "()"
            else f"default={default}"
        )
        default = f"field({f'{inside}, ' if default else ''}name={wire!r})"
    return f"{name}: {kind}{f' = {default}' if default else ''}"
