"""JSON → records: the decoders of declared types, and which types can be declared."""

from dataclasses import is_dataclass
from datetime import date, time, timedelta
from decimal import Decimal
from enum import Enum
from functools import lru_cache
from types import GenericAlias, NoneType
from typing import Annotated, Any, Final, Literal, get_args, get_origin
from uuid import UUID

import msgspec

from portal.errors import ApiMalformedError, UsageError
from portal.rows.readers import UNIONS, Decoder, OddValueError, reader_of
from portal.rows.records import field_types, is_record
from portal.rows.strict_json import copied


def decoder_of(kind: Any) -> Decoder | None:
    """The decoder for a declared type: a record class, or a list or dict of records. None for all others: JSON stays.

    What it returns shares nothing with the JSON that could be changed: that may lie in a cache.
    The decoder raises :class:`~portal.errors.ApiMalformedError` for a value that is none of that kind at all, such as a
    text in place of an object.
    """
    return lenient_decoder_of(kind) if _has_records(kind) else None


def rows_decoder_of(item: type[Any]) -> Decoder | None:
    """The decoder for the rows of a list: a sequence of objects becomes a tuple of records; None as above."""
    return decoder_of(GenericAlias(tuple, (item, ...)))


def check_decodable(kind: Any) -> None:
    """Refuse a type whose fields can't be decoded. A decoder would tell at its first response only.

    :raises UsageError: the message says which.
    """
    if isinstance(kind, type) and not is_record(kind) and (is_dataclass(kind) or hasattr(kind, "__struct_fields__")):
        raise UsageError(f"{kind.__name__} should derive from Record or Row")
    if not _has_records(kind):
        return
    try:
        msgspec.inspect.type_info(kind)
        _check_containers(kind, set())
    except NameError as error:
        raise UsageError(str(error)) from error
    except TypeError as error:
        raise UsageError(" ".join(str(error).split())) from error


def _check_containers(kind: Any, seen: set[Any]) -> None:
    """Refuse what is not read part by part: `tuple[int, str]`, `Mapping`, `dict[int, …]`, `Page[Row]`."""
    origin, parts = get_origin(kind), get_args(kind)
    is_read = origin is None or origin in UNIONS or origin in {Annotated, Literal, list, set, frozenset}
    if not is_read and (origin, parts[1:]) != (tuple, (Ellipsis,)) and (origin, parts[:1]) != (dict, (str,)):
        raise TypeError(f"{kind} is none of list[…], tuple[…, ...], set[…], frozenset[…] and dict[str, …]")
    for part in _parts(kind, seen):
        _check_containers(part, seen)


@lru_cache(maxsize=512)
def lenient_decoder_of(kind: Any) -> Decoder:
    """As :func:`decoder_of`, also for a type without records: what is none of its values has its default."""
    # First, since it says of a type that is not there at run time what to do.
    shares_json = _shares_json(kind, set())
    read = reader_of(kind)

    def decode(value: Any) -> Any:
        try:
            return read(copied(value) if shares_json else value)
        except OddValueError:
            raise ApiMalformedError(f"the response is not what was declared, but {type(value).__name__}") from None

    return decode


#: Values of these types can't be changed.
_IMMUTABLE: Final = (str, int, float, NoneType, Decimal, date, time, timedelta, UUID, Enum)


def _shares_json(kind: Any, seen: set[Any]) -> bool:
    """Whether something of the JSON itself comes out: msgspec makes new objects only of what has a type."""
    if kind is Ellipsis or (isinstance(kind, type) and issubclass(kind, _IMMUTABLE)):
        return False
    has_type = get_origin(kind) is not None or is_record(kind)
    return not has_type or any(_shares_json(part, seen) for part in _parts(kind, seen))


def _parts(kind: Any, seen: set[Any]) -> tuple[Any, ...]:
    """The types of what a value of this type contains; of a record class that was seen, none again."""
    if is_record(kind):
        is_new = kind not in seen
        seen.add(kind)
        return tuple(info.type for info in field_types(kind).values()) if is_new else ()
    origin, parts = get_origin(kind), get_args(kind)
    return () if origin is Literal else parts[:1] if origin is Annotated else parts


def _has_records(kind: Any) -> bool:
    return is_record(kind) or any(_has_records(part) for part in get_args(kind))
