"""Declared calls, held against the operations of a schema: paths, methods, parameters, fields and their kinds."""

from __future__ import annotations

import inspect
import re
from collections.abc import Sequence
from dataclasses import dataclass, field
from datetime import date, datetime
from decimal import Decimal
from typing import TYPE_CHECKING, Any, Final, Literal, get_args, get_origin

from portal.config import contract_names as names
from portal.config.places import place
from portal.query import ListParams, Partial, Row
from portal_dev.openapi.field_types import DeclaredField, alternatives, fields_of, values_of
from portal_dev.openapi.names import attribute_name
from portal_dev.openapi.operations import path_names
from portal_operate.suggestions import did_you_mean

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping

    from portal.query import Endpoint
    from portal_dev.openapi.operations import Body, Operation, Parameter
    from portal_dev.openapi.shapes import Shape

#: The kinds that each type can hold. A text without a format may well be a decimal or a time: a person may know.
_HOLDS: Final[Mapping[Any, set[str]]] = {
    str: {"text", "time", "day", "decimal", "enum"},
    int: {"integer"},
    float: {"integer", "number"},
    bool: {"boolean"},
    Decimal: {"decimal", "integer", "number", "text"},
    dict: {"map", "object"},
    datetime: {"time", "text"},
    date: {"day", "text"},
    **{kind: {"list"} for kind in (Sequence, list, tuple, set, frozenset)},
}


@dataclass(frozen=True, slots=True, kw_only=True, order=True)
class Difference:
    """One difference between a declaration and the schema.

    :param declared_at: file and line of the declaration.
    :param hook: the endpoint's key.
    :param is_absent: whether it is no mistake: the schema lacks what is optional (contract, section 7).
    """

    declared_at: tuple[str, int]
    message: str
    hook: str
    is_absent: bool = False

    def __str__(self) -> str:
        return f"{place(*self.declared_at)}: {self.hook}: {'absent: ' if self.is_absent else ''}{self.message}"


@dataclass(frozen=True)
class Fault:
    """One thing that does not fit.

    :param of: the field, or the enumeration, that a person changes; None for the hook.
    :param lacks: what the schema does not have, where no name of the schema is like it.
    """

    message: str
    of: Any = None
    lacks: Literal["", "call", "parameter", "field"] = ""


def no_such(what: str, name: str, known: Iterable[str]) -> str:
    """Return that the schema has no such name, with a similar one that it has."""
    return "; ".join(filter(None, (f"the schema has no {what} {name}", did_you_mean(name, known))))


def compared(hooks: Iterable[Endpoint[Any]], operations: Iterable[Operation]) -> list[Difference]:
    """Return all differences, each once, in the order of the files."""
    given: list[Any] = list(hooks)
    known = {(each.method, _unnamed(each.path)): each for each in operations}
    declared = {(_method(hook), _unnamed(hook.path_shape)) for hook in given}
    # A call of another hook is not the one that is meant here.
    others = [each for call, each in known.items() if call not in declared]
    found: dict[tuple[tuple[str, int], str], Difference] = {}
    for hook in given:
        operation = known.get((_method(hook), _unnamed(hook.path_shape)))
        for fault in _faults(hook, operation) if operation else [_missing(hook, known, others)]:
            declared_at = _declared_at(fault.of) or hook.declared_at
            without = _without(hook, fault)
            message = f"{fault.message}. {without}" if without else fault.message
            difference = Difference(declared_at=declared_at, hook=hook.key, message=message, is_absent=bool(without))
            found.setdefault((declared_at, message), difference)
    return sorted(found.values())


def _unnamed(path: str) -> str:
    return re.sub(r"\{[^{}]*\}", "{}", path)


def _method(hook: Any) -> str:
    return str(getattr(hook, "method", "GET"))


def _declared_at(of: Any) -> tuple[str, int] | None:
    owner, name = (of.owner, of.name) if isinstance(of, DeclaredField) else (of, "class")
    try:
        lines, start = inspect.getsourcelines(owner)
    except (OSError, TypeError):
        return None
    number = next((number for number, line in enumerate(lines) if re.match(rf"\s*{name}\b *[:=]", line)), 0)
    return inspect.getfile(owner), start + number


def _without(hook: Any, fault: Fault) -> str:
    """Return what a page does without what the schema lacks; empty where it is not optional."""
    of = fault.of
    if fault.lacks == "parameter" and (of is None or of.may_be_none):
        return "Pages do not offer what it does."
    if fault.lacks == "field" and (hook.is_optional or of.may_be_missing):
        return "Pages show it as missing."
    return str(hook.without) if fault.lacks == "call" else ""


