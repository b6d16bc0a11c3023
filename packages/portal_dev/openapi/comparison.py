"""Declared calls, held against the operations of a schema: paths, methods, parameters, fields and their kinds.

The declared types become a schema too, so that two shapes are compared.
"""

from collections.abc import Iterable, Iterator
from typing import Any, Final, NamedTuple, get_args, get_origin

import msgspec

from portal.config import contract_names as names
from portal.config.places import place
from portal.query import Endpoint, Partial, Row, optional_names
from portal_dev.openapi.document import Node
from portal_dev.openapi.reader import Operation, Schemas, Shape, without_names
from portal_operate.suggestions import did_you_mean

#: A message, and what follows from what the schema lacks; empty for a mistake.
Fault = tuple[str, str]
NOT_OFFERED: Final = "It is shown where APP_BACKEND_OFFERS has it."
#: The other kinds that a declared one can hold. A text may well be a decimal or a day, as a person knows.
_HOLDS: Final = {"text": {"time", "day", "decimal", "enum"}, "decimal": {"integer", "number", "text"}} | {
    one: {other} for one, other in (("number", "integer"), ("day", "text"), ("enum", "text"))
}


class Difference(NamedTuple):
    """One difference between a declaration and the schema.

    :param declared_at: file and line of the call's declaration.
    :param hook: the endpoint's key.
    :param is_absent: whether it is no mistake: the schema lacks what is optional (contract, section 7).
    """

    declared_at: tuple[str, int]
    message: str
    hook: str
    is_absent: bool = False

    def __str__(self) -> str:
        return f"{place(*self.declared_at)}: {self.hook}: {'absent: ' if self.is_absent else ''}{self.message}"


def offered_by(hooks: Iterable[Endpoint[Any]], operations: Iterable[Operation]) -> Iterator[str]:
    """Yield lines for `APP_BACKEND_OFFERS`: the optional calls and parameters that a schema has."""
    known = _by_address(operations)
    for hook in hooks:
        operation = known.get((str(getattr(hook, "method", "GET")), without_names(hook.path_shape)))
        for name in optional_names(hook) if operation else ():
            _, _, param = name.partition("?")
            if operation and (not param or param in operation.query):
                yield f"# {name}  # can't be told from a schema" if name.endswith(":total") else name


def compared(hooks: Iterable[Endpoint[Any]], operations: Iterable[Operation]) -> list[Difference]:
    """Return all differences, each once, in the order of the files."""
    known = _by_address(operations)
    found: dict[Any, Difference] = {}
    for hook in hooks:
        method = str(getattr(hook, "method", "GET"))
        operation = known.get((method, without_names(hook.path_shape)))
        missing = [(f"the schema has no {method} {hook.path_shape}", NOT_OFFERED if hook.optional else "")]
        for message, without in _faults(hook, operation) if operation else missing:
            text = f"{message}. {without}" if without else message
            difference = Difference(declared_at=hook.declared_at, hook=hook.key, message=text, is_absent=bool(without))
            # A fault of a class is told once, whichever calls have it.
            found.setdefault(text if text[:1].isupper() else (hook.key, text), difference)
    return sorted(found.values())


def _by_address(operations: Iterable[Operation]) -> dict[tuple[str, str], Operation]:
    return {(each.method, without_names(each.path)): each for each in operations}


def _lacking(start: str, name: str, known: Iterable[str], without: str) -> Fault:
    """Return the fault of what the schema lacks. A name that is like one of the schema is a mistake."""
    hint = did_you_mean(name, known)
    return f"{start}{name}; {hint}" if hint else f"{start}{name}", "" if hint else without


def _shape_of(kind: Any) -> Shape | None:
    """Return the shape of a declared type; None where nothing is declared."""
    if kind is None:
        return None
    options: dict[str, Any] = {"ref_template": "#/components/schemas/{name}", "schema_hook": lambda _: {"title": "any"}}
    [schema], components = msgspec.json.schema_components([kind], **options)
    return Schemas().shape(Node({"components": {"schemas": components}}, schema, "#/type"))


def _faults(hook: Any, operation: Operation) -> Iterator[Fault]:
    is_list, body = getattr(hook, "is_list", False), getattr(hook, "body", None)
    yield from _parameter_faults(hook, operation, is_list=is_list)
    if is_list and operation.answer and not operation.item:
        yield "the schema's answer is no page of a list", ""
    else:
        declared, shape = (hook.item, operation.item) if is_list else (hook.data, operation.answer)
        # An answer to a DELETE may be left unread.
        is_read = declared is not None or operation.method != "DELETE"
        yield from _body_faults("answer", _shape_of(declared), shape if is_read else None, is_optional=hook.optional)
    kind: Any = get_args(body)[0] if get_origin(body) is Partial else body
    # A write sends some fields of a row: those that the backend sets by itself are no difference.
    is_part = kind is not body and issubclass(kind, Row)
    yield from _body_faults("body", _shape_of(kind), operation.body, is_sent=True, is_part=is_part)


