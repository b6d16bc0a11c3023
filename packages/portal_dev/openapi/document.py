"""A schema as a tree: read from YAML or JSON, and walked by JSON pointer. Nothing is fetched from a network."""

from __future__ import annotations

import json
import re
import sys
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final, TypeVar
from urllib.parse import unquote

import yaml

T = TypeVar("T")
#: The C loader of YAML ends the process where a document is nested more deeply than its stack.
_DEEPEST: Final = 200


class SchemaError(Exception):
    """The schema can't be read. The message begins with the JSON pointer of the part that is wrong."""

    def __init__(self, pointer: str, message: str) -> None:
        super().__init__(f"{pointer}: {message}" if pointer else message)


@dataclass(frozen=True, slots=True)
class Node:
    """One part of a schema.

    :param root: the whole document.
    :param pointer: the part's place, such as `#/components/schemas/Client`.
    """

    root: Any
    value: Any
    pointer: str = "#"

    def child(self, *names: str) -> Node | None:
        """Return the part that these names lead to; None where there is none. Parts of an array have numbers."""
        node = self
        for name in names:
            parts = node.value
            if isinstance(parts, list):
                parts = {str(number): part for number, part in enumerate(parts)}
            if not isinstance(parts, dict) or name not in parts:
                return None
            node = node._inside(name, parts[name])
        return node

    def _inside(self, name: str, value: Any) -> Node:
        return Node(self.root, value, f"{self.pointer}/{name.replace('~', '~0').replace('/', '~1')}")

    def members(self, *names: str) -> dict[str, Node]:
        """Return the parts of the object or array that these names lead to; none where there is none.

        :raises SchemaError: it is neither.
        """
        node = self.child(*names)
        if node is None or node.value is None:
            return {}
        if not isinstance(node.value, dict | list):
            raise SchemaError(node.pointer, f"should be an object or an array, not {type(node.value).__name__}")
        pairs = node.value.items() if isinstance(node.value, dict) else enumerate(node.value)
        return {str(name): node._inside(str(name), part) for name, part in pairs}  # noqa: SLF001  of the same class

    def get(self, name: str, default: T) -> T:
        """Return a member that is of the type of `default`; else `default`."""
        found = self.value.get(name) if isinstance(self.value, dict) else None
        return found if type(found) is type(default) else default

    def followed(self) -> Node:
        """Return the part that `$ref` names.

        :raises SchemaError: it is in another document, or nothing stands there.
        """
        ref = self.get("$ref", "")
        start, *parts = [unquote(part).replace("~1", "/").replace("~0", "~") for part in ref.split("/")]
        if start != "#":
            raise SchemaError(self.pointer, f"{ref} is in another document; bundle them into one")
        found = Node(self.root, self.root).child(*parts)
        if found is None:
            raise SchemaError(self.pointer, f"{ref} names nothing in this schema")
        return found

    def target(self) -> Node:
        """Return the part at the end of all references, or this one without any.

        :raises SchemaError: as for one of them.
        :raises RecursionError: they lead back to themselves.
        """
        return self.followed().target() if self.get("$ref", "") else self


def read_schema(name: str) -> str:
    """Return the text of a schema's file, or of standard input for `-`.

    :raises SchemaError: it can't be read.
    """
    try:
        return sys.stdin.read() if name == "-" else Path(name).read_text(encoding="utf-8-sig")
    except (OSError, UnicodeDecodeError) as error:
        raise SchemaError("", f"it can't be read: {error}") from None


def read_document(text: str) -> Node:
    """Return the schema in a text, JSON or YAML.

    :raises SchemaError: it is neither, or no schema of OpenAPI 3.0 or 3.1.
    :raises RecursionError: it is nested too deeply.
    """
    plain = text.lstrip("\ufeff \t\r\n")
    try:
        parsed = json.loads(plain) if plain.startswith("{") else _parsed_yaml(text)
    except (ValueError, yaml.YAMLError, LookupError, AttributeError, TypeError) as error:
        raise SchemaError("", f"it is neither JSON nor YAML: {' '.join(str(error).split())}") from None
    node = Node(parsed, parsed)
    version = node.get("openapi", "")
    if not re.match(r"3\.[01](\.|$)", version):
        raise SchemaError("#/openapi", f"should be a text such as '3.1.0', not {version or 'missing'}")
    return node


class _Loader(getattr(yaml, "CSafeLoader", yaml.SafeLoader)):  # type: ignore[misc]  # a base chosen at run time
    """Reads `no` and `2026-01-01` as texts, as YAML 1.2 has it."""

    yaml_implicit_resolvers = {  # noqa: RUF012  PyYAML's own type
        first: [each for each in known if not each[0].endswith((":bool", ":timestamp"))]
        for first, known in yaml.SafeLoader.yaml_implicit_resolvers.items()
    }


_Loader.add_implicit_resolver("tag:yaml.org,2002:bool", re.compile("^(true|false)$", re.IGNORECASE), list("tTfF"))


def _parsed_yaml(text: str) -> Any:
    """Read a document, unless it would exhaust the stack or the memory.

    :raises SchemaError: an alias stands in a part that aliases can repeat.
    :raises RecursionError: it is nested too deeply.
    """
    opened: list[str | None] = []
    for event in yaml.parse(text, _Loader):
        if isinstance(event, yaml.CollectionStartEvent):
            opened.append(event.anchor)
        elif isinstance(event, yaml.CollectionEndEvent):
            opened.pop()
        elif isinstance(event, yaml.AliasEvent) and any(opened):
            raise SchemaError("", f"the alias {event.anchor} stands in a part with an anchor; write it out there")
        if len(opened) > _DEEPEST:
            raise RecursionError("it is nested too deeply")
    return yaml.load(text, _Loader)  # noqa: S506  a SafeLoader
