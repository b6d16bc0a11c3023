"""Readers: of each type a function that reads JSON as it, leniently.

msgspec decodes in C. Where it refuses a value, or accepts one that no page could show (a time without a zone, a decimal
that is not a number), the value is read part by part.
"""

from collections.abc import Callable, Iterable, Mapping
from datetime import UTC, datetime
from decimal import Decimal
from functools import lru_cache, partial
from math import isfinite
from operator import attrgetter
from types import NoneType, UnionType
from typing import Annotated, Any, Final, TypeAlias, Union, get_args, get_origin

import msgspec

from fork_safety import ForkSafeLock
from portal.rows.records import OpenEnum, field_types, is_record

#: Makes of JSON what was declared.
Decoder: TypeAlias = Callable[[Any], Any]

#: Of a decoded value: whether a page can use it. Not asked of None, nor of zero and what is empty: a page can.
Check: TypeAlias = Callable[[Any], bool]

UNIONS: Final = (Union, UnionType)
_SEQUENCES: Final[Mapping[Any, Callable[[list[Any]], Any]]] = {list: list, tuple: tuple, set: set, frozenset: frozenset}


#: msgspec (0.22) learns a class's fields when it first meets the class. A second thread that decodes such rows
#: meanwhile reads half of what was learned, and the process crashes.
_learning: Final = ForkSafeLock()


class OddValueError(Exception):
    """A value that can't be read as the declared type."""


# --- what msgspec accepts, and no page could show ---


@lru_cache(maxsize=2048)
def _check_of(kind: Any) -> Check | None:
    """Whether a decoded value can be used: a time has a zone, a decimal is a number. None where every value can."""
    if is_record(kind):
        are_usable = _records_check(kind)
        return lambda record: are_usable((record,))
    return _CHECKS.get(kind) or _check_of_parts(get_origin(kind), get_args(kind))


def _check_of_parts(origin: Any, kinds: tuple[Any, ...]) -> Check | None:
    parts = [part for part in kinds if part not in {NoneType, Ellipsis}]
    checks = [check for part in parts if (check := _check_of(part)) is not None]
    if not checks:
        return None
    if origin in UNIONS and len(parts) > 1:
        # Which of several types a value has is left to the readers.
        return lambda _value: False
    if origin in _SEQUENCES and is_record(parts[0]):
        return _records_check(parts[0])
    return _check_inside(origin, checks[-1])


def _check_inside(origin: Any, check: Check) -> Check:
    if origin in UNIONS or origin is Annotated:
        return check
    if origin is dict:
        return lambda value: all(map(check, filter(None, value.values())))
    return lambda value: all(map(check, filter(None, value)))


_CHECKS: Final[Mapping[Any, Check]] = {datetime: attrgetter("tzinfo"), Decimal: Decimal.is_finite, float: isfinite}


def _records_check(record: Any) -> Check:
    """The check of several records, field by field: the loop over the rows of a page runs in C."""

    @lru_cache(maxsize=1)
    def checks() -> list[tuple[Callable[[Any], Any], Check]]:
        # A record may contain records of its own class, so these are made when the first one is decoded.
        found = [(info.name, _check_of(info.type)) for info in field_types(record).values()]
        return [(attrgetter(name), check) for name, check in found if check is not None]

    def are_usable(records: Any) -> bool:
        return all(all(map(check, filter(None, map(attribute, records)))) for attribute, check in checks())

    return are_usable


# --- field by field ---


@lru_cache(maxsize=2048)
def reader_of(kind: Any) -> Decoder:
    """A function that reads a value as this type, or raises :class:`OddValueError`.

    What msgspec reads as a whole is the same whether or not something beside it is odd.
    """
    check, by_parts = _check_of(kind), _parts_reader(kind)
    with _learning:
        msgspec.json.Decoder(kind)

    def read(value: Any) -> Any:
        try:
            found = msgspec.convert(value, kind)
        except msgspec.ValidationError:
            return by_parts(value)
        return found if check is None or not found or check(found) else by_parts(value)

    return read


