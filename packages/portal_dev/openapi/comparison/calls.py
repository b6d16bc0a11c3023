"""Declared calls, held against the operations of a schema."""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Final, Literal, get_args, get_origin, is_typeddict

from portal.config.contract_names import (
    CURSOR_PARAM,
    HAS_NEXT_FIELD,
    ID_FIELD,
    ITEMS_FIELD,
    LIMIT_PARAM,
    NEXT_CURSOR_FIELD,
    PROFILE_PERMISSIONS_FIELD,
    SEARCH_PARAM,
    SORT_PARAM,
)
from portal.query import DeclaredMutation, ListParams, Partial, Row
from portal_dev.openapi.comparison.types import (
    Comparison,
    DeclaredField,
    TypeFault,
    alternatives,
    fields_of,
    no_such,
    place_of,
)
from portal_dev.openapi.schema import ObjectOf, Operation, page_item, path_names
from portal_operate.suggestions import did_you_mean

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping

    from portal.query import Endpoint

#: What all lists have: the keyword's name, and the backend's.
_OF_LISTS: Final[Mapping[str, str]] = {"q": SEARCH_PARAM, "sort": SORT_PARAM}


@dataclass(frozen=True, slots=True, kw_only=True, order=True)
class Difference:
    """One difference between a declaration and the schema.

    :param place: `file:line` of the declaration.
    :param hook: the endpoint's key.
    :param is_absent: whether it is no mistake: the schema lacks what is optional (contract, section 7).
    """

    place: str
    hook: str
    message: str
    is_absent: bool = False

    def __str__(self) -> str:
        return f"{self.place}: {self.hook}: {'absent: ' if self.is_absent else ''}{self.message}"


def compared(hooks: Iterable[Endpoint[Any]], operations: Iterable[Operation]) -> list[Difference]:
    """All differences, each once, in the order of the files."""
    given = list(hooks)
    known = {(each.method, _shape_of(each.path)): each for each in operations}
    declared = {(_method(hook), _shape_of(hook.path_shape)) for hook in given}
    # What another hook calls is not what this one means.
    others = [each for call, each in known.items() if call not in declared]
    found: dict[tuple[str, str], Difference] = {}
    for hook in given:
        for fault in _faults(hook, known, others):
            place = place_of(*(fault.place or (hook.group or object, hook.name)))
            without = _without(hook, fault)
            message = f"{fault.message}. {without}" if without else fault.message
            difference = Difference(place=place, hook=hook.key, message=message, is_absent=bool(without))
            found.setdefault((place, message), difference)
    return sorted(found.values(), key=_order)


def _without(hook: Endpoint[Any], fault: TypeFault) -> str:
    """What a page does without what the schema lacks; empty where it is not optional."""
    declared = fault.declared
    match fault.lacks:
        case "call":
            return hook.without
        case "parameter" if declared is None or alternatives(declared.kind)[1]:
            return "Pages do not offer what it does."
        case "field" if hook.is_optional or (declared is not None and _may_be_missing(declared)):
            return "Pages show it as missing."
    return ""


def _may_be_missing(declared: DeclaredField) -> bool:
    """Whether every answer may lack the field, also of a required call: `id` and `permissions` it may not."""
    if is_typeddict(declared.owner):
        return declared.name in declared.owner.__optional_keys__ and declared.name != PROFILE_PERMISSIONS_FIELD
    return issubclass(declared.owner, Row) and not (declared.of_all_rows and declared.name == ID_FIELD)


def _order(difference: Difference) -> tuple[str, int, str]:
    file, _, line = difference.place.rpartition(":")
    return file, int(line) if line.isdecimal() else 0, difference.message


def _shape_of(path: str) -> str:
    return re.sub(r"\{[^{}]*\}", "{}", path)


def _method(hook: Endpoint[Any]) -> str:
    return hook.method if isinstance(hook, DeclaredMutation) else "GET"


