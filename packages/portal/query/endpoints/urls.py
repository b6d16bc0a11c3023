"""Addresses of endpoints: a path, or a function of the parameters that returns one.

A path parameter is percent-encoded whole (contract, section 8): an id of `../me` never becomes another path.
The function gets encoded values only, so no declaration can forget the encoding. Parameters that the function does not
read go into the query string.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from typing import Any, TypeAlias, TypeVar
from urllib.parse import quote

from portal.errors import ApiNotFoundError, UsageError
from portal.query.endpoints.params import wire_value

TParams = TypeVar("TParams")

Url: TypeAlias = str | Callable[[TParams], str]

#: Clients and servers resolve these segments before they use the address, also when they are encoded.
_UNADDRESSABLE = frozenset({"", ".", ".."})


@dataclass(frozen=True, slots=True, kw_only=True)
class Address:
    """Where a call goes.

    :param path: below the backend's base address, with its leading slash.
    :param query: parameters that the path did not take, as text.
    """

    path: str
    query: Mapping[str, str]


class _PathParams(Mapping[str, str]):
    """Parameters for a URL function: encoded. `taken` are the names that the function has read."""

    def __init__(self, params: Mapping[str, Any], *, endpoint: str) -> None:
        self._params = params
        self._endpoint = endpoint
        self.taken: set[str] = set()

    def __getitem__(self, name: str) -> str:
        value = self._params[name]
        self.taken.add(name)
        text = wire_value(value, name=name, endpoint=self._endpoint)
        if text in _UNADDRESSABLE:
            raise ApiNotFoundError(f"no address has {text!r} for its {name}", status=None)
        return quote(text, safe="")

    def __iter__(self) -> Iterator[str]:
        return iter(self._params)

    def __len__(self) -> int:
        return len(self._params)


class _Placeholders(dict[str, str]):
    """Stands for parameters where an address is only shown: `{id}`."""

    def __missing__(self, name: str) -> str:
        return f"{{{name}}}"


def address(*, url: Url[Any], params: Mapping[str, Any], endpoint: str) -> Address:
    """The address of one call.

    :raises ApiNotFoundError: a path parameter cannot be part of a path, such as `..` or an empty id.
    :raises UsageError: a parameter is missing or cannot be written in an address, or the function returned no path.
    """
    seen = _PathParams(params, endpoint=endpoint)
    if callable(url):
        try:
            path = url(seen)
        except KeyError as error:
            raise UsageError(f"{endpoint}: the parameter {error} is missing") from error
    else:
        path = url
    check_path(path, endpoint=endpoint)
    query = {
        name: wire_value(value, name=name, endpoint=endpoint)
        for name, value in params.items()
        if name not in seen.taken and value is not None
    }
    return Address(path=path, query=query)


def shape(url: Url[Any]) -> str:
    """The path with the parameters' names in braces, for lists of endpoints."""
    return url(_Placeholders()) if callable(url) else url


def check_path(path: object, *, endpoint: str) -> None:
    """Refuse what is not a path.

    :raises UsageError: the message says what a url should be.
    """
    # Nothing fills in a template with braces.
    if not isinstance(path, str) or not is_path(path) or "{" in path:
        raise UsageError(
            f"{endpoint}: the url should be a path such as '/energy/clients', or a function of the parameters"
            " that returns one; parameters that it does not take go into the query string"
        )


def is_path(text: str) -> bool:
    """Whether the text is a path below the backend's address, and nothing else.

    Two slashes at the start would name another host. `?` and `#` end a path. Segments of dots lead out of it.
    """
    return (
        text.startswith("/")
        and not text.startswith("//")
        and not {"?", "#"} & set(text)
        and not {".", ".."} & set(text.split("/"))
    )
