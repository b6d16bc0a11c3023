"""Query keys: the identity of a cached response. Pure.

Source: requirements, "Client-side hook generators"; contract, section 1. One-shot queries have the key
`[endpoint_key, params]`, lists `[endpoint_key, params, "paginated", VAR_DEFAULT_PAGE_SIZE, limit_param]`.
The endpoint key is qualified by its domain: `energy.get_clients`.
"""

from __future__ import annotations

import hashlib
import json
from dataclasses import dataclass
from functools import lru_cache
from types import MappingProxyType
from typing import TYPE_CHECKING, Any

from portal.config.contract_names import LIMIT_PARAM
from portal.config.limits import VAR_DEFAULT_PAGE_SIZE
from portal.query.endpoints.params import given_params

if TYPE_CHECKING:
    from collections.abc import Mapping

#: Hexadecimal characters of a digest that name an entry: 128 bits.
_DIGEST_CHARS = 32
_CANONICAL = json.JSONEncoder(sort_keys=True, separators=(",", ":"), ensure_ascii=True, allow_nan=False)


@dataclass(frozen=True, slots=True, kw_only=True)
class QueryKey:
    """The identity of one query of one endpoint.

    :param endpoint: qualified endpoint key, such as `energy.get_clients`.
    :param params: without those that are None: a missing parameter and None are the same.
    :param paginated: whether the query reads a list.
    :param digest: 32 hexadecimal characters, equal for equal keys; the order of the parameters does not matter.
    """

    endpoint: str
    params: Mapping[str, Any]
    paginated: bool
    digest: str

    @property
    def parts(self) -> list[Any]:
        """The key as in requirements, "Client-side hook generators"."""
        return _parts(self.endpoint, self.params, paginated=self.paginated)


def query_key(*, endpoint: str, params: Mapping[str, Any] | None = None, paginated: bool = False) -> QueryKey:
    """Make a key from parameters as a caller gives them.

    :raises UsageError: a parameter cannot be written in an address.
    """
    given = given_params(params, endpoint=endpoint) if params else {}
    return _made(endpoint, given, paginated=paginated) if given else _bare(endpoint, paginated)


@lru_cache(maxsize=1024)
def _bare(endpoint: str, paginated: bool) -> QueryKey:
    """The key of a query without parameters, the usual case. It is made once and shared, so it cannot be changed."""
    return _made(endpoint, MappingProxyType({}), paginated=paginated)


def _made(endpoint: str, given: Mapping[str, Any], *, paginated: bool) -> QueryKey:
    text = canonical_json(_parts(endpoint, given, paginated=paginated))
    digest = hashlib.sha256(text.encode()).hexdigest()[:_DIGEST_CHARS]
    return QueryKey(endpoint=endpoint, params=given, paginated=paginated, digest=digest)


def canonical_json(value: object) -> str:
    """JSON with sorted keys: equal text for equal values."""
    return _CANONICAL.encode(value)


def _parts(endpoint: str, params: Mapping[str, Any], *, paginated: bool) -> list[Any]:
    parts: list[Any] = [endpoint, dict(params)]
    return [*parts, "paginated", VAR_DEFAULT_PAGE_SIZE, LIMIT_PARAM] if paginated else parts