def _missing(hook: Any, known: Mapping[tuple[str, str], Operation], others: list[Operation]) -> Fault:
    path, shape = hook.path_shape, _unnamed(hook.path_shape)
    methods = [method for method, there in known if there == shape]
    paths = [] if methods else [each.path for each in others if each.method == _method(hook)]
    # Another method that no hook calls, or a path that is like it: then it is a mistake.
    is_meant = did_you_mean(path, paths) or any(_unnamed(each.path) == shape for each in others)
    hint = f"; it has {', '.join(methods)} there" if methods else ""
    return Fault(no_such(_method(hook), path, paths) + hint, lacks="" if is_meant else "call")


def _faults(hook: Any, operation: Operation) -> Iterator[Fault]:
    ours, theirs = path_names(hook.path_shape), path_names(operation.path)
    for number, (name, other) in enumerate(zip(ours, theirs, strict=True), start=1):
        # `resource(…)` calls the id of a row so, whatever the schema calls it.
        if attribute_name(name) != attribute_name(other) and not (name == names.ID_FIELD and number == len(ours)):
            yield Fault(f"the parameter {name} of the path is {other} in the schema")
    for header in operation.headers:
        if header.required:
            yield Fault(f"the schema needs the {header.place} {header.name}, which hooks do not send")
    is_list = getattr(hook, "is_list", False)
    yield from _query_faults(hook, operation.query, is_list=is_list)
    yield from _answer_faults(hook, operation, is_list=is_list)
    if operation.method != "GET":
        yield from _body_faults(hook, operation.body)
    elif operation.body.required:
        yield Fault("the schema's call needs a body, which queries do not send")


def _query_faults(hook: Any, known: dict[str, Parameter], *, is_list: bool) -> Iterator[Fault]:
    in_path = path_names(hook.path_shape)
    own = {wire: each for wire, each in (fields_of(hook.params) or {}).items() if wire not in in_path}
    # Keywords of all lists have the hook's own names; only lists send them.
    of_all = {"q": names.SEARCH_PARAM, "sort": names.SORT_PARAM, "pages": "", "cursor": ""}
    sent = {names.CURSOR_PARAM, names.LIMIT_PARAM} if is_list else set()
    for name in sorted(sent - known.keys()):
        yield Fault(f"the schema has no parameter {name}, which lists are read with")
    if is_list and names.CURSOR_PARAM in known and known[names.CURSOR_PARAM].required:
        yield Fault(f"the schema needs the parameter {names.CURSOR_PARAM}, without which a list begins")
    for wire, each in own.items():
        is_own = not (issubclass(hook.params, ListParams) and each.name in of_all)
        name = wire if is_own else of_all[each.name] if is_list else ""
        if name in known:
            yield from _Types(sent=True).faults(each.kind, known[name].shape, each)
            if known[name].required and each.may_be_none:
                yield Fault(
                    f"the schema needs the parameter {name}, which a call may leave out", each if is_own else None
                )
        elif name:
            title, of = (f"{each.title}: ", each) if is_own else ("", None)
            is_misspelt = is_own and did_you_mean(name, known)
            message = title + no_such("parameter", name, known if is_own else ())
            yield Fault(message, of, lacks="" if is_misspelt else "parameter")
        sent.add(name)
    for name, given in known.items():
        if given.required and name not in sent:
            yield Fault(f"the schema needs the parameter {name}")


def _answer_faults(hook: Any, operation: Operation, *, is_list: bool) -> Iterator[Fault]:
    declared, answer = hook.item if is_list else hook.data, operation.answer
    shape = operation.item if is_list else answer.shape
    if declared is None:
        # An answer to a DELETE may be left unread.
        if answer.shape and operation.method != "DELETE":
            yield Fault("the schema's call is answered with JSON, and data=… is not declared")
    elif answer.note:
        yield Fault(f"the schema's answer can't be read: {answer.note}")
    elif answer.shape is None:
        yield Fault("the schema's call is answered without a body, and data=… is declared")
    elif shape is None:
        fields = (names.ITEMS_FIELD, names.HAS_NEXT_FIELD, names.NEXT_CURSOR_FIELD)
        yield Fault(f"the schema's answer is no page of a list: {answer.shape} without {', '.join(fields)}")
    else:
        yield from _Types().faults(declared, shape)