def _faults(
    hook: Endpoint[Any], known: Mapping[tuple[str, str], Operation], others: Iterable[Operation]
) -> Iterator[TypeFault]:
    path = hook.path_shape
    operation = known.get((_method(hook), _shape_of(path)))
    if operation is None:
        methods = [other for other, there in known if there == _shape_of(path)]
        hint = f"; it has {', '.join(methods)} there" if methods else ""
        paths = [] if methods else [each.path for each in others if each.method == _method(hook)]
        # Another method that no hook calls, or a path that is like it: then it is a mistake.
        is_meant = did_you_mean(path, paths) or any(_shape_of(each.path) == _shape_of(path) for each in others)
        message = f"the schema has {no_such(_method(hook), path, paths)}{hint}"
        yield TypeFault(message=message, lacks="" if is_meant else "call")
        return
    parameters = _parameters(hook)
    yield from _path_faults(path, operation)
    yield from _query_faults(hook, parameters, operation)
    yield from (
        TypeFault(message=f"the schema needs the {header.title}, which hooks do not send")
        for header in operation.headers
        if header.required
    )
    yield from _list_faults(hook, operation) if getattr(hook, "is_list", False) else _answer_faults(hook, operation)
    if isinstance(hook, DeclaredMutation):
        yield from _body_faults(hook, operation)
    elif operation.body.required:
        yield TypeFault(message="the schema's call needs a body, which queries do not send")


# --- parameters ---


def _parameters(hook: Endpoint[Any]) -> dict[str, DeclaredField]:
    """The declared parameters by their names on the wire, but for those of the call itself."""
    found = fields_of(hook.params) or {}
    own = {"pages", "cursor"} if isinstance(hook.params, type) and issubclass(hook.params, ListParams) else set()
    return {wire: declared for wire, declared in found.items() if declared.name not in own}


def _path_faults(path: str, operation: Operation) -> Iterator[TypeFault]:
    ours, theirs = path_names(path), path_names(operation.path)
    for number, (name, other) in enumerate(zip(ours, theirs, strict=True), start=1):
        # `resource(…)` calls the id of a row so, whatever the schema calls it.
        is_row_id = name == ID_FIELD and number == len(ours)
        if _plain(name) != _plain(other) and not is_row_id:
            yield TypeFault(message=f"the parameter {name} of the path is {other} in the schema")


def _plain(name: str) -> str:
    return re.sub(r"[^a-z0-9]", "", name.lower())


def _query_faults(
    hook: Endpoint[Any], parameters: Mapping[str, DeclaredField], operation: Operation
) -> Iterator[TypeFault]:
    known = {each.name: each for each in operation.query}
    in_path = set(path_names(hook.path_shape))
    is_list = getattr(hook, "is_list", False)
    names = {wire: _OF_LISTS.get(wire, wire) if is_list else wire for wire in parameters if wire not in in_path}
    for wire, name in names.items():
        declared = parameters[wire]
        if name in known:
            yield from Comparison(sent=True).faults(declared.kind, known[name].shape, declared=declared)
            if known[name].required and alternatives(declared.kind)[1]:
                # `q` and `sort` are of all lists: no class of the team's has them.
                own = declared if declared.owner is not ListParams else None
                told = f"and {own.title} may be left out" if own else "which each call may leave out"
                yield TypeFault(message=f"the schema needs the parameter {name}, {told}", declared=own)
        elif not _is_of_all_lists(declared):
            message = f"{declared.title}: the schema has {no_such('parameter', name, known)}"
            lacks: Literal["", "parameter"] = "" if did_you_mean(name, known) else "parameter"
            yield TypeFault(message=message, declared=declared, lacks=lacks)
        elif is_list:
            yield TypeFault(message=f"the schema has no parameter {name}", lacks="parameter")
    paging = {CURSOR_PARAM, LIMIT_PARAM} if is_list else set()
    for name in sorted(paging - set(known)):
        yield TypeFault(message=f"the schema has no parameter {name}, which lists are read with")
    for name, each in known.items():
        if each.required and name not in names.values() and name not in paging:
            yield TypeFault(message=f"the schema needs the parameter {name}")
        if each.required and name == CURSOR_PARAM and is_list:
            yield TypeFault(message=f"the schema needs the parameter {name}, without which a list begins")


