"""The calls and parameters that the backend offers of those that are declared optional: one room, one declaration.

`APP_BACKEND_OFFERS`, or the backend's class, names it (contract, section 7). Nothing is found out behind a request: an
answer speaks for itself alone.
"""

import logging
from collections.abc import Iterator
from http import HTTPStatus
from typing import Any, Final

from portal.api import is_named
from portal.config.contract_names import SEARCH_PARAM, SORT_PARAM
from portal.errors import ApiAbsentError, ApiError
from portal.query.endpoints import DeclaredList, Endpoint, ListRequest, ReadRequest, WriteRequest, parameter_names

logger = logging.getLogger("portal.query")

#: Statuses that say that there is no call of this method, whoever asks.
_NO_METHOD: Final = frozenset({HTTPStatus.METHOD_NOT_ALLOWED, HTTPStatus.NOT_IMPLEMENTED})
#: Statuses that say that there is no such call.
NO_CALL: Final = _NO_METHOD | {HTTPStatus.NOT_FOUND, HTTPStatus.GONE}
#: In a name: the total of a list counts what its filters leave.
_TOTAL: Final = ":total"


def offers(endpoint: Endpoint[Any], param: str = "") -> bool:
    """Return whether the backend offers a call, or a parameter of a list. Costs a look-up in a set.

    :param param: its name on the wire: `city`, `q` for the search, `sort` for all orders.
    """
    is_offered = not endpoint.optional or is_named(endpoint.key)
    if not param or not is_offered or not isinstance(endpoint, DeclaredList):
        return is_offered
    is_declared = param not in endpoint.lacks
    return is_declared and (not endpoint.optional_params or is_named(f"{endpoint.key}?{param}"))


def offers_totals(endpoint: DeclaredList[Any, Any]) -> bool:
    """Return whether the total of a list counts what its search and filters leave."""
    return not endpoint.optional_params or is_named(endpoint.key + _TOTAL)


def optional_names(endpoint: Endpoint[Any]) -> Iterator[str]:
    """Yield the names in a declaration of offers that concern one endpoint."""
    if endpoint.optional:
        yield endpoint.key
    if isinstance(endpoint, DeclaredList) and endpoint.optional_params:
        params = parameter_names(endpoint.params) or {SEARCH_PARAM, SORT_PARAM}
        yield from (f"{endpoint.key}?{each}" for each in sorted(params - endpoint.in_path - endpoint.lacks))
        yield endpoint.key + _TOTAL


def check_offered(call: ReadRequest | WriteRequest) -> None:
    """Refuse a call that is not offered, or a parameter of a list, before it is made.

    :raises ApiAbsentError: it is not offered.
    """
    params = call.filtered_by if isinstance(call, ListRequest) else ()
    if not (offers(call.hook) and all(offers(call.hook, each) for each in params)):
        raise ApiAbsentError("The backend does not offer this.")


def absence(error: ApiError, endpoint: Endpoint[Any], *, warned: set[str]) -> ApiError:
    """Return the error that a failed call comes to: one that says so, where the backend has no such call.

    A 404 says that of a read without a row in its path alone. Nothing is remembered but that the log has its line.

    :param warned: the keys for which this process has logged it.
    """
    is_whole = endpoint.kind == "query" and not endpoint.in_path
    if isinstance(error, ApiAbsentError) or error.status not in (NO_CALL if is_whole else _NO_METHOD):
        return error
    if endpoint.key not in warned:
        warned.add(endpoint.key)
        logger.warning("%s: the backend answered %s: it has no such call", endpoint.key, error.status)
    absent = ApiAbsentError(error.detail, status=error.status)
    absent.__cause__ = error
    return absent
