"""Modules → pages: the list, form and row of a resource, as `resource_pages` declares them."""

from typing import Final, get_args

from portal.config.contract_names import CREATED_AT_FIELD, ID_FIELD, SORT_PARAM, VERSION_FIELD
from portal.query import CommonSort
from portal_dev.openapi.classes import Module, rendered
from portal_dev.openapi.document import SchemaError
from portal_dev.openapi.names import attribute_name, words
from portal_dev.openapi.reader import Shape

#: Kinds without a cell, and without a field of a form.
_WITH_PARTS: Final = {"any", "list", "object"}
_LEFT: Final = {ID_FIELD, VERSION_FIELD, CREATED_AT_FIELD}
_NUMBERS: Final = {"integer", "number", "decimal"}


def view_source(module: Module) -> str:
    """Return the module of an app's views for the resource of a module of calls.

    :raises SchemaError: there is no list of a `resource(…)`; or as for the module's own source.
    """
    found = next((each for each in module.resources if "list" in each.calls), None)
    if found is None:
        raise SchemaError("", f"{module.path}: there is no list of rows, of which pages could be written")
    calls, hooks, row = found.calls, found.hooks, module.named(found.row, found.noun)
    body = next((calls[role].body for role in ("create", "update", "replace") if role in calls), None)
    sent = {wire: each for wire, each in _plain_fields(body).items() if not each.read_only}
    shown = _plain_fields(found.row)
    attributes = {wire: attribute_name(wire) for wire in (*shown, *sent)}
    enums = {wire: module.named(each, wire) for wire, each in shown.items() if each.kind == "enum"}
    listed = calls["list"].query
    orders = listed[SORT_PARAM].values if SORT_PARAM in listed else ()
    groups = {hook.partition(".")[0] for hook in hooks.values()}
    return rendered(
        "view",
        module=module,
        resource=found,
        row=row.name,
        route=found.noun.replace("_", "-"),
        names=sorted({row.name, *groups, *(each.name for each in enums.values())}),
        words={
            _constant(wire): {f"{each.name}.{member}": _text(value) for value, member in each.members.items()}
            for wire, each in enums.items()
        },
        columns={attributes[wire]: _column(wire, each, orders) for wire, each in shown.items()},
        fields={attributes[wire]: f"COLUMNS[{attributes[wire]!r}]" if wire in shown else _text(wire) for wire in sent},
        optional=tuple(attributes[wire] for wire, each in sent.items() if not each.required),
        lengths={attributes[wire]: each.max_length for wire, each in sent.items() if each.max_length},
        edit=hooks.get("update") or hooks.get("replace") if "detail" in hooks else "",
        title=_text(found.path.rpartition("/")[2]),
        new_title=_text(f"new {found.noun}"),
        filters={wire: f"{_text(wire)}, choices={_constant(wire)}" for wire in enums if wire in listed},
        has_own_sorts=bool(orders) and not {*get_args(CommonSort)} <= {*orders},
    )


def _plain_fields(shape: Shape | None) -> dict[str, Shape]:
    """Return the fields that have a cell, and a field of a form."""
    fields = shape.fields if shape else {}
    return {wire: each for wire, each in fields.items() if wire not in _LEFT and each.kind not in _WITH_PARTS}


def _column(wire: str, shape: Shape, orders: tuple[str, ...]) -> str:
    sort = f"-{wire}" if shape.kind in {*_NUMBERS, "time", "day"} else wire
    options = [_text(wire)] + [f"sort={sort!r}"] * (sort in orders)
    options += ["kind='number'"] * (shape.kind in _NUMBERS) + [f"words={_constant(wire)}"] * (shape.kind == "enum")
    return ", ".join(options)


def _constant(wire: str) -> str:
    return f"{attribute_name(wire)}_words".upper()


def _text(name: str) -> str:
    """Return a name in words, marked for translation."""
    return f"_({' '.join(words(name)).capitalize() or '-'!r})"
