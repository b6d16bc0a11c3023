"""Shapes → classes: the records, enumerations and parameters that a module declares, and the types of their fields."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Final

from portal.config.contract_names import CREATED_AT_FIELD, ID_FIELD
from portal_dev.openapi.schema import Enumeration, ListOf, MapOf, ObjectOf, Scalar, are_equal, in_words
from portal_dev.openapi.writing.names import (
    OPEN_ENUM,
    ClassAttribute,
    Declared,
    FreeNames,
    Library,
    ParamsBase,
    about,
    attribute_name,
    begun_small,
    class_name,
    is_possible,
    member_name,
    plain_class_name,
    sentence,
    shorten,
    shown,
    singular,
    wire_name,
    words,
)
from portal_dev.openapi.writing.parameters import parameter_attributes

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from portal_dev.openapi.schema import Field, Parameter, Shape, ValueKind


#: ValueKind to type, and to its value where the backend gives none: zero would be a wrong number.
_TYPES: Final[Mapping[ValueKind, tuple[str, str]]] = {
    "text": ("str", '""'),
    "integer": ("int", "None"),
    "number": ("float", "None"),
    "decimal": ("Decimal", "None"),
    "boolean": ("bool", "False"),
    "time": ("datetime", "None"),
    "day": ("date", "None"),
    "any": ("Any", "None"),
}

#: The last words of attributes that people call a row by.
_CALLED: Final = frozenset({"label", "name", "number", "serial", "title"})


class Classes:
    """The classes of one module, in the order in which they are needed."""

    def __init__(self, library: Library, *, module: str, scope: str) -> None:
        """Begin.

        :param module: dotted name of the module.
        :param scope: the folder whose modules may import classes from each other.
        """
        self.declared: list[Declared] = []
        self.imported: dict[str, set[str]] = {}
        self.left_out: list[str] = []
        self._module = module
        self._scope = scope.rpartition(".")[2]
        self._library = library
        self._by_pointer = library.by_scope.setdefault(scope, {})

    def record(self, shape: ObjectOf, *, wanted: str, doc: str = "", extends: ObjectOf | None = None) -> str:
        """The class of an object; gives its name.

        :param wanted: its name, where the schema has none.
        :param doc: what it is, where the schema does not say.
        :param extends: another object, whose fields it has too.
        """
        known = self._known(shape.pointer)
        if known is not None:
            return known.name
        name = self._new_name(shape, wanted)
        is_row = shape.pointer in self._library.rows
        made = Declared(
            name=name,
            module=self._module,
            base="Row" if is_row else "Record",
            doc=sentence(shape.description) or doc or about(name),
        )
        self._by_pointer[shape.pointer] = made
        inherited: frozenset[str] = frozenset()
        base = self._base(shape, extends or shape.extends, is_row=is_row)
        if base is not None:
            made.base, inherited = self.record(base, wanted=""), frozenset(base.fields)
        self._fill(made, shape, is_row=is_row, inherited=inherited)
        self.declared.append(made)
        return name

    def _base(self, shape: ObjectOf, other: ObjectOf | None, *, is_row: bool) -> ObjectOf | None:
        """The object whose class may be the base: it is declared before, in this module.

        A linter does not see that a class is a record whose base stands elsewhere.
        """
        if other is None or (other.pointer in self._library.rows) is not is_row or not _has_all(shape, other):
            return None
        known = self._by_pointer.get(other.pointer)
        if known is None:
            self.record(other, wanted="")
            known = self._by_pointer[other.pointer]
        return other if known in self.declared else None

    def _known(self, pointer: str) -> Declared | None:
        known = self._by_pointer.get(pointer)
        if known is not None and known.module != self._module:
            self.imported.setdefault(known.module, set()).add(known.name)
        return known

    def _new_name(self, shape: ObjectOf | Enumeration, wanted: str) -> str:
        names = (
            (plain_class_name(shape.name), class_name(shape.name))
            if shape.name
            else inline_names(shape.pointer, wanted)
        )
        return self._library.names.unused(*names, class_name(f"{self._scope}_{names[-1]}"))

    def type_of(self, shape: Shape, *, wanted: str, doc: str = "") -> str:
        """The type of a value, null aside.

        :param wanted: the name of its class, where the schema has none.
        :param doc: what it is, where the schema does not say.
        """
        match shape:
            case Scalar(kind=kind):
                return _TYPES[kind][0]
            case Enumeration(values=values):
                return self._enumeration(shape, wanted=wanted) if len(values) > 1 else "str"
            case ListOf(item=item):
                return f"tuple[{self._part_type(item, wanted=singular_class(wanted))}, ...]"
            case MapOf(value=value):
                return f"dict[str, {self._part_type(value, wanted=singular_class(wanted))}]"
            case ObjectOf():
                return self.record(shape, wanted=wanted, doc=doc) if shape.fields else "dict[str, Any]"
        raise TypeError(type(shape).__name__)

    def _part_type(self, shape: Shape, *, wanted: str) -> str:
        kind = self.type_of(shape, wanted=wanted)
        return f"{kind} | None" if shape.nullable and kind != "Any" else kind

    def _fill(self, made: Declared, shape: ObjectOf, *, is_row: bool, inherited: frozenset[str]) -> None:
        names = FreeNames(({"id", "created_at"} if is_row else set()) | self._attributes_of(made.base))
        has_creation = CREATED_AT_FIELD in shape.fields or "created_at" in self._attributes_of(made.base)
        for wire, member in shape.fields.items():
            if wire in inherited or (is_row and wire == ID_FIELD):
                continue
            if not is_possible(wire):
                self.left_out.append(f"`{made.name}`: without the field {shown(wire)}, a name that no record can have")
                continue
            is_time = isinstance(member.shape, Scalar) and member.shape.kind == "time"
            if is_row and wire == CREATED_AT_FIELD:
                if not is_time:
                    made.notes.append(f"`{wire}` is {in_words(member.shape)} in the schema, and a time in each row.")
                continue
            wanted = attribute_name(wire)
            # The row's own, of which the list is told by another name on the wire.
            is_creation = is_row and is_time and wanted == "created_at" and not has_creation
            has_creation |= is_creation
            name = wanted if is_creation else names.unused(wanted, f"{wanted}_")
            made.attributes.append(self._attribute(name, wire, member, made.name))
            if described := sentence(member.description):
                made.notes.append(f"`{name}`: {begun_small(described)}")
        if is_row:
            texts = (each.name for each in made.attributes if each.kind == "str")
            made.called = next((name for name in texts if name.rpartition("_")[2] in _CALLED), "")
        shorten(made)

    def _attributes_of(self, base: str) -> set[str]:
        """The attributes that a class of this module gives to those that are made of it."""
        found = next((each for each in self.declared if each.name == base), None)
        return {each.name for each in found.attributes} | self._attributes_of(found.base) if found else set()

    def _attribute(self, name: str, wire: str, member: Field, owner: str) -> ClassAttribute:
        kind = self.type_of(
            member.shape, wanted=class_name(f"{owner.removesuffix('Req')}_{'_'.join(words(wire)) or 'part'}")
        )
        default = "None" if member.shape.nullable else _default(member.shape, kind)
        return ClassAttribute(
            name=name,
            kind=f"{kind} | None" if default == "None" and kind != "Any" else kind,
            default=default,
            wire_name="" if wire_name(name) == wire else wire,
            comment=note_of(member.shape),
        )

    def _enumeration(self, shape: Enumeration, *, wanted: str) -> str:
        known = self._known(shape.pointer) or self._equal(shape, wanted)
        if known is None:
            name = self._new_name(shape, wanted)
            doc = sentence(shape.description) or about(name)
            known = Declared(name=name, module=self._module, base=OPEN_ENUM, doc=doc)
            members = FreeNames()
            known.attributes = [
                ClassAttribute(name=members.unused(member_name(value)), wire_name=value) for value in shape.values
            ]
            self.declared.append(known)
        self._by_pointer[shape.pointer] = known
        return known.name

    def _equal(self, shape: Enumeration, wanted: str) -> Declared | None:
        """A class with the same values, whose name ends like the one that is wanted."""
        last = class_name(words(wanted)[-1]) if words(wanted) else wanted
        for each in self.declared:
            values = {member.wire_name for member in each.attributes}
            if (
                each.base == OPEN_ENUM
                and values == set(shape.values)
                and (each.name == wanted or each.name.endswith(last))
            ):
                return each
        return None

    # --- parameters ---

    def parameters(
        self,
        given: Sequence[Parameter],
        *,
        base: ParamsBase,
        wanted: str,
        doc: str,
        more: Sequence[ClassAttribute] = (),
    ) -> str:
        """A class of parameters; gives its name. One with the same fields is used again.

        :param more: fields that stand before those of the parameters.
        """
        made = Declared(name=wanted, module=self._module, base=base, doc=doc)
        made.attributes = [*more, *parameter_attributes(given, base)]
        shorten(made)
        for known in self.declared:
            if (known.base, known.attributes) == (base, made.attributes):
                return known.name
        made.name = self._library.names.unused(wanted, class_name(f"{self._scope}_{wanted}"))
        self.declared.append(made)
        return made.name


def singular_class(name: str) -> str:
    """The class of one part of many: `InvoiceLines` has `InvoiceLine`."""
    found = words(name)
    last = singular(found[-1]) if found else ""
    return class_name("_".join([*found[:-1], last])) if found and last != found[-1] else f"{name}Item"


def inline_names(pointer: str, wanted: str) -> tuple[str, ...]:
    """Names for a class whose schema stands in another one: of what it is in, and of all that it is in.

    :param wanted: the name, for a schema that is in none of the components.
    """
    found = re.match(r"#/components/schemas/([^/]+)/(.+)", pointer)
    if found is None:
        return (wanted,)
    chain = [plain_class_name(found[1])]
    parts = iter(found[2].split("/"))
    for part in parts:
        if part == "properties":
            chain.append(class_name("_".join(words(next(parts, ""))) or "part"))
        elif part in {"items", "additionalProperties"}:
            chain[-1] = singular_class(chain[-1])
    return ("".join(chain[-2:]), "".join(chain))


def note_of(shape: Shape) -> str:
    """What the schema says of a value, or of its parts, and the type does not."""
    match shape:
        case ListOf(item=part, note="") | MapOf(value=part, note=""):
            return note_of(part)
    return shape.note


def _has_all(shape: ObjectOf, other: ObjectOf) -> bool:
    """Whether it has the fields of the other one, with the same types, and more."""
    return len(shape.fields) > len(other.fields) and all(
        name in shape.fields and are_equal(shape.fields[name].shape, member.shape)
        for name, member in other.fields.items()
    )


def _default(shape: Shape, kind: str) -> str:
    match shape:
        case Scalar():
            return _TYPES[shape.kind][1]
        case Enumeration():
            return '""' if kind == "str" else "None"
        case ListOf():
            return "()"
        case MapOf():
            return "field(default_factory=dict)"
    return "None"