def _parts_reader(kind: Any) -> Decoder:
    origin, parts = get_origin(kind), get_args(kind)
    if origin is Annotated:
        return _annotated_reader(kind, reader_of(parts[0]))
    if origin in UNIONS:
        return _union_reader(parts)
    if origin in _SEQUENCES:
        return _sequence_reader(_SEQUENCES[origin], reader_of(parts[0]))
    if origin is dict:
        return _dict_reader(reader_of(parts[1]), is_optional=NoneType in get_args(parts[1]))
    return _record_reader(kind, needs_tag=False) if is_record(kind) else _scalar_reader(kind)


def _annotated_reader(kind: Any, reader: Decoder) -> Decoder:
    def read(value: Any) -> Any:
        found = reader(value)
        try:
            return msgspec.convert(found, kind)
        except msgspec.ValidationError:
            raise OddValueError from None

    return read


def _union_reader(kinds: tuple[Any, ...]) -> Decoder:
    # Not `reader_of` for one of several records: msgspec takes a missing tag for the right one.
    needs_tag = sum(map(is_record, kinds)) > 1
    readers = [
        _record_reader(kind, needs_tag=True) if needs_tag and is_record(kind) else reader_of(kind)
        for kind in kinds
        if kind is not NoneType
    ]

    def read(value: Any) -> Any:
        for found in (found for reader in readers for found in _read([value], reader)):
            return found
        if NoneType in kinds:
            return None
        raise OddValueError

    return read


def _sequence_reader(make: Callable[[list[Any]], Any], reader: Decoder) -> Decoder:
    def read(value: Any) -> Any:
        if not isinstance(value, list | tuple):
            raise OddValueError
        return make(_read(value, reader))

    return read


def _dict_reader(reader: Decoder, *, is_optional: bool) -> Decoder:
    """A reader of an object. A value that can't be read is None where that is allowed, or else left out."""

    def read(value: Any) -> Any:
        if not isinstance(value, Mapping):
            raise OddValueError
        return {name: found for name, part in value.items() for found in _read([part], reader) or [None] * is_optional}

    return read


def _read(values: Iterable[Any], reader: Decoder) -> list[Any]:
    """Those of the values that can be read; the others are left out."""
    found = []
    for value in values:
        try:
            found.append(reader(value))
        except OddValueError:
            continue
    return found


def _record_reader(record: Any, *, needs_tag: bool) -> Decoder:
    tag, tag_field = record.__struct_config__.tag, record.__struct_config__.tag_field

    @lru_cache(maxsize=1)
    def readers() -> list[tuple[str, str, Decoder]]:
        return [(wire_name, info.name, reader_of(info.type)) for wire_name, info in field_types(record).items()]

    def read(value: Any) -> Any:
        if not isinstance(value, Mapping) or (
            tag is not None and value.get(tag_field, None if needs_tag else tag) != tag
        ):
            raise OddValueError
        fields: dict[str, Any] = {}
        for wire_name, name, reader in readers():
            if wire_name in value:
                try:
                    fields[name] = reader(value[wire_name])
                except OddValueError:
                    continue
        return record(**fields)

    return read


def _scalar_reader(kind: Any) -> Decoder:
    if kind is Any:
        return lambda value: value
    if isinstance(kind, type) and issubclass(kind, OpenEnum):
        return lambda value: kind(_text(value))
    readers: dict[Any, Decoder] = {str: _text, datetime: _time}
    reader = readers.get(kind, partial(_converted, kind=kind))

    def read(value: Any) -> Any:
        if isinstance(value, bool) != (kind is bool):
            raise OddValueError
        return reader(value)

    return read


def _text(value: Any) -> str:
    """A text; a number as its text, since ids may be numbers."""
    if isinstance(value, str | int | float) and not isinstance(value, bool):
        return str(value)
    raise OddValueError


def _time(value: Any) -> datetime:
    """A time (ISO 8601); a number is seconds since the epoch. A time without a zone is one in UTC."""
    try:
        found = datetime.fromtimestamp(value, UTC) if isinstance(value, int | float) else datetime.fromisoformat(value)
    except (ValueError, TypeError, OverflowError, OSError):
        raise OddValueError from None
    return found if found.tzinfo else found.replace(tzinfo=UTC)


def _converted(value: Any, *, kind: Any) -> Any:
    """Any other type; a number may be a text."""
    try:
        found = msgspec.convert(value, kind, strict=False)
    except (msgspec.ValidationError, ValueError, OverflowError, TypeError):
        raise OddValueError from None
    if isinstance(found, Decimal | float) and not isfinite(found):
        raise OddValueError
    return found
