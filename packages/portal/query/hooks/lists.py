"""Cursor-paginated reads: `paginatedQueryEndpoint` (requirements, "Client-side hook generators")."""

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from types import MappingProxyType
from typing import Any, Generic, Literal, ParamSpec, TypeVar, Unpack, cast, overload

from portal.config.contract_names import ID_FIELD
from portal.config.limits import WALK_PAGE_ROWS
from portal.query.client import client_of
from portal.query.endpoints import DeclaredList, ListRequest, QueryKey, QuerySpec, ReadOptions, Url
from portal.query.hooks.queries import AllParams, ReadHook, Requester
from portal.query.reads import WalkedPage
from portal.query.results import PaginatedResult
from portal.rows import OF_THE_CALL, Decoder, ListParams, id_field, rows_decoder_of

TItem = TypeVar("TItem")
P = ParamSpec("P")


@dataclass(kw_only=True, eq=False)
class PaginatedQueryHook(ReadHook, DeclaredList[TItem, Any], Generic[TItem, P]):
    """`use_<name>_query` of a list: reads its pages through the cache. Made by :func:`paginated_query_endpoint`."""

    @overload
    def __call__(self, request: Requester, /, *args: P.args, **named: P.kwargs) -> PaginatedResult[TItem]: ...
    @overload
    def __call__(
        self, request: Requester, /, params: AllParams | None = None, *, pages: int = 1, cursor: str | None = None
    ) -> PaginatedResult[TItem]: ...
    def __call__(self, request: Requester, /, *args: Any, **named: Any) -> PaginatedResult[TItem]:
        """Read the first `pages` pages: from the cache while fresh, else from the backend.

        ::

            ClientQueries.use_get_clients_query(request, q="oslo", pages=2)

        :param request: whose data: the request, or a command's `QueryClient`.
        :param named: the parameters, by name; or all of them as `params`: a mapping by the names on the wire, or an
            object of the declared class.
        :param cursor: where to begin, as the server named it; with `pages=1` just that page.
        :raises UsageError: the parameters do not fit the declaration.
        :raises SignInEndedError: the sign-in is over.
        """
        return client_of(request).run(self._spec(args, named))

    #: Fetches the pages into the cache for a later read. A failure is reported by that read.
    prefetch = __call__

    @overload
    def spec(self, *args: P.args, **named: P.kwargs) -> QuerySpec[PaginatedResult[TItem]]: ...
    @overload
    def spec(
        self, params: AllParams | None = None, *, pages: int = 1, cursor: str | None = None
    ) -> QuerySpec[PaginatedResult[TItem]]: ...
    def spec(self, *args: Any, **named: Any) -> QuerySpec[PaginatedResult[TItem]]:
        """The same call, for `use_queries` to run at the same time as others.

        :raises UsageError: the parameters do not fit the declaration.
        """
        return self._spec(args, named)

    @overload
    def walk(self, request: Requester, /, *args: P.args, **named: P.kwargs) -> Iterator[WalkedPage[TItem]]: ...
    @overload
    def walk(self, request: Requester, /, params: AllParams | None = None) -> Iterator[WalkedPage[TItem]]: ...
    def walk(self, request: Requester, /, *args: Any, **named: Any) -> Iterator[WalkedPage[TItem]]:
        """Read the whole list from its beginning, page by page, for a file.

        Nothing is cached, and of all rows only one page is in memory. Each page is a call with 10 s of its own, made
        when the page is asked for: so a walk may take longer than a request, and goes on after its response has begun.

        :raises UsageError: the parameters do not fit the declaration.
        :raises SignInEndedError: by the iterator: the sign-in is over.
        :raises ApiError: by the iterator: a page can't be read.
        """
        query = self._spec(args, named).query
        return client_of(request).walk(cast("ListRequest", query), page_rows=WALK_PAGE_ROWS)

    def _spec(self, args: Sequence[Any], named: Mapping[str, Any]) -> QuerySpec[PaginatedResult[TItem]]:
        given = args[0] if args else named.get("params")
        if isinstance(given, ListParams):
            named = {"pages": given.pages, "cursor": given.cursor, **named}
        params = {name: value for name, value in named.items() if name not in OF_THE_CALL} if named else named
        return QuerySpec(query=self._request(args, params), pages=named.get("pages", 1), cursor=named.get("cursor"))

    def _made_request(self, key: QueryKey) -> ListRequest:
        return ListRequest(hook=self, key=key, decode=self._decode, id_field=id_field(self.item))

    @cached_property
    def _decode(self) -> Decoder | None:
        return rows_decoder_of(self.item)


class ListOptions(ReadOptions, total=False):
    """What every list may declare: :func:`paginated_query_endpoint`."""

    unique_by: str | Literal[False]
    filter_fields: Mapping[str, str | None]


@overload
def paginated_query_endpoint(
    *, item: type[TItem], url: str, **options: Unpack[ListOptions]
) -> PaginatedQueryHook[TItem, []]: ...
@overload
def paginated_query_endpoint(
    *, item: type[TItem], params: Callable[P, object], url: Url[Any], **options: Unpack[ListOptions]
) -> PaginatedQueryHook[TItem, P]: ...
def paginated_query_endpoint(
    *,
    item: type[Any],
    url: Url[Any],
    params: Any = None,
    unique_by: str | Literal[False] = ID_FIELD,
    filter_fields: Mapping[str, str | None] = MappingProxyType({}),
    **options: Unpack[ReadOptions],
) -> PaginatedQueryHook[Any, Any]:
    """Declare a cursor-paginated list, as an attribute of a `QueryGroup`.

    The backend responds with `TPaginatedRes` (requirements, "Paginated result").

    :param item: type of a row: a :class:`~portal.rows.records.Row` is decoded; with any other type, such as a
        TypedDict, rows are JSON objects as they came.
    :param params: class of the parameters, :class:`~portal.rows.parameters.ListParams`: its fields are the hook's
        keywords.
    :param url: as of :func:`~portal.query.hooks.queries.query_endpoint`; so are the options.
    :param unique_by: field that tells rows apart when pages are merged, the first occurrence wins; False keeps
        duplicates. `id` is what the rows' class calls so, whatever its name on the wire.
    :param filter_fields: the field of a row that a parameter is held against, both by their names on the wire. Without
        it, the field of the parameter's own name, and `createdAt` for `createdAtFrom` and `createdAtTo`. None for a
        parameter that no row can contradict. A row that contradicts is not shown.
    :raises UsageError: the url is not a path, the stale time is not a number of seconds, `unique_by` is not the name of
        a field, or a parameter is held against no field.
    """
    unique_by = id_field(item) if unique_by == ID_FIELD else unique_by
    return PaginatedQueryHook(
        item=item, url=url, params=params, unique_by=unique_by, filter_fields=filter_fields, **options
    )
