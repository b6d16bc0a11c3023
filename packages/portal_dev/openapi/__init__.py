"""OpenAPI, both ways: declarations from a schema, and the differences between the declarations and a schema.

::

    comparison     declared calls, held against a schema
    views          a module's pages as source
      calls        the calls as resources and hooks, in modules; and what can't be declared
        classes    of a module: records, enumerations, parameters; and the module's source
          names    of the schema, as names of Python
    reader         what the schema says of each call, and what a value can be
      document     the schema as a tree, by JSON pointer

OpenAPI 3.0 and 3.1, from a text; nothing is fetched. What a declaration can't say becomes a comment and a warning; a
broken schema is a :class:`SchemaError`, which names the JSON pointer. ADR 26 has the decisions.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from portal.query import Endpoint
from portal_dev.openapi.calls import modules_of
from portal_dev.openapi.classes import Module, source_of
from portal_dev.openapi.comparison import Difference, compared, offered_by
from portal_dev.openapi.document import SchemaError, read_document, read_schema
from portal_dev.openapi.reader import is_below, read_operations
from portal_dev.openapi.views import view_source
from portal_operate.suggestions import did_you_mean

if TYPE_CHECKING:
    from collections.abc import Iterable


def declarations(schema: str, *, below: str = "", package: str = "portal.services", file: str = "") -> list[Module]:
    """Return the modules that declare the calls of a schema.

    :param schema: its text, JSON or YAML.
    :param below: only the calls of this path and of those below it.
    :param package: dotted name of the package that they will stand in.
    :param file: the one module that they all stand in; without it they stand by their paths.
    :raises SchemaError: the schema can't be read, or has no such path.
    :raises RecursionError: it is nested too deeply.
    """
    document = read_document(schema)
    if operations := read_operations(document, below=below):
        return modules_of(operations, package=package, file=file)
    hint = did_you_mean(below, document.members("paths")) or "look at its paths"
    raise SchemaError("#/paths", f"nothing stands at {below or '/'} or below it; {hint}")


def differences(schema: str, hooks: Iterable[Endpoint[Any]], *, below: str = "") -> list[Difference]:
    """Return the differences between declared calls and a schema. A declaration may say less.

    :param schema: its text, JSON or YAML.
    :param below: only the calls of this path and of those below it.
    :raises SchemaError: the schema can't be read, or nothing is declared there.
    :raises RecursionError: the schema is nested too deeply.
    """
    chosen = [hook for hook in hooks if is_below(hook.path_shape, below)]
    if not chosen:
        raise SchemaError("", f"no call is declared at {below or '/'} or below it")
    return compared(chosen, read_operations(read_document(schema)))
