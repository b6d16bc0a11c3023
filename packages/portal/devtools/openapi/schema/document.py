"""A schema as a tree: read from YAML or JSON, and walked by JSON pointer. Nothing is fetched from a network."""

from __future__ import annotations

import json
import re
import sys
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final
from urllib.parse import unquote

if TYPE_CHECKING:
    from collections.abc import Iterator

_REF: Final = "$ref"
#: The longest chain of references that lead to each other.
_MAX_REFS: Final = 50
_NOTHING: Final = object()


class SchemaError(Exception):
    """The schema can't be read. The message begins with the JSON pointer of the part that is wrong."""

    def __init__(self, pointer: str, message: str) -> None:
        super().__init__(f"{pointer}: {message}" if pointer else message)


@dataclass(frozen=True, slots=True)
class Node:
    """One part of a schema.

    :param root: the whole document.
    :param pointer: where the part stands, such as `#/components/schemas/Client`.
    """

    root: Any
    value: Any
    pointer: str = "#"

    def child(self, *names: str | int) -> Node | None:
        """The member with this name, or the one that these names lead to; None where there is none."""
        node: Node = self
        for name in names:
            value = node.value
            if isinstance(value, list):
                found = value[name] if isinstance(name, int) and name < len(value) else _NOTHING
            else:
                found = value.get(name, _NOTHING) if isinstance(value, Mapping) else _NOTHING
            if found is _NOTHING:
                return None
            node = Node(self.root, found, f"{node.pointer}/{_escaped(str(name))}")
        return node

    def members(self, name: str) -> Iterator[tuple[str, Node]]:
        """Names and parts of the object that is this part's member; nothing where there is none.

        :raises SchemaError: it is no object.
        """
        child = self.child(name)
        if child is None or child.value is None:
            return
        for key in child.mapping():
            part = child.child(key)
            if part is not None:
                yield str(key), part

    def entries(self, name: str) -> list[Node]:
        """The parts of the array that is this part's member; nothing where there is none.

        :raises SchemaError: it is no array.
        """
        child = self.child(name)
        if child is None or child.value is None:
            return []
        if not isinstance(child.value, list):
            raise SchemaError(child.pointer, f"should be an array, not {_kind(child.value)}")
        return [part for index in range(len(child.value)) if (part := child.child(index)) is not None]

    def mapping(self) -> Mapping[str, Any]:
        """The part as an object.

        :raises SchemaError: it is none.
        """
        if not isinstance(self.value, Mapping):
            raise SchemaError(self.pointer, f"should be an object, not {_kind(self.value)}")
        return self.value

    def text(self, name: str) -> str:
        """A member that is a text; empty where there is none."""
        value = self.value.get(name) if isinstance(self.value, Mapping) else None
        return value if isinstance(value, str) else ""

    def flag(self, name: str) -> bool:
        """Whether a member is true."""
        return isinstance(self.value, Mapping) and self.value.get(name) is True

    @property
    def ref(self) -> str:
        """What `$ref` names; empty where the part is no reference."""
        return self.text(_REF)

    def target(self) -> Node | None:
        """The part that `$ref` names; None where it is in another document.

        :raises SchemaError: nothing stands there, or the reference leads back to itself.
        """
        node: Node = self
        for _ in range(_MAX_REFS):
            if not node.ref:
                return node
            if not node.ref.startswith("#"):
                return None
            node = node._referred()
        raise SchemaError(self.pointer, f"{self.ref} leads back to itself")

    def _referred(self) -> Node:
        node: Node | None = Node(self.root, self.root)
        for part in self.ref.removeprefix("#").split("/")[1:]:
            name = unquote(part).replace("~1", "/").replace("~0", "~")
            if node is not None:
                node = node.child(int(name) if isinstance(node.value, list) and name.isdecimal() else name)
        if node is None:
            raise SchemaError(self.pointer, f"{self.ref} names nothing in this schema")
        return node

    @property
    def last_name(self) -> str:
        """The last name of the pointer: `Client` of `#/components/schemas/Client`."""
        return self.pointer.rpartition("/")[2].replace("~1", "/").replace("~0", "~")


def read_schema(name: str) -> str:
    """The text of a schema's file, or of standard input for `-`.

    :raises SchemaError: it can't be read.
    """
    try:
        return sys.stdin.read() if name == "-" else Path(name).read_text(encoding="utf-8-sig")
    except (OSError, UnicodeDecodeError) as error:
        raise SchemaError("", f"it can't be read: {error}") from None


def read_document(text: str) -> Node:
    """The schema in a text, JSON or YAML.

    :raises SchemaError: it is neither, or no schema of OpenAPI 3.0 or 3.1.
    """
    parsed = _parsed(text)
    node = Node(parsed, parsed)
    version = node.text("openapi")
    if not re.match(r"3\.[01](\.|$)", version):
        found = version or ("Swagger 2.0" if node.child("swagger") else "")
        raise SchemaError("#/openapi", f"should be 3.0 or 3.1, not {found or 'missing'}")
    return node


def _parsed(text: str) -> Any:
    try:
        if text.lstrip("\ufeff \t\r\n").startswith("{"):
            return json.loads(text.lstrip("\ufeff"))
        from portal.devtools.openapi.schema.yaml_reader import parsed_yaml  # noqa: PLC0415  JSON is read without PyYAML

        return parsed_yaml(text)
    except ImportError:
        message = "it is YAML, and PyYAML is missing: pip install PyYAML, or give the schema as JSON"
        raise SchemaError("", message) from None
    except ValueError as error:
        raise SchemaError("", f"it is neither JSON nor YAML: {error}") from None
    except RecursionError:
        raise SchemaError("", "it is nested too deeply") from None


def _escaped(name: str) -> str:
    return name.replace("~", "~0").replace("/", "~1")


def _kind(value: object) -> str:
    names = {dict: "an object", list: "an array", str: "a text", bool: "a boolean", type(None): "null"}
    return names.get(type(value), "a number")
