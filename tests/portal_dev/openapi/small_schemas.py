"""Schemas of a few lines, for tests."""

import json
from typing import Any

from portal_dev.openapi import declarations, source_of
from portal_dev.openapi.document import Node
from portal_dev.openapi.reader import Schemas, Shape

TEXT = {"type": "string"}


def document(*, paths: dict[str, Any] | None = None, version: str = "3.1.0", **schemas: Any) -> dict[str, Any]:
    """An OpenAPI document with these paths, and these schemas among its components."""
    return {"openapi": version, "info": {}, "paths": paths or {}, "components": {"schemas": schemas}}


def answers(schema: Any, media_type: str = "application/json", status: str = "200") -> dict[str, Any]:
    """The responses of a call that is answered with this schema; with nothing for None."""
    content = {} if schema is None else {"content": {media_type: {"schema": schema}}}
    return {"responses": {status: {"description": "", **content}}}


def takes(schema: Any, media_type: str = "application/json") -> dict[str, Any]:
    """The body of a call."""
    return {"requestBody": {"content": {media_type: {"schema": schema}}}}


def page(item: Any) -> dict[str, Any]:
    """One page of a list, as the contract has it."""
    return {
        "type": "object",
        "properties": {
            "items": {"type": "array", "items": item},
            "hasNext": {"type": "boolean"},
            "nextCursor": {"type": ["string", "null"]},
        },
    }


def query(*names: str, schema: Any = None, required: bool = False) -> list[dict[str, Any]]:
    """Query parameters."""
    return [{"name": name, "in": "query", "required": required, "schema": schema or TEXT} for name in names]


def ref(name: str) -> dict[str, str]:
    """A reference to a schema of the components."""
    return {"$ref": f"#/components/schemas/{name}"}


def shape(schema: Any, **schemas: Any) -> Shape:
    """The shape of a schema that stands in a document with the other ones."""
    root = document(It=schema, **schemas)
    found = Node(root, root).child("components", "schemas", "It")
    return Schemas().shape(found)


def source(paths: dict[str, Any], **schemas: Any) -> str:
    """The one module that these paths become."""
    [module] = declarations(json.dumps(document(paths=paths, **schemas)))
    return source_of(module)
