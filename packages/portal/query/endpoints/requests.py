"""One call, resolved: what hooks hand to the client. Data, and how it becomes an address."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, Final, Generic, Literal, TypeVar

from portal.api.response_limits import writable
from portal.config.limits import STALE_TIME_S, VAR_DEFAULT_PAGE_SIZE
from portal.config.wire_names import CURSOR_PARAM, LIMIT_PARAM, SEARCH_PARAM, SORT_PARAM
from portal.query.endpoints.urls import Address, Url, address

if TYPE_CHECKING:
    from collections.abc import Mapping

    from portal.query.endpoints.keys import QueryKey
    from portal.query.endpoints.list_helpers import Effect, Invalidation, ListHelper, Method, Variables

TResult = TypeVar("TResult")

#: What every list can be asked: the portal's own name, and the backend's.
_LIST_PARAMS: Final = {"q": SEARCH_PARAM, "sort": SORT_PARAM}


@dataclass(frozen=True, slots=True, kw_only=True)
class ReadRequest:
    """A one-shot read of one endpoint with its parameters.

    :param stale_time_s: seconds for which an answer counts as fresh.
    :param cache: whether the response is cached for all tokens of the user; else only this request keeps it.
    :param stale_while_revalidate: whether an answer past its stale time is shown, and fetched anew behind the request.
    """

    key: QueryKey
    url: Url[Any]
    stale_time_s: float = STALE_TIME_S
    cache: bool = True
    stale_while_revalidate: bool = True

    def address(self) -> Address:
        """Where it is read.

        :raises ApiNotFoundError: a path parameter that no address can carry.
        """
        return address(url=self.url, params=self.key.params, endpoint=self.key.endpoint)


@dataclass(frozen=True, slots=True, kw_only=True)
class ListRequest(ReadRequest):
    """A read of a list.

    :param unique_by: field that tells rows apart; False keeps duplicates.
    """

    unique_by: str | Literal[False]

    def page_address(self, *, cursor: str | None) -> Address:
        """Where the page that begins at `cursor` is read; None for the first one."""
        base = self.address()
        asked = {_LIST_PARAMS.get(name, name): value for name, value in base.query.items()}
        query = {LIMIT_PARAM: str(VAR_DEFAULT_PAGE_SIZE), **asked}
        return Address(path=base.path, query=query if cursor is None else {**query, CURSOR_PARAM: writable(cursor)})


@dataclass(frozen=True, slots=True, kw_only=True)
class QuerySpec(Generic[TResult]):
    """A hook's call that has not run: for `use_queries`. Made by a hook's `spec(…)`.

    :param pages: of a list.
    :param cursor: of a list: where to begin.
    """

    query: ReadRequest
    pages: int = 1
    cursor: str | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class WriteRequest:
    """One write, with what it changes in cached queries.

    :param endpoint: qualified key of the mutation endpoint.
    :param has_body: whether `variables.body` is sent.
    :param idempotency_key: of this write in whichever request it is sent; None for one of each run's own.
    """

    endpoint: str
    method: Method
    url: Url[Any]
    variables: Variables[Any, Any]
    has_body: bool
    helpers: tuple[ListHelper, ...] = ()
    invalidations: tuple[Invalidation, ...] = ()
    params: Mapping[str, Any] = field(default_factory=dict)
    idempotency_key: str | None = None

    @property
    def targets(self) -> tuple[str, ...]:
        """The endpoints that it concerns, each once."""
        effects: tuple[Effect, ...] = (*self.helpers, *self.invalidations)
        return tuple(dict.fromkeys(effect.target for effect in effects))

    def address(self) -> Address:
        """Where it is written.

        :raises ApiNotFoundError: a path parameter that no address can carry.
        """
        return address(url=self.url, params=self.params, endpoint=self.endpoint)
