"""Operations: what a schema says of each call."""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import TYPE_CHECKING, Final

from portal.api import Backend
from portal.config.contract_names import HAS_NEXT_FIELD, ITEMS_FIELD, NEXT_CURSOR_FIELD
from portal_dev.openapi.schema.document import SchemaError
from portal_dev.openapi.schema.shapes import ListOf, ObjectOf, Scalar

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

    from portal_dev.openapi.schema.document import Node
    from portal_dev.openapi.schema.schemas import Schemas
    from portal_dev.openapi.schema.shapes import Shape

#: The methods that hooks have.
HOOK_METHODS: Final = ("get", "post", "put", "patch", "delete")
#: Headers that each call has, or that are none of the call's own.
_SENT_HEADERS: Final = frozenset(
    {
        *("accept", "accept-encoding", "authorization", "content-length", "content-type", "host", "user-agent"),
        *(Backend.idempotency_header.lower(), Backend.request_id_header.lower()),
    }
)
_PLACEHOLDER: Final = re.compile(r"\{([^{}]*)\}")


@dataclass(frozen=True, kw_only=True)
class Parameter:
    """A parameter of the path or of the query.

    :param is_joined: whether several values stand in one text, with commas between them.
    """

    name: str
    shape: Shape
    in_path: bool = False
    is_joined: bool = False
    required: bool = False
    description: str = ""


@dataclass(frozen=True, kw_only=True)
class Header:
    """A header or a cookie that a call takes, and hooks do not send.

    :param title: such as `header X-Tenant`.
    """

    title: str
    required: bool


@dataclass(frozen=True, kw_only=True)
class Body:
    """What is sent, or what is answered.

    :param shape: None for nothing.
    :param note: why nothing is said of it though there is something, such as a file; empty otherwise.
    :param required: whether it may not be left out.
    """

    shape: Shape | None = None
    note: str = ""
    required: bool = False


@dataclass(frozen=True, kw_only=True)
class Operation:
    """One method of one path.

    :param path: with its parameters in braces.
    :param parameters: of path and query, the path's in its order.
    :param headers: headers and cookies, but for those that each call has.
    """

    method: str
    path: str
    description: str
    deprecated: bool
    parameters: tuple[Parameter, ...]
    headers: tuple[Header, ...]
    body: Body
    answer: Body

    @property
    def path_parameters(self) -> tuple[Parameter, ...]:
        """In the order of the path."""
        return tuple(each for each in self.parameters if each.in_path)

    @property
    def query(self) -> tuple[Parameter, ...]:
        """The parameters of the query string."""
        return tuple(each for each in self.parameters if not each.in_path)

    @property
    def page_item(self) -> Shape | None:
        """The row of a cursor-paginated list, as `TPaginatedRes` has it; None for any other answer."""
        return page_item(self.answer.shape)


def page_item(shape: Shape | None) -> Shape | None:
    """The row of a list's page (contract, section 7); None for what is no page."""
    if not isinstance(shape, ObjectOf) or not {ITEMS_FIELD, HAS_NEXT_FIELD, NEXT_CURSOR_FIELD} <= set(shape.fields):
        return None
    items = shape.fields[ITEMS_FIELD].shape
    return items.item if isinstance(items, ListOf) else None


def path_names(path: str) -> tuple[str, ...]:
    """The names of a path's parameters, in its order."""
    return tuple(_PLACEHOLDER.findall(path))


def has_only_names(path: str) -> bool:
    """Whether all braces of a path are around the names of parameters."""
    return not {"{", "}"} & set(_PLACEHOLDER.sub("", path))


def is_below(path: str, prefix: str) -> bool:
    """Whether a path is this one, or begins with its segments."""
    start = prefix.rstrip("/")
    return path == start or path.startswith(f"{start}/")


def read_operations(document: Node, schemas: Schemas, *, below: str = "") -> list[Operation]:
    """The operations of a schema, in its order.

    :param below: only of this path and of those below it.
    :raises SchemaError: a part of the schema is broken.
    """
    found = []
    for path, item in document.members("paths"):
        if path.startswith("x-"):
            continue
        if not path.startswith("/"):
            raise SchemaError(item.pointer, "a path should begin with a slash")
        if not is_below(path, below):
            continue
        whole = item.target()
        if whole is None:
            raise SchemaError(item.pointer, f"{item.ref} is in another document")
        whole.mapping()
        for method in HOOK_METHODS:
            operation = whole.child(method)
            if operation is not None:
                found.append(_operation(method.upper(), path, whole, operation, schemas))
    return found


