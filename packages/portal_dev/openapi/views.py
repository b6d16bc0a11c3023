"""Modules → pages: the list, form and row of a resource, as `resource_pages` declares them."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final, get_args

from portal.config.contract_names import CREATED_AT_FIELD, FROM_SUFFIX, ID_FIELD, SORT_PARAM, TO_SUFFIX, VERSION_FIELD
from portal.query import CommonSort
from portal_dev.openapi.document import SchemaError
from portal_dev.openapi.names import attribute_name, is_possible, plural, words
from portal_dev.openapi.source import rendered

if TYPE_CHECKING:
    from portal_dev.openapi.modules import Module, Resource
    from portal_dev.openapi.operations import Operation
    from portal_dev.openapi.shapes import Field

#: Fields of a row that no page shows: the amount has its currency.
_NOT_SHOWN: Final = {ID_FIELD, CREATED_AT_FIELD, VERSION_FIELD, "currency"}
#: Kinds without a cell, and without a field of a form.
_WITH_PARTS: Final = {"any", "list", "map", "object"}
_NUMBERS: Final = {"integer", "number", "decimal"}


def view_source(module: Module, *, dotted: str = "") -> str:
    """Return the module of an app's views for the resource of a module of calls.

    :param dotted: the dotted name of that module, where it is another one than by its path.
    :raises SchemaError: there is no list of a `resource(…)`; or as for the module's own source.
    """
    found = next((each for each in module.resources if "list" in each.calls), None)
    if found is None:
        raise SchemaError("", f"{module.path}: there is no list of rows, of which pages could be written")
    row, noun, calls = module.classes.named(found.row).name, found.noun.replace("_", " "), found.calls
    shown = {wire: each for wire, each in found.row.fields.items() if _is_shown(wire, each)}
    enums = {wire: module.classes.named(each.shape) for wire, each in shown.items() if each.shape.kind == "enum"}
    choices = {
        wire: plural("_".join(words(each.name.removeprefix(row))) or "word").upper() for wire, each in enums.items()
    }
    body = next((calls[role].body.shape for role in ("create", "update", "replace") if role in calls), None)
    sent = {wire: each for wire, each in (body.fields if body else {}).items() if _is_sent(wire, each)}
    queries, mutations = f"{module.group}Queries", f"{module.group}Mutations"
    hooks = {role: f"{queries if name.endswith('_query') else mutations}.{name}" for role, name in found.names.items()}
    hooks["edit"] = hooks.get("update") or hooks.get("replace", "")
    possible = {"create": bool(sent), "edit": bool(sent) and "detail" in hooks}
    pages = [
        page for page in ("list", "create", "detail", "edit", "delete") if hooks.get(page) and possible.get(page, True)
    ]
    written = " and ".join(page for page in ("create", "edit") if page in pages)
    labels = {wire: f"COLUMNS[{attribute_name(wire)!r}]" if wire in shown else _label(wire) for wire in sent}
    return rendered(
        "view",
        title=plural(noun).capitalize(),
        pages=pages,
        module=dotted or module.classes.module,
        names=sorted({row, queries, mutations, *(each.name for each in enums.values())}),
        words={
            choices[wire]: {f"{each.name}.{member}": _text(value) for member, value in each.values.items()}
            for wire, each in enums.items()
        },
        columns={
            attribute_name(wire): _column(wire, each, choices.get(wire), _sort(wire, each, calls["list"], [*shown]))
            for wire, each in shown.items()
        },
        row=row,
        form=f"{written.capitalize()} {'an' if noun[0] in 'aeio' else 'a'} {noun}." if written else "",
        fields={} if [*sent] == [*shown] else {attribute_name(wire): label for wire, label in labels.items()},
        optional=tuple(attribute_name(wire) for wire, each in sent.items() if not each.required),
        lengths={
            attribute_name(wire): each.max_length
            for wire, each in sent.items()
            if each.max_length and each.shape.kind == "text"
        },
        noun=found.noun,
        path=repr(found.path.strip("/")),
        route=repr(found.noun.replace("_", "-")),
        title_text=_text(plural(noun)),
        new_text=_text(f"new {noun}"),
        list=_list_options(found, hooks, shown, choices),
        hooks=hooks,
    )


def _sorts(call: Operation) -> set[str]:
    return {*call.query[SORT_PARAM].shape.values} if SORT_PARAM in call.query else set()


def _column(wire: str, field: Field, words_of: str | None, sort: str) -> list[str]:
    options = {
        _label(wire): True,
        f"sort={sort!r}": sort,
        "kind='number'": field.shape.kind in _NUMBERS,
        f"words={words_of}": words_of,
        "format='mailto'": field.format == "email",
    }
    return [option for option, is_given in options.items() if is_given]


def _sort(wire: str, field: Field, call: Operation, shown: list[str]) -> str:
    sort, known = wire if field.shape.kind in {"text", "enum"} else f"-{wire}", _sorts(call)
    # The first column is what people call a row.
    return sort if sort in known else "name" if wire == shown[0] and "name" in known else ""


def _list_options(
    found: Resource, hooks: dict[str, str], shown: dict[str, Field], choices: dict[str, str]
) -> list[str]:
    known, sorts = found.calls["list"].query.keys(), _sorts(found.calls["list"])
    # By the values that a column can have, or by those that the backend counts.
    filters = [
        f"Filter({wire!r}, {_text(wire)}{f', choices={choices[wire]}' if wire in choices else ''}),"
        for wire in shown
        if wire in known and (wire in choices or "counts" in hooks)
    ]
    ranges = [
        f"DateRange({wire!r}, {_label(wire)}),"
        for wire in shown
        if {f"{wire}{FROM_SUFFIX}", f"{wire}{TO_SUFFIX}"} <= known
    ]
    options = {
        f"counts={hooks.get('counts')}": "counts" in hooks,
        f"filters=({' '.join(filters)})": filters,
        f"ranges=({' '.join(ranges)})": ranges,
        'sorts={"": _("Usual order")}': sorts and not set(get_args(CommonSort)) <= sorts,
    }
    return [f"hook={hooks['list']}", "columns=COLUMNS", *(option for option, is_given in options.items() if is_given)]


def _is_shown(wire: str, field: Field) -> bool:
    return wire not in _NOT_SHOWN and not wire.endswith(("Id", "_id")) and _has_a_cell(wire, field)


def _is_sent(wire: str, field: Field) -> bool:
    return wire not in {ID_FIELD, VERSION_FIELD} and not field.read_only and _has_a_cell(wire, field)


def _has_a_cell(wire: str, field: Field) -> bool:
    return is_possible(wire) and field.shape.kind not in _WITH_PARTS


def _label(wire: str) -> str:
    """Return the words of a field: a time is `received`, not `received at`."""
    *first, last = words(wire) or [wire]
    return _text(" ".join(first if first and last in {"at", "id"} else [*first, last]))


def _text(name: str) -> str:
    """Return a name in words, marked for translation."""
    return f"_({(' '.join(words(name)).capitalize() or name or '-')!r})"
