"""Operations → resources: which calls belong together, and what each is to its resource."""

from __future__ import annotations

import re
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Final, Literal, TypeAlias, TypeGuard

from portal.config.contract_names import COUNTS_SEGMENT, ID_FIELD, OF_A_LIST, REFRESH_PATH, TOTALS_SEGMENT
from portal_dev.openapi.schema import Enumeration, ListOf, MapOf, ObjectOf, Scalar, are_the_same

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping

    from portal_dev.openapi.schema import Operation, Shape

#: What an operation is to its resource. An action is a write that is none of the others.
Role: TypeAlias = Literal[
    "list", "counts", "totals", "detail", "create", "update", "replace", "delete", "read", "action"
]
#: The methods of a row.
_OF_A_ROW: Final[Mapping[str, Role]] = {"GET": "detail", "PATCH": "update", "PUT": "replace", "DELETE": "delete"}
#: Segments at the start of a path that say nothing of what stands there.
_PREFIX: Final = re.compile(r"v\d+(\.\d+)*|\d{4}-\d\d-\d\d|api|rest", re.IGNORECASE)


@dataclass(frozen=True, kw_only=True)
class PlacedCall:
    """An operation and its role.

    :param place: the path that the role is about: of a row, the path of its list.
    """

    operation: Operation
    role: Role
    place: str


@dataclass(kw_only=True)
class Group:
    """The calls of one module.

    :param root: the path under which all of them stand.
    """

    root: str
    calls: list[PlacedCall] = field(default_factory=list)

    @property
    def is_actions(self) -> bool:
        """Whether nothing is read here: such calls belong to what stands above them."""
        return not has_parameter(self.root) and all(call.role == "action" for call in self.calls)


def has_parameter(path: str) -> bool:
    """Whether a path, or a segment of one, has a parameter."""
    return "{" in path


def segments(path: str) -> list[str]:
    """The segments of a path; of the root one that is empty."""
    return [part for part in path.split("/") if part] or [""]


def fixed_segments(path: str) -> list[str]:
    """Those that are no parameters, without a version at the start."""
    found = [part for part in segments(path) if part and not has_parameter(part)]
    while len(found) > 1 and _PREFIX.fullmatch(found[0]):
        del found[0]
    return found


def parent(path: str) -> str:
    """The path without its last segment."""
    return path.rstrip("/").rpartition("/")[0]


def grouped(operations: Iterable[Operation]) -> list[Group]:
    """The operations, each with its role, by the shortest path that leads to them."""
    known = [operation for operation in operations if operation.path != REFRESH_PATH]
    paths = {operation.path.rstrip("/") for operation in known}
    reads = {operation.path.rstrip("/"): operation for operation in known if operation.method == "GET"}
    groups: dict[str, Group] = {}
    for operation in known:
        root = _root(operation.path, paths)
        groups.setdefault(root, Group(root=root)).calls.append(_call(operation, paths, reads))
    return list(groups.values())


def _root(path: str, paths: set[str]) -> str:
    """The shortest beginning of a path at which something stands, without the parameters at its end."""
    parts = segments(path)
    beginnings = ["/" + "/".join(parts[:length]) for length in range(1, len(parts) + 1)]
    found = next((each for each in beginnings if each in paths or _is_list(each, paths)), path)
    while has_parameter(segments(found)[-1]) and fixed_segments(found):
        found = parent(found)
    return found


def _is_list(path: str, paths: set[str]) -> bool:
    """Whether rows stand below a path: `/x/{id}` is there."""
    return any(parent(each) == path and has_parameter(each.rpartition("/")[2]) for each in paths)


def _call(operation: Operation, paths: set[str], reads: Mapping[str, Operation]) -> PlacedCall:
    """The call with its role.

    :param reads: path to what reads it.
    """
    path = operation.path.rstrip("/")
    is_list = _is_list(path, paths) or _gives_many(reads.get(path))
    if has_parameter(segments(path)[-1]):
        role: Role = _OF_A_ROW.get(operation.method, "action")
        if operation.method == "POST" and {path, parent(path)} & set(reads):
            # As Stripe has it. Where no row is read, it is an action, such as the call of a hook by its token.
            role = "update"
        return PlacedCall(operation=operation, role=role, place=parent(path) if role != "action" else path)
    figures = _figures(operation)
    if figures and _gives_many(reads.get(parent(path))):
        return PlacedCall(operation=operation, role=figures, place=parent(path))
    if operation.method == "GET":
        return PlacedCall(operation=operation, role="list" if is_list else "read", place=path)
    if operation.method == "POST":
        return PlacedCall(operation=operation, role="create" if is_list else "action", place=path)
    return PlacedCall(operation=operation, role=_OF_A_ROW[operation.method] if path in reads else "action", place=path)


