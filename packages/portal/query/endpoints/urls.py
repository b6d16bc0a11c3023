"""Addresses of endpoints: a string, or a function of the parameters that gives one.

A path parameter is percent-encoded whole (contract, section 8): an id of `../me` never becomes another path.
So that no declaration can forget it, the function never sees a raw value: each that it reads is encoded
already. What it does not read goes into the query string.
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

#: Clients and servers resolve these before they look at the address, encoded or not.
_UNADDRESSABLE = frozenset({"", ".", ".."})


@dataclass(frozen=True, slots=True, kw_only=True)
class Address:
    """Where a call goes.

    :param path: below the backend's base address, with its leading slash.
    :param query: parameters that the path did not take, as they stand on the wire.
    """

    path: str
    query: Mapping[str, str]


class _PathParams(Mapping[str, str]):
    """Parameters as a URL function sees them: encoded, and remembered when read."""

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
    """Stands in for parameters where an address is only shown: `{id}`."""

    def __missing__(self, name: str) -> str:
        return f"{{{name}}}"


def address(*, url: Url[Any], params: Mapping[str, Any], endpoint: str) -> Address:
    """The address of one call.

    :raises ApiNotFoundError: a path parameter that no address can carry, such as `..` or an empty id.
    :raises UsageError: a parameter that the path needs is missing or none that an address can carry, or the path is
        not one.
    """
    seen = _PathParams(params, endpoint=endpoint)
    if callable(url):
        try:
            path = url(seen)
        except KeyError as error:
            raise UsageError(f"{endpoint}: the parameter {error} is missing") from error
    else:
        path = url
    _check_path(path, endpoint=endpoint)
    query = {
        name: wire_value(value, name=name, endpoint=endpoint)
        for name, value in params.items()
        if name not in seen.taken and value is not None
    }
    return Address(path=path, query=query)


def shape(url: Url[Any]) -> str:
    """The address with its parameters' names in braces, for lists of endpoints."""
    return url(_Placeholders()) if callable(url) else url


def check_url(url: object, *, endpoint: str) -> None:
    """Refuse, when an endpoint is declared, a url that can't be right.

    :raises UsageError: it should be a path that begins with one slash, or a function that gives one.
    """
    if not callable(url):
        _check_path(url, endpoint=endpoint)


def _check_path(path: object, *, endpoint: str) -> None:
    # Braces are a template that nothing fills in.
    if not isinstance(path, str) or not is_path(path) or "{" in path:
        raise UsageError(
            f"{endpoint}: the url should be a path such as '/energy/clients', or a function of the parameters"
            " that gives one; parameters that it does not take go into the query string"
        )


def is_path(text: str) -> bool:
    """Whether it is a path below the backend's address, and nothing else.

    Two slashes would name another host; `?` and `#` end a path; dots lead out of it.
    """
    return (
        text.startswith("/")
        and not text.startswith("//")
        and not {"?", "#"} & set(text)
        and not {".", ".."} & set(text.split("/"))
    )