def _parameter_faults(hook: Any, operation: Operation, *, is_list: bool) -> Iterator[Fault]:
    known, of_a_list = operation.query, (names.CURSOR_PARAM, names.LIMIT_PARAM) if is_list else ()
    declared = _shape_of(hook.params) or Shape(kind="object")
    # Keywords of all lists: the figures of a list have no order.
    left = {"pages", "cursor", *(() if is_list else ("sort",))} if "pages" in declared.fields else set()
    left |= hook.in_path | getattr(hook, "lacks", frozenset())
    own = {name: each for name, each in declared.fields.items() if name not in left}
    own |= dict.fromkeys(of_a_list, Shape(kind="any", required=True))
    sent = {name for name, each in own.items() if each.required}
    for each in operation.parameters:
        if each.shape.required and each.place != "path" and not (each.place == "query" and each.name in sent):
            yield f"the schema needs the parameter {each.name}, which calls may leave out", ""
    for name, ours in own.items():
        # No other word is like these: `sort` is no `cursor`.
        similar = [] if name in {names.SEARCH_PARAM, names.SORT_PARAM} else known
        without = "Pages do not offer what it does." if not is_list and not ours.required else ""
        without = NOT_OFFERED if getattr(hook, "optional_params", False) else without
        if name in known:
            yield from _misfits(ours, known[name], f"{declared.name}.{name}", is_sent=True)
        else:
            yield _lacking(f"{declared.name}.{name}: the schema has no parameter ", name, similar, without)


def _body_faults(what: str, ours: Shape | None, theirs: Shape | None, **options: Any) -> Iterator[Fault]:
    needed = theirs and (what == "answer" or theirs.required or any(each.required for each in theirs.fields.values()))
    if ours and theirs:
        yield from _misfits(ours, theirs, f"the {what}", **options)
    elif ours or needed:
        yield f"the {what} is in the {'declaration' if ours else 'schema'} alone", ""


def _misfits(ours: Shape, theirs: Shape, title: str, *, seen: tuple[str, ...] = (), **options: bool) -> Iterator[Fault]:
    """Yield what does not fit of a value.

    :param title: the class and field of the value.
    :param options: `is_sent`: null and values that are not known do not matter. `is_part`: some fields of a row are
        sent: it may have more fields, and they more values. `is_optional`: an answer may lack each field.
    """
    is_sent, is_part = options.get("is_sent", False), options.get("is_part", False)
    if "any" in {ours.kind, theirs.kind} or ours.pointer in seen:
        return
    if theirs.nullable and not (ours.nullable or is_sent or theirs.item or theirs.kind == "object"):
        yield f"{title}: it is never None here, and may be null in the schema", ""
    inner: dict[str, Any] = {"seen": (*seen, ours.pointer), **options}
    is_id = title.endswith(f".{names.ID_FIELD}") and theirs.kind == "integer"
    if theirs.kind not in {ours.kind, *_HOLDS.get(ours.kind, ())} and not is_id:
        yield f"{title}: it is {ours} here, and {theirs} in the schema", ""
    elif ours.item and theirs.item:
        yield from _misfits(ours.item, theirs.item, title, **inner)
    elif ours.kind == theirs.kind == "enum":
        unknown = set() if is_part else {*ours.values} - {*theirs.values}
        missing = set() if is_sent else {*theirs.values} - {*ours.values, ""}
        if unknown | missing:
            yield f"{ours.name or title}: only one of both has {', '.join(sorted(unknown | missing))}", ""
    elif len(ours.fields) > 1 and theirs.fields and not is_part and not {*ours.fields} & {*theirs.fields}:
        yield f"{ours.name}: the schema has none of its fields, but {', '.join(theirs.fields)}", ""
    elif theirs.fields:
        yield from _field_misfits(ours, theirs, inner)


def _field_misfits(ours: Shape, theirs: Shape, options: dict[str, Any]) -> Iterator[Fault]:
    # A field that is declared too is not meant.
    others = {name: each for name, each in theirs.fields.items() if name not in ours.fields}
    if options.get("is_sent") and ours.kind == "object":
        for wire in (wire for wire, each in others.items() if each.required and not each.read_only):
            yield f"{ours.name}: the schema needs the field {wire}", ""
    # A profile lacks no permissions, and a row no id.
    needed = names.PROFILE_PERMISSIONS_FIELD if names.PROFILE_PERMISSIONS_FIELD in ours.fields else names.ID_FIELD
    for wire, each in ours.fields.items():
        if wire in theirs.fields:
            yield from _misfits(each, theirs.fields[wire], f"{ours.name}.{wire}", **options)
        elif not options.get("is_part") and wire != names.CREATED_AT_FIELD:
            may_lack = options.get("is_optional") or (names.ID_FIELD in ours.fields and wire != needed)
            without = "Pages show it as missing." if may_lack and not options.get("is_sent") else ""
            # The version of a row has this name, or the backend has none.
            similar = [] if wire == names.VERSION_FIELD else others
            yield _lacking(f"{ours.name}.{wire}: the schema has no field ", wire, similar, without)
