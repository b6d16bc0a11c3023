"""Modules → pages: the list, form and row of a resource, as `resource_pages` declares them."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final, get_args

from portal.config.contract_names import CREATED_AT_FIELD, FROM_SUFFIX, ID_FIELD, SORT_PARAM, TO_SUFFIX, VERSION_FIELD
from portal.query import CommonSort
from portal_dev.openapi.document import SchemaError
from portal_dev.openapi.names import attribute_name, is_possible, plural, words
from portal_dev.openapi.source import rendered

if TYPE_CHECKING:
    from collections.abc import Iterator

    from portal_dev.openapi.classes import Declared
    from portal_dev.openapi.modules import Module, Place
    from portal_dev.openapi.shapes import Field, Shape

#: Fields of a row that no page shows: the amount has its currency.
_NOT_SHOWN: Final = {ID_FIELD, CREATED_AT_FIELD, VERSION_FIELD, "currency"}
#: Kinds without a cell, and without a field of a form.
_WITH_PARTS: Final = {"any", "list", "map", "object"}


def view_source(module: Module, *, dotted: str = "") -> str:
    """Return the module of an app's views for the resource of a module of calls.

    :param dotted: the dotted name of that module, where it is another one than by its path.
    :raises SchemaError: there is no list of a `resource(…)`; or as for the module's own source.
    """
    for place in module.places:
        if place.row is not None and "list" in place.standard:
            return _View(module, place, place.row).source(dotted or module.dotted)
    raise SchemaError("", f"{module.path}: there is no list of rows, of which pages could be written")


class _View:
    """The pages of one resource."""

    def __init__(self, module: Module, place: Place, row: Shape) -> None:
        self._place, self._row = place, module.classes.named(row, "")
        self._columns = {wire: each for wire, each in row.fields.items() if _is_shown(wire, each)}
        enums = {wire: each.shape for wire, each in self._columns.items() if each.shape.kind == "enum"}
        self._enums = {wire: module.classes.declared_as(shape) for wire, shape in enums.items()}
        self._choices = {
            wire: plural("_".join(words(each.name.removeprefix(self._row))) or "word").upper()
            for wire, each in self._enums.items()
        }
        self._groups = {"query": f"{module.group}Queries", "mutation": f"{module.group}Mutations"}
        self._hooks = {
            role: f"{self._groups[name.rpartition('_')[2]]}.{name}"
            for (path, role), name in module.names.items()
            if path == place.path
        }
        self._hooks["edit"] = self._hooks.get("update") or self._hooks.get("replace", "")
        bodies = [place.standard[role].body.shape for role in ("create", "update", "replace") if role in place.standard]
        self._sent = {
            wire: each
            for wire, each in (bodies[0].fields if bodies and bodies[0] else {}).items()
            if _is_sent(wire, each)
        }
        query = place.standard["list"].query
        self._sorts = {*query[SORT_PARAM].shape.values} if SORT_PARAM in query else set()

    def source(self, dotted: str) -> str:
        noun = self._place.noun.replace("_", " ")
        possible = {"create": bool(self._sent), "edit": bool(self._sent) and "detail" in self._hooks}
        known = ("list", "create", "detail", "edit", "delete")
        pages = [page for page in known if self._hooks.get(page) and possible.get(page, True)]
        written = " and ".join(page for page in ("create", "edit") if page in pages)
        return rendered(
            "view",
            title=plural(noun).capitalize(),
            pages=pages,
            module=dotted,
            names=sorted({self._row, *self._groups.values(), *(each.name for each in self._enums.values())}),
            words={self._choices[wire]: _words(each) for wire, each in self._enums.items()},
            columns={attribute_name(wire): [*self._column(wire, each)] for wire, each in self._columns.items()},
            row=self._row,
            form=f"{written.capitalize()} {'an' if noun[0] in 'aeio' else 'a'} {noun}." if written else "",
            fields=self._fields(),
            optional=tuple(attribute_name(wire) for wire, each in self._sent.items() if not each.required),
            lengths={
                attribute_name(wire): each.max_length
                for wire, each in self._sent.items()
                if each.max_length and each.shape.kind == "text"
            },
            noun=self._place.noun,
            path=repr(self._place.path.strip("/")),
            route=repr(self._place.noun.replace("_", "-")),
            title_text=_text(plural(noun)),
            new_text=_text(f"new {noun}"),
            list=[*self._list_options()],
            hooks=self._hooks,
        )

    def _column(self, wire: str, field: Field) -> Iterator[str]:
        yield _label(wire)
        sort = wire if field.shape.kind in {"text", "enum"} else f"-{wire}"
        if sort in self._sorts:
            yield f"sort={sort!r}"
        elif wire == next(iter(self._columns)) and "name" in self._sorts:
            yield "sort='name'"
        if field.shape.kind in {"integer", "number", "decimal"}:
            yield "kind='number'"
        if wire in self._choices:
            yield f"words={self._choices[wire]}"
        if field.format == "email":
            yield "format='mailto'"

    def _fields(self) -> str:
        if [*self._sent] == [*self._columns]:
            return "COLUMNS"
        names = {wire: repr(attribute_name(wire)) for wire in self._sent}
        labels = [
            f"{name}: {f'COLUMNS[{name}]' if wire in self._columns else _label(wire)}" for wire, name in names.items()
        ]
        return f"{{{', '.join(labels)},}}"

    def _list_options(self) -> Iterator[str]:
        yield f"hook={self._hooks['list']}"
        yield "columns=COLUMNS"
        if "counts" in self._hooks:
            yield f"counts={self._hooks['counts']}"
        known = self._place.standard["list"].query.keys()
        # By the values that a column can have, or by those that the backend counts.
        filters = [
            f"Filter({wire!r}, {_text(wire)}{f', choices={self._choices[wire]}' if wire in self._choices else ''})"
            for wire in self._columns
            if wire in known and (wire in self._choices or "counts" in self._hooks)
        ]
        limits = {wire: {f"{wire}{FROM_SUFFIX}", f"{wire}{TO_SUFFIX}"} for wire in self._columns}
        ranges = [f"DateRange({wire!r}, {_label(wire)})" for wire, names in limits.items() if names <= known]
        for option, given in (("filters", filters), ("ranges", ranges)):
            if given:
                yield f"{option}=({', '.join(given)}{',' * (len(given) == 1)})"
        if self._sorts and not set(get_args(CommonSort)) <= self._sorts:
            yield 'sorts={"": _("Usual order")}'


def _is_shown(wire: str, field: Field) -> bool:
    is_odd = wire in _NOT_SHOWN or wire.endswith(("Id", "_id")) or bool(field.shape.note)
    return is_possible(wire) and not is_odd and field.shape.kind not in _WITH_PARTS


def _is_sent(wire: str, field: Field) -> bool:
    is_odd = wire in {ID_FIELD, VERSION_FIELD} or field.read_only
    return is_possible(wire) and not is_odd and field.shape.kind not in _WITH_PARTS


def _words(enum: Declared) -> str:
    """Return the dictionary of the words for an enumeration's values."""
    return f"{{{', '.join(f'{enum.name}.{member}: {_text(value)}' for member, value in enum.values.items())}}}"


def _label(wire: str) -> str:
    """Return the words of a field: a time is `received`, not `received at`."""
    *first, last = words(wire) or [wire]
    return _text(" ".join(first if first and last in {"at", "id"} else [*first, last]))


def _text(name: str) -> str:
    """Return a name in words, marked for translation."""
    return f"_({(' '.join(words(name)).capitalize() or name or '-')!r})"
