"""OpenAPI, both ways: declarations from a schema, and the differences between the declarations and a schema.

::

    writing        calls of a schema → modules of `portal.services`
    comparison     declared calls, held against a schema
      schema       the schema: operations, and what their values can be

OpenAPI 3.0 and 3.1, from a text; nothing is fetched. What a declaration can't say becomes a comment and a warning; a
broken schema is a :class:`SchemaError`, which names the JSON pointer. ADR 26 has the decisions.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from portal_dev.openapi.comparison import Difference, compared
from portal_dev.openapi.schema import SchemaError, Schemas, is_below, read_document, read_operations, read_schema
from portal_dev.openapi.writing import Module, modules_of, source_of, view_source
from portal_operate.suggestions import did_you_mean

if TYPE_CHECKING:
    from collections.abc import Iterable

    from portal.query import Endpoint


def declarations(schema: str, *, below: str = "", package: str = "portal.services") -> list[Module]:
    """The modules that declare the calls of a schema.

    :param schema: its text, JSON or YAML.
    :param below: only the calls of this path and of those below it.
    :param package: dotted name of the package that they will stand in.
    :raises SchemaError: the schema can't be read, or has no such path.
    """
    document = read_document(schema)
    try:
        operations = read_operations(document, Schemas(), below=below)
        if operations:
            return modules_of(operations, package=package)
    except RecursionError:
        raise SchemaError("", "the schema is nested too deeply") from None
    known = [path for path, _ in document.members("paths")]
    more = [f"{len(known) - 20} more"] if known[20:] else []
    names = ", ".join([*known[:20], *more]) or "none"
    hint = did_you_mean(below, known) or f"there are {names}"
    raise SchemaError("#/paths", f"nothing stands at {below or '/'} or below it; {hint}")


def differences(schema: str, hooks: Iterable[Endpoint[Any]], *, below: str = "") -> list[Difference]:
    """What the declared calls say, and a schema does not, or says otherwise. A declaration may say less.

    :param schema: its text, JSON or YAML.
    :param below: only the calls of this path and of those below it.
    :raises SchemaError: the schema can't be read, or nothing is declared there.
    """
    chosen = [hook for hook in hooks if is_below(hook.path_shape, below)]
    if not chosen:
        raise SchemaError("", f"no call is declared at {below or '/'} or below it")
    document = read_document(schema)
    try:
        return compared(chosen, read_operations(document, Schemas()))
    except RecursionError:
        raise SchemaError("", "the schema is nested too deeply") from None
