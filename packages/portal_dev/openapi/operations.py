"""Operations: what a schema says of each call."""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import TYPE_CHECKING, Final

from portal.api import Backend
from portal.config.contract_names import HAS_NEXT_FIELD, ITEMS_FIELD, NEXT_CURSOR_FIELD
from portal_dev.openapi.document import SchemaError
from portal_dev.openapi.shapes import Schemas, Shape

if TYPE_CHECKING:
    from portal_dev.openapi.document import Node

#: The methods that hooks have.
_METHODS: Final = ("get", "post", "put", "patch", "delete")
#: Headers that each call has, or that are none of the call's own.
_SENT_HEADERS: Final = {
    *("accept", "accept-encoding", "authorization", "content-length", "content-type", "host", "user-agent"),
    *(Backend.idempotency_header.lower(), Backend.request_id_header.lower()),
}
_JSON: Final = re.compile(r"(application/(?!problem)([^/;]*\+)?json|(application|\*)/\*)\s*(;.*)?", re.IGNORECASE)


@dataclass(frozen=True, kw_only=True)
class Parameter:
    """A parameter of a call.

    :param place: `path`, `query`, `header` or `cookie`.
    :param is_joined: whether several values stand in one text, with commas between them.
    """

    name: str
    place: str
    shape: Shape
    is_joined: bool = False
    required: bool = False


@dataclass(frozen=True, kw_only=True)
class Body:
    """A request's body, or an answer.

    :param shape: None for nothing.
    :param note: why nothing is said of it though there is something, such as a file; empty otherwise.
    """

    shape: Shape | None = None
    note: str = ""
    required: bool = False


@dataclass(frozen=True, kw_only=True)
class Operation:
    """One method of one path.

    :param parameters: of path and query, the path's in its order.
    :param headers: headers and cookies, but for those that each call has.
    """

    method: str
    path: str
    deprecated: bool
    parameters: list[Parameter]
    headers: list[Parameter]
    body: Body
    answer: Body

    @property
    def query(self) -> dict[str, Parameter]:
        """The parameters of the query string, by name."""
        return {each.name: each for each in self.parameters if each.place == "query"}

    @property
    def item(self) -> Shape | None:
        """The row of a cursor-paginated list (contract, section 7); None for any other answer."""
        fields = self.answer.shape.fields if self.answer.shape else {}
        return fields[ITEMS_FIELD].shape.item if {ITEMS_FIELD, HAS_NEXT_FIELD, NEXT_CURSOR_FIELD} <= {*fields} else None


def path_names(path: str) -> list[str]:
    """Return the names of a path's parameters, in its order."""
    return re.findall(r"\{([^{}]*)\}", path)


def is_below(path: str, prefix: str) -> bool:
    """Return whether a path is this one, or begins with its segments."""
    start = prefix.rstrip("/")
    return path == start or path.startswith(f"{start}/")


def read_operations(document: Node, *, below: str = "") -> list[Operation]:
    """Return the operations of a schema, in its order.

    :param below: only of this path and of those below it.
    :raises SchemaError: a part of the schema is broken.
    """
    schemas = Schemas()
    chosen = {path: _target(item) for path, item in document.members("paths").items() if is_below(path, below)}
    return [
        _operation(method.upper(), path, item, _target(node), schemas)
        for path, item in chosen.items()
        for method in _METHODS
        if path.startswith("/") and (node := item.child(method))
    ]


def _operation(method: str, path: str, item: Node, node: Node, schemas: Schemas) -> Operation:
    parts = [*item.members("parameters").values(), *node.members("parameters").values()]
    given = {(each.place, each.name): each for each in (_parameter(_target(part), schemas) for part in parts)}
    of_path = {
        name: Parameter(name=name, place="path", shape=Shape(kind="text"), required=True) for name in path_names(path)
    }
    return Operation(
        method=method,
        path=path,
        deprecated=node.get("deprecated", False),
        parameters=[
            *(given.get(("path", name), each) for name, each in of_path.items()),
            *(each for each in given.values() if each.place == "query"),
        ],
        headers=[
            each
            for each in given.values()
            if each.place in {"header", "cookie"} and each.name.lower() not in _SENT_HEADERS
        ],
        body=_body(node.child("requestBody"), schemas),
        answer=_answer(node, schemas),
    )


def _target(node: Node) -> Node:
    found = node.target()
    if found is None:
        raise SchemaError(node.pointer, f"{node.get('$ref', '')} is in another document; bundle them into one")
    if not isinstance(found.value, dict):
        raise SchemaError(node.pointer, f"should be an object, not {type(found.value).__name__}")
    return found


def _parameter(node: Node, schemas: Schemas) -> Parameter:
    name, place = node.get("name", ""), node.get("in", "")
    if not name:
        raise SchemaError(node.pointer, "a parameter should have a name")
    contents = [content.child("schema") for content in node.members("content").values()]
    return Parameter(
        name=name,
        place=place,
        shape=schemas.shape(node.child("schema") or next(iter(contents), None)),
        is_joined=node.get("style", "form") == "form" and not node.get("explode", True),
        required=place == "path" or node.get("required", False),
    )


def _answer(node: Node, schemas: Schemas) -> Body:
    """Return the answer of success: of the first status of the 200s that says it, or of `default` alone."""
    responses = node.members("responses")
    named = sorted(status for status in responses if status[:1] in {"1", "2", "3"})
    bodies = [_body(responses.get(status), schemas) for status in named or ["default"] if status[:1] not in {"1", "3"}]
    return next((body for body in bodies if body.shape or body.note), Body())


def _body(node: Node | None, schemas: Schemas) -> Body:
    part = node.target() if node else None
    if node is None or part is None:
        return Body(note=f"{node.get('$ref', '')} is in another document" if node else "")
    contents = part.members("content")
    # `application/json` first.
    media = sorted(filter(_JSON.fullmatch, contents), key=lambda each: each != "application/json")
    if not media:
        return Body(note=f"it is {' or '.join(contents)}, no JSON" if contents else "")
    return Body(shape=schemas.shape(contents[media[0]].child("schema")), required=part.get("required", False))
