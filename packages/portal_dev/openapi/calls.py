"""Operations → what declares them: their names, the resources that they make up, and what can't be declared."""

from __future__ import annotations

import re
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Final

from inflection import singularize

from portal.config.contract_names import ID_FIELD
from portal_dev.openapi.names import attribute_name, is_possible
from portal_dev.openapi.reader import path_names

if TYPE_CHECKING:
    from portal_dev.openapi.reader import Operation, Parameter, Shape

#: What a call is to a resource by its method, at the path of the list and at that of a row.
_ROLES: Final = {
    "": {"GET": "list", "POST": "create"},
    "/{}": {"GET": "detail", "PATCH": "update", "PUT": "replace", "DELETE": "delete"},
}
VERBS: Final = {"GET": "get", "POST": "create", "PATCH": "update", "PUT": "replace", "DELETE": "delete"}
#: Segments at the start of a path that say nothing of what stands there.
_PREFIX: Final = re.compile(r"v\d+(\.\d+)*|\d{4}-\d\d-\d\d|api|rest", re.IGNORECASE)


@dataclass(kw_only=True)
class ResourceCalls:
    """The calls of one path and of its rows that `resource(…)` declares, with their hooks, by role.

    :param noun: one of its rows, in snake_case.
    """

    path: str
    noun: str
    row: Shape
    detail: Shape | None
    calls: dict[str, Operation]
    hooks: dict[str, str] = field(default_factory=dict)


def plain(path: str) -> str:
    """Return a path without the names of its parameters, and without a slash at its end."""
    return re.sub(r"{[^{}]*}", "{}", path.rstrip("/"))


def fixed_parts(path: str) -> list[str]:
    """Return the segments that are no parameters, as names, without a version at the start."""
    found = [part for part in path.split("/") if part and "{" not in part]
    while found[1:] and _PREFIX.fullmatch(found[0]):
        del found[0]
    return [attribute_name(part) for part in found] or ["root"]


def module_key(path: str, read: set[str]) -> tuple[str, ...]:
    """Return the names of folder and module. Actions stand with those beside them: `/auth/login` and `/auth/logout`."""
    head = path.partition("/{")[0].rstrip("/")
    fixed = fixed_parts(head)
    return tuple(dict.fromkeys(fixed[:2] if head in read or fixed[2:] else fixed[:1]))


def call_name(call: Operation) -> str:
    """Return the name of a call's hook, without its kind."""
    fixed = fixed_parts(call.path)
    *above, last = fixed[1:][-2:] or fixed
    if call.method == "POST":
        return "_".join([last, *map(singularize, above)])
    return "_".join(
        [VERBS[call.method], *map(singularize, above), singularize(last) if call.path.endswith("}") else last]
    )


# --- resources ---


def resource_at(path: str, calls: list[Operation]) -> ResourceCalls | None:
    """Return the calls at a path and of its rows that `resource(…)` declares; None for less than two."""
    if "{" in path or path.endswith("/"):
        return None
    below = {(each.method, re.sub(r"\{[^{}]*\}", "{}", each.path)): each for each in reversed(calls)}
    wanted = [(role, (method, path + rest)) for rest, roles in _ROLES.items() for method, role in roles.items()]
    found = {role: below[key] for role, key in wanted if key in below}
    detail = found["detail"].answer if "detail" in found else None
    row = (found["list"].item if "list" in found else None) or detail
    if row is None or ID_FIELD not in row.fields:
        return None
    fitting = {role: call for role, call in found.items() if _fits(role, call, row, detail or row)}
    noun = singularize(fixed_parts(path)[-1])
    return ResourceCalls(path=path, noun=noun, row=row, detail=detail, calls=fitting) if len(fitting) > 1 else None


def _fits(role: str, call: Operation, row: Shape, detail: Shape) -> bool:
    """Return whether a call has the parameters, the body and the answer that `resource(…)` declares."""
    if role == "list":
        return call.item is not None
    fields = (row if role == "create" else detail).fields
    is_answered = role == "delete" or bool(call.answer and ID_FIELD in call.answer.fields)
    sent = call.body.fields if call.body else {}
    is_sent = all(wire in fields and fields[wire].kind == each.kind for wire, each in sent.items())
    return is_answered and is_sent and bool(sent) == (role not in {"detail", "delete"}) and not call.query


# --- what can't be declared ---


def in_path(name: str) -> str:
    """Return the name of a path's parameter in an address: an odd one becomes a word."""
    return name if name.isascii() and name.isidentifier() else attribute_name(name)


def sent_params(call: Operation) -> tuple[dict[str, Parameter], list[tuple[Parameter, str]]]:
    """Return the parameters that a hook sends, by their names in an address, and the others with the reasons."""
    sent: dict[str, Parameter] = {}
    odd = []
    for each in call.parameters:
        wire, shape = in_path(each.name) if each.place == "path" else each.name, each.shape
        taken = {*sent, *({"q", "sort", "cursor"} if each.place == "path" else ()), "pages"} if call.item else {*sent}
        is_list = each.is_joined and each.place == "query" and shape.item and shape.item.kind in {"text", "enum"}
        if each.place in {"header", "cookie"}:
            odd += [(each, f"a {each.place}")] if shape.required else []
        elif not is_possible(wire) or wire in taken:
            odd.append((each, "a name that hooks have not, or have for something else"))
        elif shape.kind in {"map", "object"} or (shape.kind == "list" and not is_list):
            odd.append((each, f"{shape}, which hooks do not send"))
        else:
            sent[wire] = each
    return sent, odd


def faults(call: Operation) -> tuple[list[str], list[str]]:
    """Return why a call can't be declared, and what it is declared without."""
    in_path, plain = path_names(call.path), re.sub(r"\{[^{}]+\}", "", call.path)
    answer, body, is_query = call.answer, call.body, call.method == "GET"
    _, odd = sent_params(call)
    is_odd = re.search(r"[?#{}]|^//|/\.\.?(/|$)", plain) or len({*in_path}) < len(in_path)
    reasons = ["it is deprecated"] * call.is_deprecated + ["its path is none that a hook has"] * bool(is_odd)
    reasons += ["a query sends no body"] if is_query and body and body.required else []
    reasons += ["its answer is nothing that a hook reads"] if is_query and not answer else []
    reasons += [f"its body or answer: {each.note}" for each in (body, answer) if each and each.kind == "file"]
    reasons += [
        f"the parameter {each.name} is {why}"
        for each, why in odd
        if each.shape.required and each.place in {"path", "query"}
    ]
    without = [f"without the parameter {each.name}, {why}" for each, why in odd]
    without += ["without its body, which queries do not send"] if is_query and body else []
    return reasons, without
