"""Cursor-paginated reads: `paginatedQueryEndpoint` (requirements, "Client-side hook generators")."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Generic, Literal, TypeVar, Unpack, cast, overload

from portal.config.wire_names import ID_FIELD
from portal.query.client import client_of
from portal.query.endpoints import DeclaredList, ListRequest, QuerySpec
from portal.query.hooks.queries import ReadHook

if TYPE_CHECKING:
    from django.http import HttpRequest

    from portal.query.client import QueryClient
    from portal.query.endpoints import QueryKey, ReadOptions, Url
    from portal.query.results import PaginatedResult

TItem = TypeVar("TItem")
TParams = TypeVar("TParams")


@dataclass(kw_only=True, eq=False)
class PaginatedQueryHook(ReadHook[TParams, ListRequest], DeclaredList[TItem, TParams], Generic[TItem, TParams]):
    """`use_<name>_query` of a list: reads its pages through the cache. Made by :func:`paginated_query_endpoint`."""

    def __call__(
        self,
        request: HttpRequest | QueryClient,
        params: TParams | None = None,
        *,
        pages: int = 1,
        cursor: str | None = None,
    ) -> PaginatedResult[TItem]:
        """Read the first `pages` pages: from the cache while fresh, else from the backend.

        :param request: whose data: the request, or a command's `QueryClient`.
        :param cursor: where to begin, as the server named it; with `pages=1` just that page.
        :raises UsageError: the parameters do not fit the declaration.
        :raises SignInEndedError: the sign-in is over.
        """
        result = client_of(request).paginated(self._request(params), pages=pages, cursor=cursor)
        return cast("PaginatedResult[TItem]", result)

    def prefetch(self, request: HttpRequest | QueryClient, params: TParams | None = None, *, pages: int = 1) -> None:
        """Fetch the first pages into the cache for a later read. A failure is not reported here, but by that read."""
        client_of(request).paginated(self._request(params), pages=pages)

    def spec(
        self, params: TParams | None = None, *, pages: int = 1, cursor: str | None = None
    ) -> QuerySpec[PaginatedResult[TItem]]:
        """The same call, for `use_queries` to run at the same time as others.

        :raises UsageError: the parameters do not fit the declaration.
        """
        return QuerySpec(query=self._request(params), pages=pages, cursor=cursor)

    def _made_request(self, key: QueryKey) -> ListRequest:
        return ListRequest(
            key=key,
            url=self.url,
            stale_time_s=self.stale_time_s,
            cache=self.cache,
            stale_while_revalidate=self.stale_while_revalidate,
            unique_by=self.unique_by,
        )


@overload
def paginated_query_endpoint(
    *, item: type[TItem], url: str, unique_by: str | Literal[False] = ..., **options: Unpack[ReadOptions]
) -> PaginatedQueryHook[TItem, None]: ...
@overload
def paginated_query_endpoint(
    *,
    item: type[TItem],
    params: type[TParams],
    url: Url[TParams],
    unique_by: str | Literal[False] = ...,
    **options: Unpack[ReadOptions],
) -> PaginatedQueryHook[TItem, TParams]: ...
def paginated_query_endpoint(
    *,
    item: type[Any],
    url: Url[Any],
    params: type[Any] | None = None,
    unique_by: str | Literal[False] = ID_FIELD,
    **options: Unpack[ReadOptions],
) -> PaginatedQueryHook[Any, Any]:
    """Declare a cursor-paginated list, as an attribute of a `QueryGroup`.

    The backend responds with `TPaginatedRes` (requirements, "Paginated result").

    :param item: type of a row.
    :param params: TypedDict of the parameters, without cursor and limit.
    :param url: as of :func:`~portal.query.hooks.queries.query_endpoint`; so are the options.
    :param unique_by: field that tells rows apart when pages are merged, the first occurrence wins; False keeps
        duplicates.
    :raises UsageError: the url is not a path, the stale time is not a number of seconds, or `unique_by` is not the name
        of a field.
    """
    return PaginatedQueryHook(item=item, url=url, params=params, unique_by=unique_by, **options)