def _is_of_all_lists(declared: DeclaredField) -> bool:
    """Whether it is `q` or `sort`: a class of a list may only say which sort orders there are."""
    return issubclass(declared.owner, ListParams) and declared.name in _OF_LISTS


# --- answers ---


def _list_faults(hook: Any, operation: Operation) -> Iterator[TypeFault]:
    shape = operation.answer.shape
    if operation.answer.note:
        yield TypeFault(message=f"the schema's answer can't be read: {operation.answer.note}")
        return
    item = page_item(shape)
    if item is None:
        fields = (ITEMS_FIELD, HAS_NEXT_FIELD, NEXT_CURSOR_FIELD)
        missing = [name for name in fields if not isinstance(shape, ObjectOf) or name not in shape.fields]
        told = f"it has no {', '.join(missing)}" if missing else f"{ITEMS_FIELD} is no array"
        yield TypeFault(message=f"the schema's answer is no page of a list: {told}")
        return
    yield from Comparison(sent=False).faults(hook.item, item)
    named = {*(fields_of(hook.item) or ()), *(item.fields if isinstance(item, ObjectOf) else ())}
    if hook.unique_by and hook.unique_by not in named:
        yield TypeFault(message=f"rows are told apart by {hook.unique_by}, which they do not have in the schema")


def _answer_faults(hook: Any, operation: Operation) -> Iterator[TypeFault]:
    answer = operation.answer
    if hook.data is None:
        # What a DELETE answers may be left unread.
        if answer.shape is not None and operation.method != "DELETE":
            yield TypeFault(message="the schema's call is answered with JSON, and data=… is not declared")
    elif answer.note:
        yield TypeFault(message=f"the schema's answer can't be read: {answer.note}")
    elif answer.shape is None:
        yield TypeFault(message="the schema's call is answered without a body, and data=… is declared")
    else:
        yield from Comparison(sent=False).faults(hook.data, answer.shape)


# --- bodies ---


def _body_faults(hook: DeclaredMutation[Any, Any, Any], operation: Operation) -> Iterator[TypeFault]:
    body, shape = operation.body, operation.body.shape
    if hook.body is None:
        if body.required or (isinstance(shape, ObjectOf) and any(each.required for each in shape.fields.values())):
            yield TypeFault(message="the schema's call needs a body, and body=… is not declared")
    elif body.note:
        yield TypeFault(message=f"the schema's body is not what hooks send: {body.note}")
    elif shape is None:
        yield TypeFault(message="the schema's call takes no body, and body=… is declared")
    elif isinstance(shape, ObjectOf):
        yield from _object_faults(hook.body, shape)
    else:
        yield from Comparison(sent=True).faults(_whole(hook.body), shape)


def _object_faults(body: Any, shape: ObjectOf) -> Iterator[TypeFault]:
    kind = _whole(body)
    declared = fields_of(kind)
    if declared is None:
        yield from Comparison(sent=True).faults(kind, shape)
        return
    if shape.fields and not set(declared) & set(shape.fields):
        yield TypeFault(message=f"the schema's body has no field of {kind.__name__}, but {', '.join(shape.fields)}")
        return
    # Of a row, a write sends some fields: those that the backend sets by itself are no difference.
    is_row = get_origin(body) is Partial and isinstance(kind, type) and issubclass(kind, Row)
    for wire, field in declared.items():
        member = shape.fields.get(wire)
        if member is not None:
            yield from Comparison(sent=True, of_a_row=is_row).faults(field.kind, member.shape, declared=field)
        elif not is_row:
            message = f"{field.title}: the schema's body has {no_such('field', wire, shape.fields)}"
            yield TypeFault(message=message, declared=field)
    for wire, member in shape.fields.items():
        if member.required and not member.read_only and wire not in declared:
            yield TypeFault(message=f"the schema's body needs the field {wire}, which {kind.__name__} does not have")


def _whole(body: Any) -> Any:
    """`Client` of `Partial[Client]`."""
    return get_args(body)[0] if get_origin(body) is Partial else body
