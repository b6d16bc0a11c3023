"""One call as a value: what a hook hands to the client. Each value knows its address."""

from dataclasses import dataclass, field, replace
from typing import Any, Final, Generic, TypeVar

from portal.config.contract_names import CURSOR_PARAM, ID_FIELD, LIMIT_PARAM, SEARCH_PARAM, SORT_PARAM
from portal.config.limits import MAX_PAGES, VAR_DEFAULT_PAGE_SIZE
from portal.errors import UsageError
from portal.query.endpoints.declarations import DeclaredList, DeclaredQuery
from portal.query.endpoints.effects import Effect, Invalidation, Variables
from portal.query.endpoints.mutations import DeclaredMutation
from portal.query.endpoints.urls import Address, QueryKey, address
from portal.rows import Decoder, replace_surrogates

TResult = TypeVar("TResult")

#: Parameters of every list: the portal's name, and the backend's.
_LIST_PARAMS: Final = {"q": SEARCH_PARAM, "sort": SORT_PARAM}


@dataclass(frozen=True, slots=True, kw_only=True)
class ReadRequest:
    """A one-shot read of one endpoint with its parameters.

    :param hook: what is declared of it.
    :param decode: makes of the response's JSON, of a list: of its rows, what the hook returns; None for JSON itself.
    :param id_field: the wire's name of what tells rows apart.
    """

    hook: DeclaredQuery[Any]
    key: QueryKey
    decode: Decoder | None = None
    id_field: str = ID_FIELD

    @property
    def endpoint(self) -> str:
        """The endpoint's key."""
        return self.key.endpoint

    def address(self) -> Address:
        """The address to read.

        :raises ApiNotFoundError: a path parameter cannot be part of a path.
        """
        hook, params = self.hook, self.key.params
        where = address(url=hook.url, params=params, endpoint=self.endpoint, several=hook.several)
        return where if self.id_field == ID_FIELD else replace(where, id_field=self.id_field)


@dataclass(frozen=True, slots=True, kw_only=True)
class ListRequest(ReadRequest):
    """A read of a list."""

    hook: DeclaredList[Any, Any]

    @property
    def filtered_by(self) -> list[str]:
        """The parameters of the read that its path does not take: filters, search and order."""
        return [param for param in self.key.params if param not in self.hook.in_path]

    def page_address(self, *, cursor: str | None, rows: int = VAR_DEFAULT_PAGE_SIZE) -> Address:
        """The address of the page that begins at `cursor`; None for the first page.

        :param rows: of the page.
        """
        base = self.address()
        asked = {_LIST_PARAMS.get(name, name): value for name, value in base.query.items()}
        query = {LIMIT_PARAM: str(rows), **asked}
        if cursor is not None:
            query[CURSOR_PARAM] = replace_surrogates(cursor)
        return replace(base, query=query, is_list=True)


@dataclass(frozen=True, slots=True, kw_only=True)
class QuerySpec(Generic[TResult]):
    """What one call of a query's hook asks for. A hook's `spec(…)` makes it for `use_queries`, and does not run it.

    :param pages: how many pages of a list; 1 for a one-shot query.
    :param cursor: where to begin in a list; None for its start.
    :param force: ask the backend for every page, however fresh the cached one is.
    :param again: try once more what has failed in this request.
    :ivar name: equal for calls that read the same, whatever the number of pages.
    :raises UsageError: `pages` is not a number from 1 to 50, or `cursor` is not a text.
    """

    query: ReadRequest
    pages: int = 1
    cursor: str | None = None
    force: bool = False
    again: bool = False
    name: tuple[str, str, str | None] = field(init=False, compare=False, repr=False)

    def __post_init__(self) -> None:
        """Check what a team's code gives: a type checker may not have seen it."""
        endpoint = self.query.key.endpoint
        pages: object = self.pages
        cursor: object = self.cursor
        if not isinstance(pages, int) or isinstance(pages, bool) or not 1 <= pages <= MAX_PAGES:
            raise UsageError(
                f"{endpoint}: pages should be from 1 to {MAX_PAGES}, a whole number, not {pages!r}; to go on from"
                " there, give cursor=result.data.next_cursor"
            )
        if cursor is not None and not isinstance(cursor, str):
            raise UsageError(f"{endpoint}: cursor should be a text such as result.data.next_cursor, not {cursor!r}")
        object.__setattr__(self, "name", (endpoint, self.query.key.digest, self.cursor))


@dataclass(frozen=True, slots=True, kw_only=True)
class WriteRequest:
    """One write, with what it changes in cached queries.

    :param hook: what is declared of it.
    :param invalidations: those of the hook, with the queries that its tags name.
    :param idempotency_key: the same in every request that sends this write; None for a new one in each run.
    :param if_match: the version of the row that it changes; None for any.
    """

    hook: DeclaredMutation[Any, Any, Any]
    variables: Variables
    invalidations: tuple[Invalidation, ...] = ()
    idempotency_key: str | None = None
    if_match: int | str | None = None

    @property
    def endpoint(self) -> str:
        """The endpoint's key."""
        return self.hook.key

    @property
    def targets(self) -> tuple[str, ...]:
        """Keys of the endpoints whose cached queries it changes, each once; without those that only tags name."""
        effects: tuple[Effect, ...] = (*self.hook.helpers, *self.hook.answers, *self.invalidations)
        return tuple(dict.fromkeys(effect.target for effect in effects))

    def address(self) -> Address:
        """The address to write to.

        :raises ApiNotFoundError: a path parameter cannot be part of a path.
        """
        hook, params = self.hook, self.variables.params
        return address(url=hook.url, params=params, endpoint=self.endpoint, several=hook.several)