def _body_faults(hook: Any, body: Body) -> Iterator[Fault]:
    is_partial = get_origin(hook.body) is Partial
    kind, shape = get_args(hook.body)[0] if is_partial else hook.body, body.shape
    needed = [wire for wire, each in (shape.fields if shape else {}).items() if each.required and not each.read_only]
    if kind is None:
        if body.required or needed:
            yield Fault("the schema's call needs a body, and body=… is not declared")
    elif body.note:
        yield Fault(f"the schema's body is not what hooks send: {body.note}")
    elif shape is None:
        yield Fault("the schema's call takes no body, and body=… is declared")
    else:
        # A write sends some fields of a row: those that the backend sets by itself are no difference.
        is_row = is_partial and isinstance(kind, type) and issubclass(kind, Row)
        yield from _Types(sent=True, of_a_row=is_row).faults(kind, shape)
        declared = fields_of(kind) or shape.fields
        for wire in needed if {*declared} & {*shape.fields} else []:
            if wire not in declared:
                yield Fault(f"the schema's body needs the field {wire}, which {kind.__name__} does not have")


@dataclass(kw_only=True)
class _Types:
    """Holds types against shapes.

    :param sent: the value is sent, not received: then null and values that are not known do not matter.
    :param of_a_row: some fields of a row are sent: then it may have more fields, and its fields more values.
    """

    sent: bool = False
    of_a_row: bool = False
    _seen: set[tuple[Any, str]] = field(default_factory=set)

    def faults(self, kind: Any, shape: Shape, of: DeclaredField | None = None) -> Iterator[Fault]:
        """Yield what does not fit.

        :param of: the field whose type it is.
        """
        kinds, may_be_none = alternatives(kind)
        if shape.kind == "any" or {Any, object} & {*kinds}:
            return
        if of and shape.nullable and not (may_be_none or self.sent or shape.item or shape.kind == "object"):
            yield Fault(f"{of.title} is never None here, and may be null in the schema", of)
        each = [list(self._of_one(one, shape, of)) for one in kinds]
        if all(each):
            yield from each[0]

    def _of_one(self, kind: Any, shape: Shape, of: DeclaredField | None) -> Iterator[Fault]:
        values, fields, origin = values_of(kind), fields_of(kind), get_origin(kind) or kind
        is_id = bool(of and of.of_all_rows and of.name == names.ID_FIELD) and shape.kind == "integer"
        may_hold = is_id or (values and shape.kind == "text") or (fields is not None and shape.kind == "map")
        name = kind.__name__ if isinstance(kind, type) and not get_args(kind) else str(kind).removeprefix("typing.")
        if values is not None and shape.kind == "enum":
            unknown = [] if self.of_a_row else sorted(values - {*shape.values})
            missing = [] if self.sent else [value for value in shape.values if value not in values and value]
            declared = kind if isinstance(kind, type) else of
            if unknown:
                yield Fault(f"{name} has {', '.join(unknown)}, which the schema has not", declared)
            if missing:
                yield Fault(f"{name} lacks {', '.join(missing)} of the schema", declared)
        elif fields is not None and shape.kind == "object":
            yield from self._of_fields(kind, fields, shape, of)
        elif shape.kind in _HOLDS.get(origin, ()):
            inside = (*get_args(kind), Any)[1 if origin is dict and get_args(kind) else 0]
            for part in [shape.item] if shape.item else [each.shape for each in shape.fields.values()]:
                yield from self.faults(inside, part, of)
        elif not may_hold:
            title = of.title if of else "the body" if self.sent else "the answer"
            yield Fault(f"{title} is {name} here, and {shape} in the schema", of)

    def _of_fields(
        self, kind: Any, fields: dict[str, DeclaredField], shape: Shape, of: DeclaredField | None
    ) -> Iterator[Fault]:
        if (kind, shape.pointer) in self._seen:
            return
        self._seen.add((kind, shape.pointer))
        if not self.of_a_row and len(fields) > 1 and shape.fields and not {*fields} & {*shape.fields}:
            yield Fault(f"the schema has no field of {kind.__name__}, but {', '.join(shape.fields)}", of)
            return
        for wire, each in fields.items():
            if wire in shape.fields:
                yield from self.faults(each.kind, shape.fields[wire].shape, each)
            elif not self.of_a_row and not (each.of_all_rows and wire == names.CREATED_AT_FIELD):
                # The version of a row has this name, or the backend has none. What is declared too is not meant.
                similar = (
                    [] if wire == names.VERSION_FIELD else [other for other in shape.fields if other not in fields]
                )
                is_misspelt = self.sent or did_you_mean(wire, similar)
                message = f"{each.title}: {no_such('field', wire, similar)}"
                yield Fault(message, each, lacks="" if is_misspelt else "field")
