"""One-shot reads: `queryEndpoint` (requirements, "Client-side hook generators")."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Generic, Never, TypeVar, cast, overload

from portal.config.limits import STALE_TIME_S
from portal.errors import UsageError
from portal.query.client import client_of
from portal.query.endpoints.keys import QueryKey, query_key
from portal.query.endpoints.params import check_stale_time, checked_params
from portal.query.endpoints.requests import QuerySpec, ReadRequest
from portal.query.endpoints.urls import Url, check_url, shape

if TYPE_CHECKING:
    from collections.abc import Mapping

    from django.http import HttpRequest

    from portal.query.client import QueryClient
    from portal.query.results import QueryResult

TData = TypeVar("TData")
TParams = TypeVar("TParams")


@dataclass(frozen=True, kw_only=True)
class QueryEndpoint(Generic[TData, TParams]):
    """The declaration of a one-shot GET. Made by :func:`query_endpoint`, inside a `QueryGroup`.

    :param data: type of the answer.
    :param params: TypedDict of the parameters; None for none.
    """

    data: type[TData]
    params: type[TParams] | None
    url: Url[Any]
    stale_time_s: float
    cache: bool
    stale_while_revalidate: bool

    def __get__(self, instance: object, owner: type[object]) -> QueryHook[TData, TParams]:
        """For type checkers: in a group, the attribute is the hook."""
        raise UsageError(f"{owner.__qualname__} should derive from QueryGroup for its endpoints to become hooks")

    def hook(self, *, key: str, hook_name: str) -> QueryHook[TData, TParams]:
        """The hook under a qualified key."""
        return QueryHook(
            key=key,
            hook_name=hook_name,
            data=self.data,
            params=self.params,
            url=self.url,
            stale_time_s=self.stale_time_s,
            cache=self.cache,
            stale_while_revalidate=self.stale_while_revalidate,
        )


@dataclass(frozen=True, kw_only=True)
class QueryHook(Generic[TData, TParams]):
    """`use_<name>_query`: reads through the cache.

    :param key: qualified endpoint key, such as `energy.get_client`.
    :param hook_name: dotted name under which it is imported.
    """

    key: str
    hook_name: str
    data: type[TData]
    params: type[TParams] | None
    url: Url[Any]
    stale_time_s: float
    cache: bool
    stale_while_revalidate: bool

    @property
    def is_list(self) -> bool:
        """Whether it reads a paginated list."""
        return False

    @property
    def path_shape(self) -> str:
        """Address with the parameters' names in braces."""
        return shape(self.url)

    @property
    def declared_types(self) -> dict[str, object]:
        """Role to declared type."""
        return {"data": self.data, "params": self.params}

    def query_key(self, params: TParams | None = None) -> QueryKey:
        """The query key for these parameters."""
        given = checked_params(given=params, declared=self.params, endpoint=self.key)
        return query_key(endpoint=self.key, params=given)

    @overload
    def __call__(self: QueryHook[TData, None], request: HttpRequest | QueryClient) -> QueryResult[TData]: ...
    @overload
    def __call__(self, request: HttpRequest | QueryClient, params: TParams) -> QueryResult[TData]: ...
    def __call__(self, request: HttpRequest | QueryClient, params: Any = None) -> QueryResult[TData]:
        """Read it: from the cache while fresh, else from the backend.

        :param request: whose data: the request, or a command's `QueryClient`.
        :raises UsageError: the parameters do not fit the declaration.
        :raises SignInEndedError: the sign-in is over.
        """
        return cast("QueryResult[TData]", client_of(request).query(self._query(params)))

    def invalidate(
        self,
        request: HttpRequest | QueryClient,
        *misplaced: Never,
        params: TParams | None = None,
        matching: Mapping[str, Any] | None = None,
    ) -> None:
        """Make it stale for this user, in all processes: the next read fetches.

        :param params: the one query with exactly these parameters; without `params` and `matching` all of them.
        :param matching: all queries that have these parameters among theirs.
        """
        if misplaced:
            raise UsageError(f"{self.key}: give params=… for one query, or matching=… for all with them, by name")
        exact = None if params is None else self.query_key(params).params
        client_of(request).invalidate(self.key, params=exact, matching=matching)

    def prefetch(self, request: HttpRequest | QueryClient, params: TParams | None = None) -> None:
        """Have it in the cache for a later read; a failure is left for that read to meet."""
        client_of(request).prefetch(self._query(params))

    @overload
    def spec(self: QueryHook[TData, None]) -> QuerySpec[QueryResult[TData]]: ...
    @overload
    def spec(self, params: TParams) -> QuerySpec[QueryResult[TData]]: ...
    def spec(self, params: Any = None) -> QuerySpec[QueryResult[TData]]:
        """The same call, for `use_queries` to run beside others.

        :raises UsageError: the parameters do not fit the declaration.
        """
        return QuerySpec(query=self._query(params))

    def _query(self, params: TParams | None) -> ReadRequest:
        return ReadRequest(
            key=self.query_key(params),
            url=self.url,
            stale_time_s=self.stale_time_s,
            cache=self.cache,
            stale_while_revalidate=self.stale_while_revalidate,
        )


@overload
def query_endpoint(
    *, data: type[TData], url: str, stale_time_s: float = ..., cache: bool = ..., stale_while_revalidate: bool = ...
) -> QueryEndpoint[TData, None]: ...
@overload
def query_endpoint(
    *,
    data: type[TData],
    params: type[TParams],
    url: Url[TParams],
    stale_time_s: float = ...,
    cache: bool = ...,
    stale_while_revalidate: bool = ...,
) -> QueryEndpoint[TData, TParams]: ...
def query_endpoint(
    *,
    data: type[Any],
    url: Url[Any],
    params: type[Any] | None = None,
    stale_time_s: float = STALE_TIME_S,
    cache: bool = True,
    stale_while_revalidate: bool = True,
) -> QueryEndpoint[Any, Any]:
    """Declare a one-shot GET.

    :param data: type of the answer.
    :param params: TypedDict of the parameters. Those that the url does not take go into the query string.
    :param url: path below the backend's address, or a function of the parameters that gives one. It sees its
        parameters percent-encoded: an f-string is safe.
    :param stale_time_s: seconds for which an answer counts as fresh.
    :param cache: False for an answer that is about the token that asks, such as a list that marks "this browser". All
        other answers are shared by all of a user's tokens; this one only its own request sees: it is not cached, no
        other request's fetch is waited for, and when a fetch fails there are no older data.
    :param stale_while_revalidate: False for what must not be shown past its stale time before the backend was asked. By
        default such an answer is shown as it is known, up to 15 minutes old, and fetched anew behind the request.
    :raises UsageError: the url is no path, or the stale time none.
    """
    check_url(url, endpoint="query_endpoint")
    check_stale_time(stale_time_s, endpoint="query_endpoint")
    return QueryEndpoint(
        data=data,
        params=params,
        url=url,
        stale_time_s=stale_time_s,
        cache=cache,
        stale_while_revalidate=stale_while_revalidate,
    )
