"""Modules → pages: the list, form and row of a resource, as `resource_pages` declares them."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Final, get_args

from portal.config.contract_names import CREATED_AT_FIELD, FROM_SUFFIX, ID_FIELD, SORT_PARAM, TO_SUFFIX, VERSION_FIELD
from portal.query import CommonSort
from portal_dev.openapi.schema import Enumeration, ObjectOf, Scalar, SchemaError
from portal_dev.openapi.writing.names import OPEN_ENUM, attribute_name, class_name, plural, words
from portal_dev.openapi.writing.source import formatted

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

    from portal_dev.openapi.schema import Field, Operation, Shape
    from portal_dev.openapi.writing.modules import Module
    from portal_dev.openapi.writing.names import Declared
    from portal_dev.openapi.writing.resources import ResourcePlace, Role

#: Fields of a row that no page shows: the amount has its currency.
_NOT_SHOWN: Final = frozenset({ID_FIELD, CREATED_AT_FIELD, VERSION_FIELD, "currency"})
#: Last words that say nothing to a reader: a time is `received`, not `received at`.
_ENDS: Final = ("at", "id")
_NUMBERS: Final = frozenset({"integer", "number", "decimal"})
_PAGES: Final = ("list", "create", "detail", "edit", "delete")
#: Names of `portal_pages` that may be needed.
_KIT: Final = {
    "portal_pages": [
        *("BackendForm", "Column", "CreateView", "DateRange", "EditView", "Filter", "ListView", "resource_pages"),
    ]
}


def view_source(module: Module, *, dotted: str = "") -> str:
    """The module of an app's views for the resource of a module of calls.

    :param dotted: the dotted name of that module, where it is another one than by its path.
    :raises SchemaError: there is no list, or no `resource(…)`; or as for the module's own source.
    """
    place = next((each for each in module.places if each.resource and "list" in each.resource.calls), None)
    if place is None or place.resource is None:
        raise SchemaError("", f"{module.path}: there is no list of rows, of which pages could be written")
    return _View(module, place, dotted=dotted or module.dotted).source()


class _View:
    """The pages of one resource."""

    def __init__(self, module: Module, place: ResourcePlace, *, dotted: str) -> None:
        assert place.resource is not None  # noqa: S101  for type checkers
        self._module, self._place, self._resource, self._dotted = module, place, place.resource, dotted
        self._listed: Operation = place.resource.calls["list"].operation
        self._hooks = {hook.call.role: hook.name for hook in module.hooks if hook.call.place == place.path}
        self._row = self._class_of(place.resource.item) or class_name(place.noun)
        self._body = self._fields_of("create") or self._fields_of("update") or self._fields_of("replace")
        fields = place.resource.item.fields
        self._columns = {wire: fields[wire] for wire in fields if _is_shown(wire, fields[wire].shape)}
        self._enumerations = {
            wire: found for wire, each in self._columns.items() if (found := self._enumeration(wire, each.shape))
        }

    def source(self) -> str:
        body = ["", *self._words(), *self._column_lines(), *self._form(), *self._pages()]
        declared = {self._row, *(each.name for each in self._enumerations.values())}
        declared |= {f"{self._module.group}{kind}" for kind in ("Queries", "Mutations")}
        imports = {"django.utils.translation": ["gettext_lazy as _"], self._dotted: sorted(declared), **_KIT}
        pages = ", ".join(role for role in _PAGES if self._has(role))
        return formatted(f"{_sentence(plural(self._place.noun))}: {pages}.", imports, body)

    # --- parts ---

    def _words(self) -> Iterator[str]:
        for each in {found.name: found for found in self._enumerations.values()}.values():
            labels = (f"{each.name}.{one.name}: {_text(one.wire_name)}" for one in each.attributes)
            yield f"{self._words_name(each)} = {{{', '.join(labels)}}}"

    def _column_lines(self) -> Iterator[str]:
        yield "COLUMNS = {"
        for number, (wire, field) in enumerate(self._columns.items()):
            options = [
                _text(attribute_name(wire), ends=_ENDS),
                *self._column_options(wire, field, is_first=not number),
            ]
            yield f"    {attribute_name(wire)!r}: Column({', '.join(options)}),"
        yield "}"

    def _column_options(self, wire: str, field: Field, *, is_first: bool) -> Iterator[str]:
        shape, sorts = field.shape, self._sorts
        is_text = not isinstance(shape, Scalar) or shape.kind == "text"
        sort = wire if is_text else f"-{wire}"
        if sort in sorts:
            yield f"sort={sort!r}"
        elif is_first and "name" in sorts:
            yield "sort='name'"
        if isinstance(shape, Scalar) and shape.kind in _NUMBERS:
            yield "kind='number'"
        if wire in self._enumerations:
            yield f"words={self._words_name(self._enumerations[wire])}"
        if field.format == "email":
            yield "format='mailto'"

    def _form(self) -> Iterator[str]:
        if not self._body:
            return
        verbs = " and ".join(verb for role, verb in (("create", "Create"), ("edit", "edit")) if self._has(role))
        names = {wire: attribute_name(wire) for wire in self._body}
        optional = [name for wire, name in names.items() if not self._body[wire].required]
        lengths = {name: self._body[wire].max_length for wire, name in names.items() if self._is_limited(wire)}
        yield from ("", "", f"class {self._row}Form(BackendForm[{self._row}]):")
        yield from (f'    """{verbs[:1].upper()}{verbs[1:]} {_one(self._place.noun)}."""', "", "    class Meta:")
        if list(self._body) == list(self._columns):
            yield "        fields = COLUMNS"
        else:
            yield "        fields = {"
            for wire, name in names.items():
                label = f"COLUMNS[{name!r}]" if wire in self._columns else _text(name, ends=_ENDS)
                yield f"            {name!r}: {label},"
            yield "        }"
        if optional:
            yield f"        optional = {tuple(optional)!r}"
        if lengths:
            yield f"        max_lengths = {lengths!r}"

    def _pages(self) -> Iterator[str]:
        noun, group = self._place.noun, self._module.group
        queries, mutations = f"{group}Queries", f"{group}Mutations"
        yield from ("", f"{noun}_pages = resource_pages(")
        yield f"    {self._place.path.strip('/')!r}, name={noun.replace('_', '-')!r}, title={_text(plural(noun))},"
        yield f"    list=ListView({', '.join(self._list_options(queries))}),"
        if self._has("create"):
            title = _text(f"new_{noun}")
            create = f"{mutations}.{self._hooks['create']}"
            yield f"    create=CreateView(mutation={create}, form={self._row}Form, title={title}),"
        if self._has("detail"):
            yield f"    detail={queries}.{self._hooks['detail']},"
        if self._has("edit"):
            update = self._hooks.get("update") or self._hooks["replace"]
            yield f"    edit=EditView(query={queries}.{self._hooks['detail']}, mutation={mutations}.{update},"
            yield f"        form={self._row}Form),"
        if self._has("delete"):
            yield f"    delete={mutations}.{self._hooks['delete']},"
        yield ")"

    def _list_options(self, queries: str) -> Iterator[str]:
        yield f"hook={queries}.{self._hooks['list']}"
        yield "columns=COLUMNS"
        if "counts" in self._hooks:
            yield f"counts={queries}.{self._hooks['counts']}"
        names = {each.name for each in self._listed.query}
        filters = [self._filter(wire) for wire in self._columns if wire in names]
        ranges = [
            f"DateRange({wire!r}, {_text(attribute_name(wire), ends=_ENDS)})"
            for wire in self._columns
            if {f"{wire}{FROM_SUFFIX}", f"{wire}{TO_SUFFIX}"} <= names
        ]
        for option, found in (("filters", [each for each in filters if each]), ("ranges", ranges)):
            if found:
                yield f"{option}=({', '.join(found)}{',' if len(found) == 1 else ''})"
        if self._sorts and not set(get_args(CommonSort)) <= self._sorts:
            yield 'sorts={"": _("Usual order")}'

    def _filter(self, wire: str) -> str:
        """By one of the values that a column can have, or by those that the backend counts; empty for neither."""
        words_of = self._enumerations.get(wire)
        if words_of is None and "counts" not in self._hooks:
            return ""
        choices = f", choices={self._words_name(words_of)}" if words_of else ""
        return f"Filter({wire!r}, {_text(attribute_name(wire))}{choices})"

    # --- what the schema says ---

    def _has(self, page: str) -> bool:
        if page == "edit":
            return self._has("detail") and bool(self._body) and bool({"update", "replace"} & set(self._hooks))
        return page in self._hooks and (page != "create" or bool(self._body))

    @property
    def _sorts(self) -> frozenset[str]:
        sort = next((each.shape for each in self._listed.query if each.name == SORT_PARAM), None)
        return frozenset(sort.values) if isinstance(sort, Enumeration) else frozenset()

    def _fields_of(self, role: Role) -> Mapping[str, Field]:
        """The fields that a form may send."""
        call = self._resource.calls.get(role)
        shape = call.operation.body.shape if call else None
        fields = shape.fields if isinstance(shape, ObjectOf) else {}
        sent = {wire: each for wire, each in fields.items() if wire not in {ID_FIELD, VERSION_FIELD}}
        return {wire: each for wire, each in sent.items() if not each.read_only and not _has_parts(each.shape)}

    def _is_limited(self, wire: str) -> bool:
        field = self._body[wire]
        is_text = isinstance(field.shape, Scalar) and field.shape.kind == "text"
        return is_text and field.max_length is not None

    def _class_of(self, shape: ObjectOf) -> str:
        wanted = class_name(self._place.noun)
        rows = [each.name for each in self._module.classes if each.base == "Row"]
        return wanted if wanted in rows or not rows else next((name for name in rows if shape.name in name), rows[0])

    def _enumeration(self, wire: str, shape: Shape) -> Declared | None:
        """The class with the values of a column."""
        if not isinstance(shape, Enumeration):
            return None
        values = {*shape.values}
        found = (each for each in self._module.classes if each.base == OPEN_ENUM)
        same = [each for each in found if {one.wire_name for one in each.attributes} == values]
        last = class_name(words(wire)[-1])
        return next((each for each in same if each.name.endswith(last)), next(iter(same), None))

    def _words_name(self, enumeration: Declared) -> str:
        last = words(enumeration.name.removeprefix(self._row))
        return plural("_".join(last) or "word").upper()


def _is_shown(wire: str, shape: Shape) -> bool:
    is_id = re.search(r"(Id|_id)$", wire) is not None
    return wire not in _NOT_SHOWN and not is_id and not _has_parts(shape) and not shape.note


def _has_parts(shape: Shape) -> bool:
    """Whether it is no single value, for which there is a cell and a field."""
    return not isinstance(shape, Scalar | Enumeration) or (isinstance(shape, Scalar) and shape.kind == "any")


def _sentence(name: str) -> str:
    text = name.replace("_", " ")
    return text[:1].upper() + text[1:]


def _one(noun: str) -> str:
    return f"{'an' if noun[:1] in 'aeio' else 'a'} {noun.replace('_', ' ')}"


def _text(name: str, *, ends: tuple[str, ...] = ()) -> str:
    """A name in words, marked for translation.

    :param ends: last words that are left out.
    """
    parts = words(name)
    parts = parts[:-1] if len(parts) > 1 and parts[-1] in ends else parts
    text = _sentence(" ".join(parts)) or name or "-"
    return f"_({text!r})"
