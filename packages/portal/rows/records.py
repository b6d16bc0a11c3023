"""Records: the backend's objects as frozen objects with typed attributes.

A record is declared once. Hooks return it, templates show its attributes, and forms and bodies are made from it. It is
a `msgspec.Struct`, so editors and type checkers know its attributes as those of a dataclass. Some fields of a record
are the body of a create, or of a change. An enumeration keeps a value that a newer backend adds.
"""

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from datetime import datetime
from enum import StrEnum
from functools import lru_cache
from typing import Any, Generic, ParamSpec, Self, TypeVar, cast, dataclass_transform

import msgspec
from msgspec import field
from msgspec.structs import FieldInfo

from portal.config.contract_names import CREATED_AT_FIELD, ID_FIELD
from portal.errors import UsageError
from portal.rows.struct_types import StructType, required_fields


class OpenEnum(StrEnum):
    """An enumeration of texts. A text that is no member becomes a value of the class, equal to its text.

    ::

        class OrderStatus(OpenEnum):
            OPEN = "open"

        OrderStatus("open") is OrderStatus.OPEN
        OrderStatus("lost") == "lost" and not OrderStatus("lost").is_known
    """

    @property
    def is_known(self) -> bool:
        """Whether the class declares this value."""
        return self.value in type(self)._value2member_map_

    @classmethod
    def _missing_(cls, value: object) -> Self | None:
        """Enum calls this for a value that is no member. The result is not kept, so odd values fill no memory."""
        if not isinstance(value, str):
            return None
        unknown = str.__new__(cls, value)
        unknown._name_ = unknown._value_ = value
        return unknown


TRecord = TypeVar("TRecord")


@dataclass(frozen=True, slots=True, kw_only=True)
class Partial(Generic[TRecord]):
    """The fields that a write sends; the others are left out. Made by `Client.partial(name=…)`, and by forms.

    :param fields: attribute to value.
    :param names: attribute to name on the wire.
    """

    record: Callable[..., TRecord]
    fields: Mapping[str, Any]
    names: Mapping[str, str]

    def to_wire(self) -> dict[str, Any]:
        """The fields as JSON, by their names on the wire."""
        return {self.names[name]: value for name, value in self.fields.items()}


def partial_type(record: type[TRecord]) -> type[Partial[TRecord]]:
    """`Partial[record]`, for a class that is known at run time only."""
    generic: Any = Partial
    return cast("type[Partial[TRecord]]", generic[record])


def to_json(value: object) -> Any:
    """Records, decimals, times and members of enumerations as JSON.

    :raises TypeError: it can't be written as JSON.
    """
    return msgspec.to_builtins(value, order="deterministic")


def wire_body(body: object, *, endpoint: str) -> Any:
    """A body as JSON: decimals as texts, times as ISO 8601, members of enumerations as their values.

    :raises UsageError: a part of it can't be written as JSON.
    """
    given = body.to_wire() if isinstance(body, Partial) else body
    try:
        return to_json(given)
    except (TypeError, ValueError, RecursionError) as error:
        raise UsageError(f"{endpoint}: the body can't be written as JSON: {error}") from error


P = ParamSpec("P")


class RecordType(StructType):
    """Makes record classes. Each field needs a default."""

    def __init__(cls, name: str, bases: tuple[type, ...], namespace: dict[str, Any], **_options: Any) -> None:  # noqa: N805  a metaclass: its instance is a class
        super().__init__(name, bases, namespace)
        missing = required_fields(cls)
        if missing:
            raise UsageError(
                f"{name}: give {', '.join(missing)} a default, such as None: the backend may leave out all but the id"
            )
        if "partial" in namespace.get("__annotations__", ()):
            raise UsageError(
                f'{name}: every record has a method partial; name the attribute otherwise, with field(name="partial")'
            )
        for field_name, default in zip(cls.__struct_fields__, cls.__struct_defaults__, strict=True):
            if isinstance(default, Record) and not _is_immutable(default):
                raise UsageError(
                    f"{name}: all rows would share the default of {field_name}, which can be changed: give its lists as"
                    " tuples, or field(default_factory=…)"
                )


@dataclass_transform(frozen_default=True, kw_only_default=True, field_specifiers=(msgspec.field,))
class Record(msgspec.Struct, frozen=True, metaclass=RecordType):
    """An object of the backend: a row, or a part of one.

    ::

        class InvoiceLine(Record):
            description: str = ""
            unit_price: Decimal | None = None

    The attribute `unit_price` is `unitPrice` on the wire. For another name there: `field(name="unit-price")`.
    Every field has a default. A field that the backend leaves out, or whose value is odd, has it (contract, section 8).
    A field that is not declared is in the result's `raw_res` alone.

    :raises UsageError: when the class is made: a field has no default.
    """

    @classmethod
    def partial(cls: Callable[P, TRecord], *args: P.args, **fields: P.kwargs) -> Partial[TRecord]:
        """Some fields of such a record, as the body of a write: `Client.partial(name="Ada")`.

        :raises UsageError: a name is no field of the record.
        """
        if args:
            raise UsageError(f"{_name_of(cls)}.partial: give the fields by name")
        names = wire_names(cls)
        unknown = [name for name in fields if name not in names]
        if unknown:
            raise UsageError(f"{_name_of(cls)} has no field {', '.join(unknown)}; it has {', '.join(names)}")
        return Partial(record=cls, fields=dict(fields), names=names)


def is_record(kind: Any) -> bool:
    """Whether this is a class of records."""
    return isinstance(kind, type) and issubclass(kind, Record)


def _is_immutable(record: Record) -> bool:
    """Whether nothing in it can be changed: what has a list or a dict has no hash."""
    try:
        hash(record)
    except TypeError:
        return False
    return True


class Row(Record):
    """A row of any resource. Only `id` is certain. Without a `created_at`, it is None.

    `str(row)` is what people call it, as of a model of Django's: its id, unless the class says otherwise. Pages show it
    as the heading of the row's page, and in messages.
    """

    id: str = field(default="", name=ID_FIELD)
    created_at: datetime | None = field(default=None, name=CREATED_AT_FIELD)

    def __str__(self) -> str:
        return self.id


@lru_cache(maxsize=512)
def wire_names(record: Any) -> Mapping[str, str]:
    """The fields of a record class: attribute to name on the wire."""
    return dict(zip(record.__struct_fields__, record.__struct_encode_fields__, strict=True))


def id_field(kind: Any) -> str:
    """What tells objects of this type apart on the wire: `id`, unless a row names its own otherwise."""
    return wire_names(kind)["id"] if isinstance(kind, type) and issubclass(kind, Row) else ID_FIELD


def is_row_type(kind: Any) -> bool:
    """Whether each object of this type has an `id`: a `Row`, or another type that requires one."""
    return isinstance(kind, type) and (issubclass(kind, Row) or ID_FIELD in getattr(kind, "__required_keys__", ()))


@lru_cache(maxsize=512)
def field_types(record: Any) -> Mapping[str, FieldInfo]:
    """The fields of a record class: name on the wire to what is declared.

    :raises UsageError: an annotation names a type that the module does not have at run time.
    """
    try:
        return {info.encode_name: info for info in msgspec.structs.fields(record)}
    except NameError as error:
        raise UsageError(
            f"{record.__qualname__}: {error}; import the type of a field at run time, not below TYPE_CHECKING"
        ) from error


def _name_of(record: object) -> str:
    return getattr(record, "__qualname__", repr(record))
