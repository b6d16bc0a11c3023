"""One call as a value: what a hook hands to the client. Each value knows its address."""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, Any, Final, Generic, Literal, TypeVar

from portal.config.contract_names import CURSOR_PARAM, ID_FIELD, LIMIT_PARAM, SEARCH_PARAM, SORT_PARAM
from portal.config.limits import STALE_TIME_S, VAR_DEFAULT_PAGE_SIZE
from portal.query.endpoints.urls import Url, address
from portal.rows import replace_surrogates

if TYPE_CHECKING:
    from collections.abc import Mapping

    from portal.query.endpoints.effects import Effect, Invalidation, ListHelper, SetAnswer, Variables
    from portal.query.endpoints.mutations import Method
    from portal.query.endpoints.params import RowFilter
    from portal.query.endpoints.urls import Address, QueryKey
    from portal.rows import Decoder

TResult = TypeVar("TResult")

#: Parameters of every list: the portal's name, and the backend's.
_LIST_PARAMS: Final = {"q": SEARCH_PARAM, "sort": SORT_PARAM}


@dataclass(frozen=True, slots=True, kw_only=True)
class ReadRequest:
    """A one-shot read of one endpoint with its parameters.

    :param stale_time_s: seconds for which a response counts as fresh.
    :param cache: whether the response is cached for all tokens of the user; else only this request keeps it.
    :param stale_while_revalidate: whether a stale response is shown, and fetched again behind the request.
    :param decode: makes of the response's JSON, of a list: of its rows, what the hook returns; None for JSON itself.
    :param without: what a page does without this call; empty for a call that every backend must have.
    :param id_field: the wire's name of what tells rows apart.
    """

    key: QueryKey
    url: Url[Any]
    stale_time_s: float = STALE_TIME_S
    cache: bool = True
    stale_while_revalidate: bool = True
    decode: Decoder | None = None
    without: str = ""
    id_field: str = ID_FIELD

    @property
    def name(self) -> str:
        """The endpoint's key."""
        return self.key.endpoint

    @property
    def writes(self) -> bool:
        """Whether it changes something."""
        return False

    def address(self) -> Address:
        """The address to read.

        :raises ApiNotFoundError: a path parameter cannot be part of a path.
        """
        where = address(url=self.url, params=self.key.params, endpoint=self.key.endpoint)
        return where if self.id_field == ID_FIELD else replace(where, id_field=self.id_field)


@dataclass(frozen=True, slots=True, kw_only=True)
class ListRequest(ReadRequest):
    """A read of a list.

    :param unique_by: field that tells rows apart; False keeps duplicates.
    :param filters: of each parameter that filters, what it is held against.
    """

    unique_by: str | Literal[False]
    filters: Mapping[str, RowFilter] = field(default_factory=dict)

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
    """A hook's call that has not run, for `use_queries`. A hook's `spec(…)` makes it.

    :param pages: how many pages of a list.
    :param cursor: where to begin in a list; None for its start.
    """

    query: ReadRequest
    pages: int = 1
    cursor: str | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class WriteRequest:
    """One write, with what it changes in cached queries.

    :param endpoint: qualified key of the mutation endpoint.
    :param has_body: whether `variables.body` is sent.
    :param decode: makes of the response's JSON what the hook returns; None for the JSON itself.
    :param without: what a page does without this call; empty for a call that every backend must have.
    :param idempotency_key: the same in every request that sends this write; None for a new one in each run.
    :param if_match: the version of the row that it changes; None for any.
    :param id_field: the wire's name of what tells rows apart.
    """

    endpoint: str
    method: Method
    url: Url[Any]
    variables: Variables
    has_body: bool
    helpers: tuple[ListHelper, ...] = ()
    answers: tuple[SetAnswer, ...] = ()
    invalidations: tuple[Invalidation, ...] = ()
    invalidated_tags: tuple[str, ...] = ()
    params: Mapping[str, Any] = field(default_factory=dict)
    idempotency_key: str | None = None
    if_match: int | str | None = None
    decode: Decoder | None = None
    without: str = ""
    id_field: str = ID_FIELD

    @property
    def name(self) -> str:
        """The endpoint's key."""
        return self.endpoint

    @property
    def writes(self) -> bool:
        """Whether it changes something."""
        return True

    @property
    def targets(self) -> tuple[str, ...]:
        """Keys of the endpoints whose cached queries it changes, each once; without those that only tags name."""
        effects: tuple[Effect, ...] = (*self.helpers, *self.answers, *self.invalidations)
        return tuple(dict.fromkeys(effect.target for effect in effects))

    def address(self) -> Address:
        """The address to write to.

        :raises ApiNotFoundError: a path parameter cannot be part of a path.
        """
        return address(url=self.url, params=self.params, endpoint=self.endpoint)
