"""Cursor-paginated reads: `paginatedQueryEndpoint` (requirements, "Client-side hook generators")."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Generic, Literal, Never, TypeVar, cast, overload

from portal.config.limits import STALE_TIME_S
from portal.config.wire_names import CURSOR_PARAM, ID_FIELD
from portal.errors import UsageError
from portal.query.client import client_of
from portal.query.endpoints.keys import QueryKey, query_key
from portal.query.endpoints.params import check_stale_time, checked_params
from portal.query.endpoints.requests import ListRequest, QuerySpec
from portal.query.endpoints.urls import Url, check_url, shape

if TYPE_CHECKING:
    from collections.abc import Mapping

    from django.http import HttpRequest

    from portal.query.client import QueryClient
    from portal.query.results import PaginatedResult

TItem = TypeVar("TItem")
TParams = TypeVar("TParams")


@dataclass(frozen=True, kw_only=True)
class PaginatedQueryEndpoint(Generic[TItem, TParams]):
    """The declaration of a list. Made by :func:`paginated_query_endpoint`, inside a `QueryGroup`.

    :param item: type of a row.
    :param params: TypedDict of the parameters; None for none.
    :param unique_by: field that tells rows apart; False keeps duplicates.
    """

    item: type[TItem]
    params: type[TParams] | None
    url: Url[Any]
    unique_by: str | Literal[False]
    stale_time_s: float
    cache: bool
    stale_while_revalidate: bool

    def __get__(self, instance: object, owner: type[object]) -> PaginatedQueryHook[TItem, TParams]:
        """For type checkers: in a group, the attribute is the hook."""
        raise UsageError(f"{owner.__qualname__} should derive from QueryGroup for its endpoints to become hooks")

    def hook(self, *, key: str, hook_name: str) -> PaginatedQueryHook[TItem, TParams]:
        """The hook under a qualified key."""
        return PaginatedQueryHook(
            key=key,
            hook_name=hook_name,
            item=self.item,
            params=self.params,
            url=self.url,
            unique_by=self.unique_by,
            stale_time_s=self.stale_time_s,
            cache=self.cache,
            stale_while_revalidate=self.stale_while_revalidate,
        )


@dataclass(frozen=True, kw_only=True)
class PaginatedQueryHook(Generic[TItem, TParams]):
    """`use_<name>_query` of a list: reads its pages through the cache.

    :param key: qualified endpoint key, such as `energy.get_clients`.
    :param hook_name: dotted name under which it is imported.
    """

    key: str
    hook_name: str
    item: type[TItem]
    params: type[TParams] | None
    url: Url[Any]
    unique_by: str | Literal[False]
    stale_time_s: float
    cache: bool
    stale_while_revalidate: bool

    @property
    def is_list(self) -> bool:
        """Whether it reads a paginated list."""
        return True

    @property
    def path_shape(self) -> str:
        """Address with the parameters' names in braces."""
        return shape(self.url)

    @property
    def declared_types(self) -> dict[str, object]:
        """Role to declared type."""
        return {"item": self.item, "params": self.params}

    def query_key(self, params: TParams | None = None) -> QueryKey:
        """The query key for these parameters.

        :raises UsageError: they do not fit the declaration, or name the cursor.
        """
        given = checked_params(given=params, declared=self.params, endpoint=self.key)
        if CURSOR_PARAM in given:
            raise UsageError(f"{self.key}: give the cursor beside the params, as cursor=…")
        return query_key(endpoint=self.key, params=given, paginated=True)

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
        :param cursor: where to begin, in the server's words; with `pages=1` just that page.
        :raises UsageError: the parameters do not fit the declaration.
        :raises SignInEndedError: the sign-in is over.
        """
        result = client_of(request).paginated(self._query(params), pages=pages, cursor=cursor)
        return cast("PaginatedResult[TItem]", result)

    def invalidate(
        self,
        request: HttpRequest | QueryClient,
        *misplaced: Never,
        params: TParams | None = None,
        matching: Mapping[str, Any] | None = None,
    ) -> None:
        """Make variants of the list stale for this user, in all processes: the next read of each fetches.

        :param params: the one variant with exactly these parameters; without `params` and `matching` all of them.
        :param matching: all variants that have these parameters among theirs.
        """
        if misplaced:
            raise UsageError(f"{self.key}: give params=… for one query, or matching=… for all with them, by name")
        exact = None if params is None else self.query_key(params).params
        client_of(request).invalidate(self.key, params=exact, matching=matching)

    def prefetch(self, request: HttpRequest | QueryClient, params: TParams | None = None, *, pages: int = 1) -> None:
        """Have its first pages in the cache for a later read; a failure is left for that read to meet."""
        client_of(request).prefetch(self._query(params), pages=pages)

    def spec(
        self, params: TParams | None = None, *, pages: int = 1, cursor: str | None = None
    ) -> QuerySpec[PaginatedResult[TItem]]:
        """The same call, for `use_queries` to run beside others.

        :raises UsageError: the parameters do not fit the declaration.
        """
        return QuerySpec(query=self._query(params), pages=pages, cursor=cursor)

    def _query(self, params: TParams | None) -> ListRequest:
        return ListRequest(
            key=self.query_key(params),
            url=self.url,
            stale_time_s=self.stale_time_s,
            cache=self.cache,
            stale_while_revalidate=self.stale_while_revalidate,
            unique_by=self.unique_by,
        )


@overload
def paginated_query_endpoint(
    *,
    item: type[TItem],
    url: str,
    unique_by: str | Literal[False] = ...,
    stale_time_s: float = ...,
    cache: bool = ...,
    stale_while_revalidate: bool = ...,
) -> PaginatedQueryEndpoint[TItem, None]: ...
@overload
def paginated_query_endpoint(
    *,
    item: type[TItem],
    params: type[TParams],
    url: Url[TParams],
    unique_by: str | Literal[False] = ...,
    stale_time_s: float = ...,
    cache: bool = ...,
    stale_while_revalidate: bool = ...,
) -> PaginatedQueryEndpoint[TItem, TParams]: ...
def paginated_query_endpoint(
    *,
    item: type[Any],
    url: Url[Any],
    params: type[Any] | None = None,
    unique_by: str | Literal[False] = ID_FIELD,
    stale_time_s: float = STALE_TIME_S,
    cache: bool = True,
    stale_while_revalidate: bool = True,
) -> PaginatedQueryEndpoint[Any, Any]:
    """Declare a cursor-paginated list; the API must answer with `TPaginatedRes` (requirements, "Paginated result").

    :param item: type of a row.
    :param params: TypedDict of the parameters, without cursor and limit.
    :param url: path below the backend's address, or a function of the parameters that gives one.
    :param unique_by: field that tells rows apart when pages are merged, the first occurrence wins; False keeps
        duplicates.
    :param stale_time_s: seconds for which a page counts as fresh.
    :param cache: False for an answer that is about the token that asks, such as a list that marks "this browser". All
        other answers are shared by all of a user's tokens; this one only its own request sees: it is not cached, no
        other request's fetch is waited for, and when a fetch fails there are no older data.
    :param stale_while_revalidate: False for what must not be shown past its stale time before the backend was asked. By
        default such an answer is shown as it is known, up to 15 minutes old, and fetched anew behind the request.
    :raises UsageError: the url is no path, the stale time none, or `unique_by` no field's name.
    """
    check_url(url, endpoint="paginated_query_endpoint")
    check_stale_time(stale_time_s, endpoint="paginated_query_endpoint")
    _check_unique_by(unique_by)
    return PaginatedQueryEndpoint(
        item=item,
        params=params,
        url=url,
        unique_by=unique_by,
        stale_time_s=stale_time_s,
        cache=cache,
        stale_while_revalidate=stale_while_revalidate,
    )


def _check_unique_by(name: object) -> None:
    if name is not False and not (isinstance(name, str) and name):
        raise UsageError("paginated_query_endpoint: unique_by should be a field's name, or False")
