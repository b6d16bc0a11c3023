"""Declared calls, held against the operations of a schema: paths, methods, parameters, fields and their kinds."""

from __future__ import annotations

import inspect
import re
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Final, get_args, get_origin

from portal.config import contract_names as names
from portal.config.places import place
from portal.query import ListParams, Partial, Row
from portal_dev.openapi.field_types import DeclaredField, Fault, Types, alternatives, fields_of, no_such
from portal_dev.openapi.operations import path_names
from portal_operate.suggestions import did_you_mean

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping

    from portal.query import Endpoint
    from portal_dev.openapi.operations import Operation

#: Keywords of all lists, by their names on the wire.
_OF_LISTS: Final = {"q": names.SEARCH_PARAM, "sort": names.SORT_PARAM}


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
    if fault.lacks == "parameter" and (of is None or alternatives(of.kind)[1]):
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
        if _plain(name) != _plain(other) and not (name == names.ID_FIELD and number == len(ours)):
            yield Fault(f"the parameter {name} of the path is {other} in the schema")
    yield from _query_faults(hook, operation, is_list=getattr(hook, "is_list", False))
    for header in operation.headers:
        if header.required:
            yield Fault(f"the schema needs the {header.place} {header.name}, which hooks do not send")
    yield from _answer_faults(hook, operation)
    if operation.method != "GET":
        yield from _body_faults(hook, operation)
    elif operation.body.required:
        yield Fault("the schema's call needs a body, which queries do not send")


def _plain(name: str) -> str:
    return re.sub(r"[^a-z0-9]", "", name.lower())


def _query_faults(hook: Any, operation: Operation, *, is_list: bool) -> Iterator[Fault]:
    known = operation.query
    own = {
        wire: each for wire, each in (fields_of(hook.params) or {}).items() if wire not in path_names(hook.path_shape)
    }
    paging = {names.CURSOR_PARAM, names.LIMIT_PARAM} if is_list else set()
    sent = set(paging)
    for wire, each in own.items():
        # Lists of no class of the team's are sent with `q` and `sort`; their pages are the hook's own.
        of_all = issubclass(hook.params, ListParams) and each.name in {"q", "sort", "pages", "cursor"}
        if of_all and (each.name in {"pages", "cursor"} or not is_list):
            continue
        name = _OF_LISTS[wire] if of_all else wire
        sent.add(name)
        if name not in known:
            message = (
                f"the schema has no parameter {name}"
                if of_all
                else f"{each.title}: {no_such('parameter', name, known)}"
            )
            is_misspelt = not of_all and did_you_mean(name, known)
            yield Fault(message, None if of_all else each, lacks="" if is_misspelt else "parameter")
            continue
        yield from Types(sent=True).faults(each.kind, known[name].shape, each)
        if known[name].required and alternatives(each.kind)[1]:
            told = "which each call may leave out" if each.owner is ListParams else f"and {each.title} may be left out"
            yield Fault(f"the schema needs the parameter {name}, {told}", None if each.owner is ListParams else each)
    for name in sorted(paging - known.keys()):
        yield Fault(f"the schema has no parameter {name}, which lists are read with")
    for name, given in known.items():
        if given.required and name not in sent:
            yield Fault(f"the schema needs the parameter {name}")
        if given.required and name == names.CURSOR_PARAM and is_list:
            yield Fault(f"the schema needs the parameter {name}, without which a list begins")


def _answer_faults(hook: Any, operation: Operation) -> Iterator[Fault]:
    is_list, answer = getattr(hook, "is_list", False), operation.answer
    declared = hook.item if is_list else hook.data
    if declared is None:
        # An answer to a DELETE may be left unread.
        if answer.shape and operation.method != "DELETE":
            yield Fault("the schema's call is answered with JSON, and data=… is not declared")
    elif answer.note:
        yield Fault(f"the schema's answer can't be read: {answer.note}")
    elif answer.shape is None:
        yield Fault("the schema's call is answered without a body, and data=… is declared")
    elif is_list and operation.item is None:
        fields = (names.ITEMS_FIELD, names.HAS_NEXT_FIELD, names.NEXT_CURSOR_FIELD)
        yield Fault(f"the schema's answer is no page of a list: {answer.shape} without {', '.join(fields)}")
    else:
        shape = operation.item if is_list else answer.shape
        yield from Types().faults(declared, shape or answer.shape)
        if is_list and shape and hook.unique_by not in {*(fields_of(declared) or ()), *shape.fields, False}:
            yield Fault(f"rows are told apart by {hook.unique_by}, which they do not have in the schema")


def _body_faults(hook: Any, operation: Operation) -> Iterator[Fault]:
    body, shape = operation.body, operation.body.shape
    is_partial = get_origin(hook.body) is Partial
    kind = get_args(hook.body)[0] if is_partial else hook.body
    if kind is None:
        if body.required or (shape and any(each.required for each in shape.fields.values())):
            yield Fault("the schema's call needs a body, and body=… is not declared")
    elif body.note:
        yield Fault(f"the schema's body is not what hooks send: {body.note}")
    elif shape is None:
        yield Fault("the schema's call takes no body, and body=… is declared")
    else:
        # A write sends some fields of a row: those that the backend sets by itself are no difference.
        is_row = is_partial and isinstance(kind, type) and issubclass(kind, Row)
        yield from Types(sent=True, of_a_row=is_row).faults(kind, shape)
        declared = fields_of(kind) or shape.fields
        needed = [wire for wire, each in shape.fields.items() if each.required and not each.read_only]
        for wire in needed if {*declared} & {*shape.fields} else []:
            if wire not in declared:
                yield Fault(f"the schema's body needs the field {wire}, which {kind.__name__} does not have")
