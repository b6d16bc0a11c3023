"""Addresses of endpoints, and the keys of their queries.

An address is a path, a path with parameters in braces, or a function of the parameters that returns one.

A path parameter is percent-encoded whole (contract, section 8): an id of `../me` never becomes another path.
Only encoded values are put into a path, so no declaration can forget the encoding. Parameters that the path does not
take go into the query string.

A query key is the identity of a cached response (requirements, "Client-side hook generators"; contract, section 1).
One-shot queries have the key `[endpoint_key, params]`, lists `[endpoint_key, params, "paginated",
VAR_DEFAULT_PAGE_SIZE, limit_param]`. The endpoint key is qualified by its domain: `energy.get_clients`.
"""

import hashlib
import json
import re
from collections.abc import Callable, Collection, Iterator, Mapping
from dataclasses import dataclass, field
from types import MappingProxyType
from typing import Any, TypeAlias, TypeVar
from urllib.parse import quote

from portal.config.contract_names import ID_FIELD, LIMIT_PARAM
from portal.config.limits import VAR_DEFAULT_PAGE_SIZE
from portal.errors import ApiNotFoundError, UsageError
from portal.query.endpoints.params import given_params, wire_value
from portal.rows import JoinedValues

#: Hexadecimal characters of a digest that name an entry: 128 bits.
_DIGEST_CHARS = 32
#: JSON with sorted keys: equal text for equal values.
canonical_json = json.JSONEncoder(sort_keys=True, separators=(",", ":"), ensure_ascii=True, allow_nan=False).encode


@dataclass(frozen=True, slots=True, kw_only=True)
class QueryKey:
    """The identity of one query of one endpoint.

    :param endpoint: qualified endpoint key, such as `energy.get_clients`.
    :param params: without those that are None: a missing parameter and None are the same.
    :param paginated: whether the query reads a list.
    :ivar digest: 32 hexadecimal characters, equal for equal keys; the order of the parameters does not matter.
    """

    endpoint: str
    params: Mapping[str, Any]
    paginated: bool
    digest: str = field(init=False)

    def __post_init__(self) -> None:
        """Make the digest."""
        digest = hashlib.sha256(canonical_json(self.parts).encode()).hexdigest()[:_DIGEST_CHARS]
        object.__setattr__(self, "digest", digest)

    @property
    def parts(self) -> list[Any]:
        """The key as in requirements, "Client-side hook generators"."""
        parts: list[Any] = [self.endpoint, dict(self.params)]
        return [*parts, "paginated", VAR_DEFAULT_PAGE_SIZE, LIMIT_PARAM] if self.paginated else parts


def query_key(*, endpoint: str, params: Mapping[str, Any] | None = None, paginated: bool = False) -> QueryKey:
    """Make a key from parameters as a caller gives them.

    :raises UsageError: a parameter cannot be written in an address.
    """
    given = MappingProxyType(given_params(params, endpoint=endpoint))
    return QueryKey(endpoint=endpoint, params=given, paginated=paginated)


TParams = TypeVar("TParams")

Url: TypeAlias = str | Callable[[TParams], str]

#: Clients and servers resolve these segments before they use the address, also when they are encoded.
_UNADDRESSABLE = frozenset({"", ".", ".."})
#: A parameter in a path: `{id}`.
_PLACEHOLDER = re.compile(r"\{(\w+)\}")


@dataclass(frozen=True, slots=True, kw_only=True)
class Address:
    """Where a call goes.

    :param path: below the backend's base address, with its leading slash.
    :param query: parameters that the path did not take, as text; those that are declared to take several values are
        `JoinedValues`.
    :param endpoint: the declared endpoint's key.
    :param is_list: whether it asks for a page of a list.
    :param id_field: the wire's name of what tells rows apart.
    """

    path: str
    query: Mapping[str, str]
    endpoint: str = ""
    is_list: bool = False
    id_field: str = ID_FIELD


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


def address(*, url: Url[Any], params: Mapping[str, Any], endpoint: str, several: Collection[str] = ()) -> Address:
    """The address of one call.

    :param several: names of the parameters that are declared to take several values.
    :raises ApiNotFoundError: a path parameter cannot be part of a path, such as `..` or an empty id.
    :raises UsageError: a parameter is missing or cannot be written in an address, or the function returned no path.
    """
    seen = _PathParams(params, endpoint=endpoint)
    try:
        path = url(seen) if callable(url) else _PLACEHOLDER.sub(lambda found: seen[found[1]], url)
    except KeyError as error:
        raise UsageError(f"{endpoint}: the parameter {error} is missing") from error
    except AttributeError as error:
        raise UsageError(f"{endpoint}: the url gets a mapping: params['id'], not params.id ({error})") from error
    check_path(path, endpoint=endpoint)
    query = {
        name: (JoinedValues if name in several else str)(wire_value(value, name=name, endpoint=endpoint))
        for name, value in params.items()
        if name not in seen.taken and value is not None
    }
    return Address(path=path, query=query, endpoint=endpoint)


def path_params(url: str) -> frozenset[str]:
    """The names of the parameters that a path with braces takes."""
    return frozenset(_PLACEHOLDER.findall(url))


def shape(url: Url[Any]) -> str:
    """The path with the parameters' names in braces, for lists of endpoints."""
    return url(_Placeholders()) if callable(url) else url


def check_path(path: object, *, endpoint: str) -> None:
    """Refuse what is not a path.

    :raises UsageError: the message says what a url should be.
    """
    if not isinstance(path, str) or not is_path(path):
        raise UsageError(
            f"{endpoint}: the url should be a path such as '/energy/clients' or '/energy/clients/{{id}}', or a function"
            " of the parameters that returns one; parameters that it does not take go into the query string"
        )


def check_template(url: str, *, endpoint: str, known: frozenset[str] | None) -> None:
    """Refuse a path whose braces name no parameter.

    :param known: names of the declared parameters; None where every name is allowed.
    :raises UsageError: the message names the parameters.
    """
    named = path_params(url)
    if set("{}") & set(_PLACEHOLDER.sub("", url)):
        raise UsageError(f"{endpoint}: a parameter in the url {url!r} should be a name in braces, such as {{id}}")
    unknown = sorted(named - known) if known is not None else []
    if unknown:
        raise UsageError(
            f"{endpoint}: the url {url!r} names {', '.join(unknown)}, which is no parameter;"
            f" params declares {', '.join(sorted(known or ())) or 'none'}"
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
