"""One-shot reads: `queryEndpoint` (requirements, "Client-side hook generators")."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING, Any, Generic, Never, TypeVar, Unpack, cast, overload

from portal.errors import UsageError
from portal.query.client import client_of
from portal.query.endpoints import DeclaredQuery, QuerySpec, ReadRequest

if TYPE_CHECKING:
    from collections.abc import Mapping

    from django.http import HttpRequest

    from portal.query.client import QueryClient
    from portal.query.endpoints import QueryKey, ReadOptions, Url
    from portal.query.results import QueryResult

TData = TypeVar("TData")
TParams = TypeVar("TParams")
TRequest = TypeVar("TRequest", bound=ReadRequest)


class ReadHook(DeclaredQuery[TParams], Generic[TParams, TRequest]):
    """What the hooks of one-shot queries and of lists have in common."""

    def _request(self, params: TParams | None) -> TRequest:
        """The read with these parameters. Those without parameters, which most are, share one."""
        return self._bare_request if params is None or params == {} else self._made_request(self.query_key(params))

    @cached_property
    def _bare_request(self) -> TRequest:
        return self._made_request(self.query_key())

    def _made_request(self, key: QueryKey) -> TRequest:
        raise NotImplementedError

    def invalidate(
        self,
        request: HttpRequest | QueryClient,
        *misplaced: Never,
        params: TParams | None = None,
        matching: Mapping[str, Any] | None = None,
    ) -> None:
        """Make cached responses stale for this user, in all processes: the next read of each fetches.

        :param params: the one query with exactly these parameters; without `params` and `matching` all of them.
        :param matching: all queries that have these parameters among theirs.
        :raises UsageError: the parameters do not fit the declaration.
        """
        if misplaced:
            raise UsageError(f"{self.key}: give params=… for one query, or matching=… for all with them, by name")
        exact = None if params is None else self.query_key(params).params
        client_of(request).invalidate(self.key, params=exact, matching=matching)


@dataclass(kw_only=True, eq=False)
class QueryHook(ReadHook[TParams, ReadRequest], Generic[TData, TParams]):
    """`use_<name>_query`: reads through the cache. Made by :func:`query_endpoint`.

    :param data: type of the response.
    """

    data: type[TData]

    @overload
    def __call__(self: QueryHook[TData, None], request: HttpRequest | QueryClient) -> QueryResult[TData]: ...
    @overload
    def __call__(self, request: HttpRequest | QueryClient, params: TParams) -> QueryResult[TData]: ...
    def __call__(self, request: HttpRequest | QueryClient, params: Any = None) -> QueryResult[TData]:
        """Read from the cache while fresh, else from the backend.

        :param request: whose data: the request, or a command's `QueryClient`.
        :raises UsageError: the parameters do not fit the declaration.
        :raises SignInEndedError: the sign-in is over.
        """
        return cast("QueryResult[TData]", client_of(request).query(self._request(params)))

    def prefetch(self, request: HttpRequest | QueryClient, params: TParams | None = None) -> None:
        """Fetch the response into the cache for a later read. A failure is not reported here, but by that read."""
        client_of(request).query(self._request(params))

    @overload
    def spec(self: QueryHook[TData, None]) -> QuerySpec[QueryResult[TData]]: ...
    @overload
    def spec(self, params: TParams) -> QuerySpec[QueryResult[TData]]: ...
    def spec(self, params: Any = None) -> QuerySpec[QueryResult[TData]]:
        """The same call, for `use_queries` to run at the same time as others.

        :raises UsageError: the parameters do not fit the declaration.
        """
        return QuerySpec(query=self._request(params))

    def _made_request(self, key: QueryKey) -> ReadRequest:
        return ReadRequest(
            key=key,
            url=self.url,
            stale_time_s=self.stale_time_s,
            cache=self.cache,
            stale_while_revalidate=self.stale_while_revalidate,
        )


@overload
def query_endpoint(*, data: type[TData], url: str, **options: Unpack[ReadOptions]) -> QueryHook[TData, None]: ...
@overload
def query_endpoint(
    *, data: type[TData], params: type[TParams], url: Url[TParams], **options: Unpack[ReadOptions]
) -> QueryHook[TData, TParams]: ...
def query_endpoint(
    *, data: type[Any], url: Url[Any], params: type[Any] | None = None, **options: Unpack[ReadOptions]
) -> QueryHook[Any, Any]:
    """Declare a one-shot GET, as an attribute of a `QueryGroup`.

    :param data: type of the response.
    :param params: TypedDict of the parameters. Those that the url does not take go into the query string.
    :param url: path below the backend's address, or a function of the parameters that returns one. It gets its
        parameters percent-encoded: an f-string is safe.
    :param options: `stale_time_s`, `cache`, `stale_while_revalidate`: see
        :class:`~portal.query.endpoints.declarations.ReadOptions`.
    :raises UsageError: the url is not a path, or the stale time is not a number of seconds.
    """
    return QueryHook(data=data, url=url, params=params, **options)
