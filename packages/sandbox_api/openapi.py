"""What OpenAPI can't find out by itself: the bearer, the problems, the idempotency key, the profile."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from django.conf import settings
from drf_spectacular.extensions import OpenApiAuthenticationExtension
from drf_spectacular.openapi import AutoSchema

from sandbox_api.idempotency import HEADER
from sandbox_api.lists.views import CountsView, TotalsView
from sandbox_api.problems import CONTENT_TYPE
from sandbox_api.profiles import Call, path_shape
from sandbox_api.versions import HEADER as IF_MATCH

if TYPE_CHECKING:
    from sandbox_api.lists.spec import ListSpec

_WRITES = ("post", "patch", "delete")
_PROBLEM = {
    "type": "object",
    "required": ["type", "title", "status", "detail"],
    "properties": {
        "type": {"type": "string"},
        "title": {"type": "string"},
        "status": {"type": "integer"},
        "detail": {"type": "string"},
        "errors": {
            "type": "object",
            "description": "With 422: field to messages.",
            "additionalProperties": {"type": "array", "items": {"type": "string"}},
        },
    },
}
_KEY_PARAMETER = {
    "in": "header",
    "name": HEADER,
    "schema": {"type": "string", "minLength": 1, "maxLength": 255},
    "description": "The same write under the same key runs once, and answers the same again.",
}
_VERSION_PARAMETER = {
    "in": "header",
    "name": IF_MATCH,
    "schema": {"type": "string"},
    "description": "The `ETag` of the row that is to be changed; where it is another by now: 412.",
}
_ENTITY_TAG = {"schema": {"type": "string"}, "description": "The row's `version`, in quotation marks."}
_CHANGES = ("patch", "delete")
_FIGURES = {CountsView: "counts", TotalsView: "totals"}


class SandboxSchema(AutoSchema):
    """Names the operations of lists, which would be called like those of their rows."""

    def get_operation_id(self) -> str:
        """Give the operation's name."""
        spec: ListSpec | None = getattr(self.view, "spec", None)
        if spec is not None and self.method == "GET":
            kind = next((name for view, name in _FIGURES.items() if isinstance(self.view, view)), "list")
            return f"{spec.resource}_{kind}"
        return str(super().get_operation_id())


class BearerScheme(OpenApiAuthenticationExtension):  # type: ignore[no-untyped-call] # untyped upstream
    """Describes `BearerAuthentication`; it registers itself where it is defined."""

    target_class = "sandbox_api.auth.authentication.BearerAuthentication"
    name = "bearer"

    def get_security_definition(self, auto_schema: AutoSchema) -> dict[str, Any]:  # noqa: ARG002 - the framework's
        """Describe it as OpenAPI does."""
        return {"type": "http", "scheme": "bearer", "bearerFormat": "JWT"}


def describe_problems_and_keys(result: dict[str, Any], **_context: Any) -> dict[str, Any]:
    """Add to every operation what holds for all: its errors are problems, its writes take a key."""
    result["components"]["schemas"]["Problem"] = _PROBLEM
    for methods in result["paths"].values():
        for method, operation in methods.items():
            operation["responses"]["default"] = {
                "description": "Every error.",
                "content": {CONTENT_TYPE: {"schema": {"$ref": "#/components/schemas/Problem"}}},
            }
            if method in _WRITES and settings.SANDBOX.honour_idempotency_key:
                operation.setdefault("parameters", []).append(_KEY_PARAMETER)
        _describe_versions(result, methods)
    return result


def _describe_versions(result: dict[str, Any], methods: dict[str, Any]) -> None:
    """Add `ETag` to the answers that have one, and `If-Match` to the writes that honour it."""
    tagged = [
        answer
        for operation in methods.values()
        for answer in operation["responses"].values()
        if "version" in _schema_of(answer, result["components"]["schemas"]).get("properties", {})
    ]
    for answer in tagged:
        answer["headers"] = {"ETag": _ENTITY_TAG}
    for method in _CHANGES:
        if tagged and method in methods:
            methods[method].setdefault("parameters", []).append(_VERSION_PARAMETER)


def _schema_of(answer: dict[str, Any], schemas: dict[str, Any]) -> dict[str, Any]:
    schema: dict[str, Any] = answer.get("content", {}).get("application/json", {}).get("schema", {})
    name = schema.get("$ref", "").rpartition("/")[2]
    found: dict[str, Any] = schemas.get(name, schema)
    return found


def only_calls_of_profile(endpoints: list[tuple[str, str, str, Any]]) -> list[tuple[str, str, str, Any]]:
    """Leave the calls that the profile has, as drf-spectacular asks for it.

    :param endpoints: path, its expression, method and view.
    """
    calls = settings.SANDBOX.profile.calls
    if calls is None:
        return endpoints
    return [each for each in endpoints if (call := calls.get(path_shape(each[0]))) and each[2] in call.methods]


def only_names_of_profile(result: dict[str, Any], **_context: Any) -> dict[str, Any]:
    """Leave the parameters and the fields that the profile has, as drf-spectacular asks for it."""
    calls = settings.SANDBOX.profile.calls
    if calls is None:
        return result
    schemas = result["components"]["schemas"]
    for path, methods in result["paths"].items():
        call = calls[path_shape(path)]
        for operation in methods.values():
            parameters = operation.get("parameters", [])
            parameters[:] = [p for p in parameters if p["in"] != "query" or p["name"] in call.parameters]
            for answer in operation["responses"].values():
                _leave_out(answer.get("content", {}).get("application/json", {}).get("schema", {}), call, schemas)
    return result


def _leave_out(schema: dict[str, Any], call: Call, schemas: dict[str, Any]) -> None:
    found = schemas.get(schema.get("$ref", "").rpartition("/")[2], schema)
    properties = found.get("properties", {})
    for name in call.without:
        properties.pop(name, None)
    if "required" in found:
        found["required"] = [name for name in found["required"] if name not in call.without]
    if "items" in properties:
        _leave_out(properties["items"]["items"], call, schemas)
