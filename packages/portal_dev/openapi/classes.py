"""Shapes → classes: the records, enumerations and parameters of one module."""

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
    """The classes of one module, which imports from those before it in its folder.

    :param module: its dotted name.
    :param folder: the name of its folder, or its own without one.
    :param rows: the pointers of objects that are rows; the others are records.
    :param names: of the classes of all modules.
    :param known: of the folder, by pointer, each with its module.
    :ivar declared: in the order in which they are written.
    :ivar imported: names, by module.
    :ivar left_out: fields that can't be declared, each with the reason.
    """

    module: str
    folder: str
    rows: set[str]
    names: FreeNames
    known: dict[str, tuple[Declared, str]]
    declared: list[Declared] = field(default_factory=list)
    imported: dict[str, set[str]] = field(default_factory=dict)
    left_out: list[str] = field(default_factory=list)

    def named(self, shape: Shape, wanted: str = "", *, extends: Shape | None = None) -> Declared:
        """Return the class of an object or an enumeration.

        :param wanted: its name, where the schema has none.
        :param extends: a row, whose fields it has too.
        """
        if shape.pointer not in self.known:
            name = self._unused(class_name(shape.name or wanted))
            doc = sentence(shape.description) or f"{' '.join(words(name)).capitalize()}."
            made = Declared(name=name, base="OpenEnum", doc=doc)
            self.known[shape.pointer] = made, self.module
            if shape.kind == "enum":
                names = FreeNames({"mro"})
                made.values = {names.unused(member_name(value)): value for value in shape.values}
                made.lines = [f"{name} = {value!r}" for name, value in made.values.items()]
            else:
                self._fill(made, shape, extends)
            self.declared.append(made)
        made, module = self.known[shape.pointer]
        if module != self.module:
            self.imported.setdefault(module, set()).add(made.name)
        return made

    def _unused(self, wanted: str) -> str:
        return self.names.unused(wanted, class_name(f"{self.folder}_{wanted}"))

    def type_of(self, shape: Shape, wanted: str) -> str:
        """Return the type of a value, null aside."""
        if shape.kind in _TYPES:
            return _TYPES[shape.kind][0]
        if shape.item is None:
            return self.named(shape, wanted).name
        *others, last = words(wanted)
        kind = self.type_of(shape.item, class_name("_".join([*others, singular(last)])))
        kind = f"{kind} | None" if shape.item.nullable and kind != "Any" else kind
        return f"tuple[{kind}, ...]" if shape.kind == "list" else f"dict[str, {kind}]"

    def _fill(self, made: Declared, shape: Shape, extends: Shape | None) -> None:
        fields = {wire: each for wire, each in shape.fields.items() if is_possible(wire)}
        odd = [wire for wire in shape.fields if wire not in fields]
        self.left_out += [f"`{made.name}`: without the field {wire!r}, a name that no record can have" for wire in odd]
        made.base, names = "Record", FreeNames()
        if shape.pointer in self.rows:
            fields = {wire: each for wire, each in fields.items() if wire not in {ID_FIELD, CREATED_AT_FIELD}}
            own_time = "created_at" in fields and fields["created_at"].shape.kind == "time"
            made.base, names = "Row", FreeNames({"id"} if own_time else {"id", "created_at"})
        made.is_lower = _is_lower(fields)
        base = extends.fields if extends else {}
        kept = (wire in shape.fields and is_same(each.shape, shape.fields[wire].shape) for wire, each in base.items())
        if extends and all(kept):
            above = self.named(extends)
            made.base, made.is_lower = above.name, above.is_lower
            names = FreeNames({"id", "created_at", *map(attribute_name, base)})
            fields = {wire: each for wire, each in fields.items() if wire not in base}
        called: list[str] = []
        for wire, each in fields.items():
            name = names.unused(attribute_name(wire))
            kind = self.type_of(each.shape, class_name("_".join(words(f"{made.name.removesuffix('Req')}_{wire}"))))
            default = {"list": "()", "map": "field(default_factory=dict)"}.get(each.shape.kind)
            default = "None" if each.shape.nullable else default or _TYPES.get(each.shape.kind, ("", "None"))[1]
            kind = f"{kind} | None" if default == "None" and kind != "Any" else kind
            made.lines += _note(each.shape)
            made.lines.append(_attribute(name, kind, default, wire, is_lower=made.is_lower))
            called += [name] if kind == "str" and name.rpartition("_")[2] in _CALLED else []
        if made.base == "Row" and called:
            made.lines.append(f"\n    def __str__(self) -> str:\n        return self.{called[0]} or self.id")

    def parameters(self, given: Sequence[Parameter], *, base: str, title: str, sort: str = "") -> str:
        """Return the class of these parameters.

        :param title: the words that it is named by, such as `clients_list`.
        :param sort: the type of a list's sort orders; empty where the schema does not name them.
        """
        doc = f"Which {title.removesuffix('_list').replace('_', ' ')}."
        made = Declared(name="", base=base, doc=doc, is_lower=_is_lower([each.name for each in given]))
        made.lines = [f"sort: {sort} | None = None"] if sort else []
        names = FreeNames({"params", "pages", "cursor", "q", "sort"})
        for each in given:
            kind = {"integer": "int", "number": "float", "boolean": "bool", "list": "Values"}.get(
                each.shape.kind, "str"
            )
            kind, default = (kind, "") if each.required else (f"{kind} | None", "None")
            name = names.unused(attribute_name(each.name), f"{attribute_name(each.name)}_")
            made.lines.append(_attribute(name, kind, default, wire_of(each), is_lower=made.is_lower))
        made.name = self._unused(class_name(f"{title}_params"))
        self.declared.append(made)
        return made.name


def wire_of(given: Parameter) -> str:
    """Return the name of a parameter in an address. In a path an odd one becomes a word."""
    is_odd = given.place == "path" and not (given.name.isascii() and given.name.isidentifier())
    return camel(attribute_name(given.name)) if is_odd else given.name


def sort_type(sort: Shape) -> str:
    """Return the type of a list's sort orders; empty where the schema does not name them."""
    common = set(get_args(CommonSort)) if set(get_args(CommonSort)) <= set(sort.values) else set()
    others = sorted(set(sort.values) - common, key=lambda value: (value.removeprefix("-"), value.startswith("-")))
    own = [f"Literal[{', '.join(map(repr, others))}]"] if others else []
    return " | ".join(["CommonSort"] * bool(common) + own)


def _note(shape: Shape) -> list[str]:
    """Return the comment above a field that is any JSON, with the reason."""
    while shape.item:
        shape = shape.item
    return [comment(f"Any JSON: {shape.note}.").replace("\n", "\n    ")] if shape.note else []


def _is_lower(wires: Iterable[str]) -> bool:
    """Return whether more names on the wire are those of the attributes than are in camelCase."""
    pairs = [(wire, attribute_name(wire)) for wire in wires]
    return sum(wire == name for wire, name in pairs) > sum(wire == camel(name) for wire, name in pairs)


def _attribute(name: str, kind: str, default: str, wire: str, *, is_lower: bool) -> str:
    if wire != (name if is_lower else camel(name)):
        options = f"default={default}, " if default else ""
        options = "default_factory=dict, " if default.startswith("field(") else options
        default = f"field({options}name={wire!r})"
    return f"{name}: {kind}{f' = {default}' if default else ''}"
