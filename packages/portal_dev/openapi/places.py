"""Calls → places: which calls belong together, and the role of each."""

from __future__ import annotations

import re
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Final, TypeAlias

from portal.config.contract_names import ID_FIELD, OF_A_LIST
from portal_dev.openapi.names import attribute_name, class_name, singular, words
from portal_dev.openapi.operations import Operation, path_names
from portal_dev.openapi.shapes import is_same

if TYPE_CHECKING:
    from portal_dev.openapi.shapes import Shape

#: The verb of a hook's name, by the role of its call, in the order in which hooks are written.
VERBS: Final = {
    **dict.fromkeys(("list", "counts", "totals", "detail", "read"), "get"),
    **{role: role for role in ("create", "update", "replace", "delete")},
    "action": "",
}
_OF_A_ROW: Final = {"GET": "detail", "PATCH": "update", "PUT": "replace", "DELETE": "delete"}
#: Segments at the start of a path that say nothing of what stands there.
_PREFIX: Final = re.compile(r"v\d+(\.\d+)*|\d{4}-\d\d-\d\d|api|rest", re.IGNORECASE)
#: Words of a noun; a longer one would make names of hooks that fill a line.
_MAX_WORDS: Final = 4
Call: TypeAlias = tuple[str, Operation]


@dataclass(kw_only=True)
class Place:
    """The calls of one path, and of its rows, each with its role.

    :param noun: one of its rows, in snake_case.
    :param row: a row of the list; None where `resource(…)` declares nothing.
    :param detail: a single row, where it is another object.
    :param standard: the calls that `resource(…)` declares, by role.
    """

    path: str
    noun: str
    calls: list[Call]
    row: Shape | None = None
    detail: Shape | None = None
    standard: dict[str, Operation] = field(default_factory=dict)


def fixed_segments(path: str) -> list[str]:
    """Return the segments that are no parameters, without a version at the start."""
    found = [part for part in path.split("/") if part and "{" not in part]
    while found[1:] and _PREFIX.fullmatch(found[0]):
        del found[0]
    return found or ["root"]


def module_of(operation: Operation, known: set[str]) -> tuple[str, ...]:
    """Return the names of folder and module: of the shortest path at which something is read."""
    head = operation.path.partition("/{")[0].rstrip("/")
    parts = head.split("/")
    root = next((path for end in range(2, len(parts) + 1) if (path := "/".join(parts[:end])) in known), "")
    fixed = fixed_segments(root or head)
    # Actions stand with those beside them: `/auth/login` and `/auth/logout`.
    fixed = fixed if root or "{" in operation.path else fixed[:-1] or fixed
    return tuple(dict.fromkeys((attribute_name(fixed[0]), attribute_name(fixed[-1]))))


def role_of(operation: Operation, reads: dict[str, Operation], lists: set[str]) -> tuple[str, str]:
    """Return the role of a call, and the path that it is about: of a row, the path of its list."""
    path, method = operation.path.rstrip("/"), operation.method
    parent, _, last = path.rpartition("/")
    if last.startswith("{") and last.endswith("}"):
        # An update by POST is as Stripe has it.
        return _OF_A_ROW.get(method, "update" if path in reads else "action"), parent
    if method == "GET" and parent in lists and OF_A_LIST.get(last) in operation.query:
        return last, parent
    if path in lists and method in {"GET", "POST"}:
        return "list" if method == "GET" else "create", path
    return "read" if method == "GET" else "action", path


def place_of(path: str, calls: list[Call]) -> Place:
    """Return the place of a path, with what `resource(…)` declares of its calls."""
    calls = sorted(calls, key=lambda call: [*VERBS].index(call[0]))
    by_role = dict(reversed(calls))
    shapes = [by_role["list"].item] if "list" in by_role else []
    shapes += [by_role[role].answer.shape for role in ("detail", "create") if role in by_role]
    named = [words(class_name(shape.name)) for shape in shapes if shape and shape.kind == "object" and shape.name]
    last = singular(attribute_name(fixed_segments(path)[-1]))
    noun = "_".join(named[0]) if named and len(named[0]) <= _MAX_WORDS else last
    rows = [shape for shape in shapes[: len({"list", "detail"} & {*by_role})] if shape and ID_FIELD in shape.fields]
    if path and "{" not in path and rows:
        detail = rows[-1] if not is_same(rows[0], rows[-1]) else None
        standard = {role: each for role, each in by_role.items() if _fits(role, each, path, rows[0], rows[-1])}
        # One call alone is declared by itself.
        if standard.keys() - OF_A_LIST.keys() and len(standard) > 1:
            return Place(path=path, noun=noun, calls=calls, row=rows[0], detail=detail, standard=standard)
    return Place(path=path, noun=noun, calls=calls)


def _fits(role: str, operation: Operation, place: str, row: Shape, shown: Shape) -> bool:
    """Return whether a call is the one that `resource(…)` declares for its role."""
    of_a_row = f"{place}/{{{(path_names(operation.path) or [''])[0]}}}"
    known = {"list": ("GET", place), "create": ("POST", place), **{end: ("GET", f"{place}/{end}") for end in OF_A_LIST}}
    known |= {role: (method, of_a_row) for method, role in _OF_A_ROW.items()}
    if known.get(role) != (operation.method, operation.path):
        return False
    if role in {"list", *OF_A_LIST}:
        return role != "list" or operation.item is not None
    answer, body = operation.answer.shape, operation.body.shape
    is_row = answer is not None and ID_FIELD in answer.fields
    if operation.query or not (is_row or role == "delete"):
        return False
    return body is None if role in {"detail", "delete"} else is_part(body, row if role == "create" else shown)


def is_part(sent: Shape | None, row: Shape) -> bool:
    """Return whether a row has all that a body takes, so that some of its fields are the body."""
    if sent is None or sent.kind != "object":
        return False
    alike = {"enum": "text", "integer": "number", "decimal": "number"}
    pairs = [(each.shape, row.fields[name].shape) for name, each in sent.fields.items() if name in row.fields]
    kinds = [(alike.get(one.kind, one.kind), alike.get(other.kind, other.kind)) for one, other in pairs]
    return len(pairs) == len(sent.fields) and all(one == other for one, other in kinds)