def _figures(operation: Operation) -> Role | None:
    """Whether it counts or adds up the rows of a list, as the counts and totals of `resource(…)` do."""
    ending, shape = operation.path.rpartition("/")[2], operation.answer.shape
    param = OF_A_LIST.get(ending)
    if operation.method != "GET" or all(each.name != param for each in operation.query):
        return None
    if ending == COUNTS_SEGMENT and isinstance(shape, MapOf) and isinstance(shape.value, MapOf):
        return "counts"
    is_totals = isinstance(shape, ObjectOf) and {"total", "sums"} <= set(shape.fields)
    return "totals" if ending == TOTALS_SEGMENT and is_totals else None


def _gives_many(operation: Operation | None) -> bool:
    if operation is None:
        return False
    return operation.page_item is not None or isinstance(operation.answer.shape, ListOf)


# --- what `resource(…)` declares ---


@dataclass(frozen=True, kw_only=True)
class Standard:
    """The calls of one place that `resource(…)` declares.

    :param item: a row of the list.
    :param detail: a single row, where it is another object.
    :param calls: role to call.
    """

    path: str
    item: ObjectOf
    detail: ObjectOf | None
    calls: Mapping[Role, PlacedCall]


@dataclass(kw_only=True)
class ResourcePlace:
    """The calls of one path, and of its rows.

    :param noun: one of its rows, in snake_case; or what stands there, where it has no rows.
    :param resource: what `resource(…)` declares of it.
    :ivar list_hook: the hook of its paginated list, as soon as there is one.
    :ivar row_hook: the hook of one row, with `row_shape`, what it answers.
    :ivar reads: its other queries.
    """

    path: str
    noun: str
    calls: list[PlacedCall]
    resource: Standard | None
    list_hook: str = ""
    row_hook: str = ""
    row_shape: Shape | None = None
    reads: list[str] = field(default_factory=list)


def standard(place: str, calls: Iterable[PlacedCall]) -> Standard | None:
    """What `resource(…)` declares at a place; None where too little fits."""
    by_role: dict[Role, PlacedCall] = {}
    for call in calls:
        if call.place == place and _is_at(call, place):
            by_role.setdefault(call.role, call)
    listed, single = by_role.get("list"), by_role.get("detail")
    item = listed.operation.page_item if listed else single.operation.answer.shape if single else None
    if not place or has_parameter(place) or not is_row(item):
        return None
    shown = single.operation.answer.shape if single else None
    detail = shown if is_row(shown) and not are_the_same(item, shown) else None
    found: dict[Role, PlacedCall] = {role: call for role, call in by_role.items() if _fits(call, item, detail or item)}
    # One call alone is declared by itself.
    return Standard(path=place, item=item, detail=detail, calls=found) if len(found) > 1 else None


def _is_at(call: PlacedCall, place: str) -> bool:
    """Whether a call has the path that `resource(…)` gives its role: `PUT /pets` is no `PUT /pets/{id}`."""
    path = call.operation.path
    if call.role in {"list", "create"}:
        return path == place
    if call.role in OF_A_LIST:
        return path == f"{place}/{call.role}"
    is_of_a_row = _OF_A_ROW.get(call.operation.method) == call.role
    return is_of_a_row and path != place and parent(path) == place and not path.endswith("/")


def is_row(shape: Shape | None) -> TypeGuard[ObjectOf]:
    """Whether it is an object with an id."""
    return isinstance(shape, ObjectOf) and ID_FIELD in shape.fields


def _fits(call: PlacedCall, item: ObjectOf, shown: ObjectOf) -> bool:
    """Whether a call is what `resource(…)` declares for its role.

    :param shown: a single row.
    """
    operation = call.operation
    answer, body = operation.answer.shape, operation.body.shape
    if operation.body.note or operation.answer.note:
        return False
    if call.role == "list":
        return operation.page_item is not None
    if call.role in OF_A_LIST:
        return True
    if operation.query:
        return False
    if call.role in {"detail", "delete"}:
        return body is None and (call.role == "delete" or is_row(answer))
    row = item if call.role == "create" else shown
    return isinstance(body, ObjectOf) and is_part_of(body, row) and is_row(answer)


def is_part_of(body: ObjectOf, item: ObjectOf) -> bool:
    """Whether the row has all that the body takes, so that some of its fields are the body."""
    return all(
        name in item.fields and _is_written(field.shape, item.fields[name].shape) for name, field in body.fields.items()
    )


def _is_written(sent: Shape, shown: Shape) -> bool:
    match sent, shown:
        case ObjectOf(), ObjectOf():
            return are_the_same(sent, shown) or set(sent.fields) == set(shown.fields)
        case ListOf(), ListOf():
            return _is_written(sent.item, shown.item)
        case Enumeration(), (Enumeration() | Scalar(kind="text")):
            return True
        case Scalar(kind="decimal" | "number" | "integer"), Scalar(kind="decimal" | "number" | "integer"):
            return True
    return are_the_same(sent, shown)