def _operation(method: str, path: str, item: Node, node: Node, schemas: Schemas) -> Operation:
    node.mapping()
    declared = _declared_parameters(item, node)
    return Operation(
        method=method,
        path=path,
        description=node.text("description") or node.text("summary") or item.text("summary"),
        deprecated=node.flag("deprecated"),
        parameters=tuple(_parameters(path, declared, node, schemas)),
        headers=tuple(
            Header(title=f"{place} {name}", required=part.flag("required"))
            for (place, name), part in declared.items()
            if place == "cookie" or (place == "header" and name.lower() not in _SENT_HEADERS)
        ),
        body=_body(node.child("requestBody"), schemas),
        answer=_answer(node, schemas),
    )


def _declared_parameters(item: Node, node: Node) -> dict[tuple[str, str], Node]:
    """Where each parameter of a call stands, and its name, to what the schema says of it."""
    declared: dict[tuple[str, str], Node] = {}
    for each in (*item.entries("parameters"), *node.entries("parameters")):
        part = each.target()
        if part is None:
            raise SchemaError(each.pointer, f"{each.ref} is in another document")
        if not part.text("name"):
            raise SchemaError(part.pointer, "a parameter should have a name")
        declared[part.text("in"), part.text("name")] = part
    return declared


def _parameters(
    path: str, declared: Mapping[tuple[str, str], Node], node: Node, schemas: Schemas
) -> Iterator[Parameter]:
    for name in path_names(path):
        found = declared.get(("path", name))
        if found is not None:
            yield _parameter(found, schemas)
        else:
            text = Scalar(pointer=node.pointer, kind="text")
            yield Parameter(name=name, shape=text, in_path=True, required=True)
    for (place, _name), part in declared.items():
        if place == "query":
            yield _parameter(part, schemas)


def _parameter(node: Node, schemas: Schemas) -> Parameter:
    contents = [content.child("schema") for _, content in node.members("content")]
    return Parameter(
        name=node.text("name"),
        shape=schemas.shape(node.child("schema") or (contents[0] if contents else None)),
        in_path=node.text("in") == "path",
        is_joined=node.text("style") in {"", "form"} and node.child("explode") is not None and not node.flag("explode"),
        required=node.text("in") == "path" or node.flag("required"),
        description=node.text("description"),
    )


def _answer(node: Node, schemas: Schemas) -> Body:
    """What a call that succeeded is answered with: the first status of the 200s that says it.

    `default` is of all statuses that are not named: of success, where none of success is.
    """
    responses = dict(node.members("responses"))
    named = sorted(status for status in responses if re.fullmatch(r"2(\d\d|XX|xx)", status))
    is_other = any(re.match(r"[13]", status) for status in responses)
    for status in named or (["default"] if "default" in responses and not is_other else []):
        body = _body(responses[status], schemas)
        if body.shape is not None or body.note:
            return body
    return Body()


def _body(node: Node | None, schemas: Schemas) -> Body:
    part = node.target() if node is not None else None
    if part is None:
        return Body(note=f"{node.ref} is in another document" if node is not None else "")
    contents = dict(part.members("content"))
    media_type = min(filter(_json_rank, contents), key=_json_rank, default=None)
    if media_type is None:
        return Body(note=f"it is {' or '.join(contents)}, no JSON" if contents else "")
    return Body(shape=schemas.shape(contents[media_type].child("schema")), required=part.flag("required"))


def _json_rank(media_type: str) -> int:
    """How well a media type fits JSON, 1 for best; 0 for what is no JSON, or a problem."""
    plain = media_type.partition(";")[0].strip().lower()
    if plain == "application/problem+json":
        return 0
    patterns = (r"application/json", r"[^/]+/([^/]*\+)?json", r"application/\*|\*/\*")
    return next((rank for rank, pattern in enumerate(patterns, start=1) if re.fullmatch(pattern, plain)), 0)
