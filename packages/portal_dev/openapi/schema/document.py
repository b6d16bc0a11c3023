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
#: The most objects, arrays and values of a schema, each alias counted as what it stands for.
_MAX_PARTS: Final = 2_000_000
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
                is_index = isinstance(node.value, list) and re.fullmatch(r"\d{1,9}", name, re.ASCII)
                node = node.child(int(name) if is_index else name)
        # The name of an anchor is no pointer.
        if node is None or not re.match(r"#(/|$)", self.ref):
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
    version = node.child("openapi")
    if version is not None and not isinstance(version.value, str):
        raise SchemaError("#/openapi", f"should be a text such as '3.1.0', not {_kind(version.value)}")
    if version is None or not re.match(r"3\.[01](\.|$)", version.value):
        found = version.value if version is not None else "Swagger 2.0" if node.child("swagger") else "missing"
        raise SchemaError("#/openapi", f"should be 3.0 or 3.1, not {found}")
    try:
        _check_values(parsed, {})
    except RecursionError:
        raise SchemaError("", "it is nested too deeply") from None
    return node


def _parsed(text: str) -> Any:
    try:
        if text.lstrip("\ufeff \t\r\n").startswith("{"):
            return json.loads(text.lstrip("\ufeff"), object_pairs_hook=_members)
        from portal_dev.openapi.schema.yaml_reader import parsed_yaml  # noqa: PLC0415  JSON is read without PyYAML

        return parsed_yaml(text)
    except ImportError:
        message = "it is YAML, and PyYAML is missing: pip install 'portal-library[dev]', or give the schema as JSON"
        raise SchemaError("", message) from None
    except ValueError as error:
        raise SchemaError("", f"it is neither JSON nor YAML: {error}") from None
    except RecursionError:
        raise SchemaError("", "it is nested too deeply") from None


def _members(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    """An object of JSON, in which no name stands twice."""
    found = dict(pairs)
    if len(found) < len(pairs):
        names = [name for name, _ in pairs]
        twice = next(name for name in names if names.count(name) > 1)
        raise ValueError(f"{twice!r} stands twice")
    return found


def _check_values(value: Any, sizes: dict[int, int]) -> int:
    """Refuse what is no text, and aliases of YAML that would fill the memory. Gives the number of parts.

    :param sizes: of the objects and arrays that were seen, by their identity: an alias is the same one again.
    :raises SchemaError: the schema is too large, or half of a surrogate pair stands in it.
    """
    if isinstance(value, str):
        if not value.isascii() and re.search("[\ud800-\udfff]", value):
            raise SchemaError("", f"half of a surrogate pair stands in {value!r}")
        return 1
    if not isinstance(value, dict | list):
        return 1
    if id(value) not in sizes:
        parts = [*value, *value.values()] if isinstance(value, dict) else value
        sizes[id(value)] = 1 + sum(_check_values(part, sizes) for part in parts)
    if sizes[id(value)] > _MAX_PARTS:
        raise SchemaError("", f"it has more than {_MAX_PARTS:,} parts, aliases counted as what they stand for")
    return sizes[id(value)]


def _escaped(name: str) -> str:
    return name.replace("~", "~0").replace("/", "~1")


def _kind(value: object) -> str:
    names = {dict: "an object", list: "an array", str: "a text", bool: "a boolean", type(None): "null"}
    return names.get(type(value), "a number")
