"""Declared types: their fields by the names on the wire, what may be None, and where each stands."""

from __future__ import annotations

import ast
import inspect
import sys
from dataclasses import dataclass
from functools import lru_cache
from pathlib import Path
from types import NoneType, UnionType
from typing import Any, Union, get_args, get_origin, get_type_hints, is_typeddict

import msgspec

from portal.config.places import place
from portal.query import Row


@dataclass(frozen=True, slots=True, kw_only=True)
class DeclaredField:
    """A field of a record, of parameters or of a TypedDict.

    :param owner: the class that declares it; of what all rows have, the row's class.
    :param of_all_rows: whether `Row` declares it.
    """

    owner: type[Any]
    name: str
    kind: Any
    of_all_rows: bool = False

    @property
    def title(self) -> str:
        """`Invoice.client_name`."""
        return f"{self.owner.__name__}.{self.name}"


def fields_of(kind: Any) -> dict[str, DeclaredField] | None:
    """The fields of a record, of parameters or of a TypedDict, by the names on the wire; None for any other type."""
    if is_typeddict(kind):
        return {name: DeclaredField(owner=kind, name=name, kind=hint) for name, hint in get_type_hints(kind).items()}
    if not (isinstance(kind, type) and issubclass(kind, msgspec.Struct)):
        return None
    found = {}
    for info in msgspec.structs.fields(kind):
        owner = next((each for each in kind.__mro__ if info.name in inspect.get_annotations(each)), kind)
        is_rows = owner is Row
        found[info.encode_name] = DeclaredField(
            owner=kind if is_rows else owner, name=info.name, kind=info.type, of_all_rows=is_rows
        )
    return found


def alternatives(kind: Any) -> tuple[tuple[Any, ...], bool]:
    """The types of a union but None, and whether None is one of them."""
    if get_origin(kind) in {Union, UnionType}:
        parts = get_args(kind)
        return tuple(part for part in parts if part is not NoneType), NoneType in parts
    return (kind,), False


def name_of(kind: Any) -> str:
    """The type as it stands in source: `Decimal | None`."""
    kinds, may_be_none = alternatives(kind)
    names = [
        each.__name__ if isinstance(each, type) and not get_args(each) else str(each).removeprefix("typing.")
        for each in kinds
    ]
    return " | ".join([*names, *(["None"] if may_be_none else [])])


def place_of(owner: type[Any], name: str) -> str:
    """`file:line` of an attribute of a class, or of the class where its source does not name it."""
    file = getattr(sys.modules.get(owner.__module__), "__file__", None)
    if file is None:
        return owner.__module__
    lines = _lines(file)
    line = lines.get((owner.__qualname__, name)) or lines.get((owner.__qualname__, ""), 1)
    return place(file, line)


@lru_cache(maxsize=256)
def _lines(file: str) -> dict[tuple[str, str], int]:
    """Class and attribute to line, of the classes of a module; the class itself has an empty attribute."""
    found = {}
    for node in ast.parse(Path(file).read_text()).body:
        if not isinstance(node, ast.ClassDef):
            continue
        found[node.name, ""] = node.lineno
        for part in node.body:
            targets = (
                part.targets
                if isinstance(part, ast.Assign)
                else [part.target]
                if isinstance(part, ast.AnnAssign)
                else []
            )
            for target in targets:
                if isinstance(target, ast.Name):
                    found[node.name, target.id] = part.lineno
    return found
