"""Fields of declarations, with their types."""

from __future__ import annotations

import inspect
from dataclasses import dataclass
from enum import EnumType
from types import NoneType, UnionType
from typing import Any, Literal, Union, get_args, get_origin, get_type_hints, is_typeddict

import msgspec

from portal.config import contract_names as names
from portal.query import Row


@dataclass(frozen=True, kw_only=True)
class DeclaredField:
    """A field of a record, of parameters or of a TypedDict.

    :param owner: the class that declares it; of what all rows have, the row's class.
    """

    owner: Any
    name: str
    kind: Any
    of_all_rows: bool = False

    @property
    def title(self) -> str:
        """Class and name, for a message."""
        return f"{self.owner.__name__}.{self.name}"

    @property
    def may_be_none(self) -> bool:
        """Return whether a call may leave it out."""
        return alternatives(self.kind)[1]

    @property
    def may_be_missing(self) -> bool:
        """Return whether every answer may lack it, also of a required call."""
        if is_typeddict(self.owner):
            return self.name in self.owner.__optional_keys__ and self.name != names.PROFILE_PERMISSIONS_FIELD
        return issubclass(self.owner, Row) and not (self.of_all_rows and self.name == names.ID_FIELD)


def fields_of(kind: Any) -> dict[str, DeclaredField] | None:
    """Return the fields of a record, of parameters or of a TypedDict, by the names on the wire; None for others."""
    if is_typeddict(kind):
        return {name: DeclaredField(owner=kind, name=name, kind=hint) for name, hint in get_type_hints(kind).items()}
    if not (isinstance(kind, type) and issubclass(kind, msgspec.Struct)):
        return None
    found = {}
    for info in msgspec.structs.fields(kind):
        owner = next((each for each in kind.__mro__ if info.name in inspect.get_annotations(each)), kind)
        of_row = owner is Row
        owner = kind if of_row else owner
        found[info.encode_name] = DeclaredField(owner=owner, name=info.name, kind=info.type, of_all_rows=of_row)
    return found


def alternatives(kind: Any) -> tuple[list[Any], bool]:
    """Return the types of a union but None, and whether None is one of them."""
    parts = get_args(kind) if get_origin(kind) in {Union, UnionType} else (kind,)
    return [part for part in parts if part is not NoneType], NoneType in parts


def values_of(kind: Any) -> set[str] | None:
    """Return the texts of an enumeration, or of a Literal; None for any other type."""
    if get_origin(kind) is Literal:
        return {value for value in get_args(kind) if isinstance(value, str)}
    is_enum = isinstance(kind, EnumType) and issubclass(kind, str)
    return {str(member.value) for member in list[Any](kind)} if is_enum else None
