"""`QueryClient`: one user's reads and writes, for the length of one request (contract, section 1).

It keeps no state of its own between requests: the cache is the store's, shared by all processes.
"""

from __future__ import annotations

import logging
import time
from typing import TYPE_CHECKING, Any, Final

from django.http import HttpRequest

from portal.errors import ApiError, UsageError
from portal.query.backend_calls import BackendCaller
from portal.query.cache.merged_pages import Outcome, copied, copied_rows
from portal.query.cache.page_cache import MAX_PAGES
from portal.query.cache.pages import unique_rows
from portal.query.cache.patches import Outdated
from portal.query.cache.row_matcher import judge_of
from portal.query.endpoints import REGISTRY, ListRequest, QuerySpec, ReadRequest, Registry, WriteRequest, given_params
from portal.query.events import CacheStatus, QueryEvent
from portal.query.invalidation_targets import matching_queries
from portal.query.process_state import QueryRuntime, process_runtime, runtime_for
from portal.query.reads.cached_reads import Reads
from portal.query.reads.fetches import Ask
from portal.query.request_cache import RequestCache
from portal.query.request_partition import RequestPartition
from portal.query.results import MutationResult, PaginatedRes, PaginatedResult, QueryResult
from portal.query.retries import Retries
from portal.query.writes import Writes

if TYPE_CHECKING:
    from collections.abc import Callable, Collection, Mapping, Sequence

    from portal.api.session import ApiSession
    from portal.api.tokens import TokenStore
    from portal.process import Deadline
    from portal.query.request_cache import Remembered
    from portal.store import SharedStore

logger = logging.getLogger("portal.query")

#: Events that a client keeps: more than any page's; a command's client may live for hours.
MAX_EVENTS: Final = 256
#: Endpoints whose rows could not be told apart: each is named once per process.
_named: set[str] = set()


class QueryClient:
    """Cached reads and writes of one user. Made by :func:`create_query_client`; the threads of a request may share it.

    Hooks call it; what views and commands call themselves is :meth:`purge`.

    :ivar events: what each query came to, in order; the latest 256.
    """

    def __init__(
        self,
        *,
        caller: BackendCaller,
        runtime: QueryRuntime,
        clock: Callable[[], float],
        registry: Registry,
        reload: bool,
    ) -> None:
        self._memory = RequestCache(clock=clock)
        self._clock = clock
        self._registry = registry
        self._scopes = RequestPartition(namespaces=runtime.namespaces, caller=caller, forget=self._memory.clear)
        self._reads = Reads(
            caller=caller,
            scopes=self._scopes,
            cache=runtime.cache,
            flights=runtime.flights,
            beside=runtime.beside,
            revalidations=runtime.revalidations,
            memory=self._memory,
            judge_of=lambda endpoint: judge_of(endpoint, registry=registry),
            clock=clock,
            reload=reload,
        )
        self._writes = Writes(
            caller=caller,
            reads=self._reads,
            cache=runtime.cache,
            memory=self._memory,
            registry=registry,
            clock=clock,
        )
        self._started: set[tuple[str, str, str | None]] = set()
        self.events: list[QueryEvent] = []

    # --- what hooks call ---

    def query(self, query: ReadRequest, *, force: bool = False) -> QueryResult[Any]:
        """Run a one-shot query.

        :raises SignInEndedError: the sign-in is over.
        """
        [outcome] = self._observed([Ask(query=query, force=force)])
        return self._answered(query, outcome)

    def paginated(
        self,
        query: ListRequest,
        *,
        pages: int = 1,
        cursor: str | None = None,
        force: bool = False,
        again: bool = False,
    ) -> PaginatedResult[Any]:
        """Read pages of a list, from `cursor` on.

        :param again: try once more what has failed in this request.
        :raises UsageError: `pages` is no number from 1 to 50, or `cursor` no text.
        :raises SignInEndedError: the sign-in is over.
        """
        ask = Ask(query=query, start=cursor, count=pages, force=force, again=again)
        _check_pages(ask)
        [outcome] = self._observed([ask])
        return self._listed(query, ask, outcome)

    def queries(self, specs: Sequence[QuerySpec[Any]]) -> list[Any]:
        """Run queries side by side; gives their results in the same order.

        :raises UsageError: a list's `pages` is no number from 1 to 50, or its `cursor` no text.
        :raises SignInEndedError: the sign-in is over.
        """
        asks = [Ask(query=spec.query, start=spec.cursor, count=spec.pages) for spec in specs]
        for ask in asks:
            _check_pages(ask)
        return [
            self._listed(ask.query, ask, outcome)
            if isinstance(ask.query, ListRequest)
            else self._answered(ask.query, outcome)
            for ask, outcome in zip(asks, self._observed(asks), strict=True)
        ]

    def start(self, spec: QuerySpec[Any]) -> bool:
        """Begin to fetch what a query needs, while the request goes on; the hook will wait for it.

        :returns: whether a fetch is under way: not where none is needed, nor where it is unknown whose the token is.
        :raises SignInEndedError: the sign-in is over.
        """
        ask = Ask(query=spec.query, start=spec.cursor, count=spec.pages)
        _check_pages(ask)
        self._started.add(ask.name)
        return self._reads.start(ask)

    def mutate(
        self,
        write: WriteRequest,
        *,
        on_success: Callable[[Any], object] | None = None,
        on_error: Callable[[ApiError], object] | None = None,
    ) -> MutationResult[Any]:
        """Run a write; cached lists show it before `on_success` is called.

        :raises SignInEndedError: the sign-in is over.
        """
        try:
            data = self._writes.run(write)
        except ApiError as error:
            if on_error is not None:
                on_error(error)
            return MutationResult(data=None, error=error)
        if on_success is not None:
            on_success(data)
        return MutationResult(data=data, error=None)

    def invalidate(
        self, endpoint: str, *, params: Mapping[str, Any] | None = None, matching: Mapping[str, Any] | None = None
    ) -> None:
        """Make cached queries stale, in all processes: the next read of each fetches.

        :param endpoint: qualified endpoint key. A hook's own `invalidate` gives it, and checks the parameters.
        :param params: the one query with exactly these parameters; `{}` for the one without any.
        :param matching: all queries that have these parameters among theirs; with a name that the endpoint does not
            declare all of its queries, and a warning.
        :raises UsageError: both are given, or a value is none that an address can carry.
        """
        if params is not None and matching is not None:
            raise UsageError(f"{endpoint}: give params for one query, or matching for all with them, not both")
        if params is not None:
            outdated = Outdated(params=given_params(params, endpoint=endpoint))
        elif matching is not None:
            outdated = matching_queries(matching, endpoint=endpoint, by="matching", registry=self._registry)
        else:
            outdated = Outdated()
        try:
            self._writes.outdate(endpoint, outdated)
        except ApiError as error:
            # Without a usable token nothing can be read either.
            logger.warning("%s: not invalidated: %s", endpoint, error)

    def prefetch(self, query: ReadRequest, *, pages: int = 1) -> None:
        """Have a query in the cache for a later read; a failure is left for that read to meet."""
        if isinstance(query, ListRequest):
            self.paginated(query, pages=pages)
        else:
            self.query(query)

    @property
    def is_proven(self) -> bool:
        """Whether the backend once said whose the request's access token is."""
        return self._scopes.is_proven

    def purge(self, *, also: Collection[str | None] = ()) -> None:
        """Drop all that is cached for this user, in all processes at once: at sign-out, above all.

        :param also: further access tokens of the same sign-in.
        """
        self._scopes.purge(also=also)

    # --- inside ---

    def _answered(self, query: ReadRequest, outcome: Outcome) -> QueryResult[Any]:
        page = outcome.shown[0].page if outcome.shown else None
        return QueryResult(
            data=copied(page.body) if page else None,
            error=outcome.error,
            fetched_at=page.at if page else None,
            is_stale=outcome.stale,
            _refetch=lambda: self.query(query, force=True),
        )

    def _listed(self, query: ListRequest, ask: Ask, outcome: Outcome) -> PaginatedResult[Any]:
        return PaginatedResult(
            data=self._flattened(query, outcome),
            error=outcome.error,
            fetched_at=_oldest(outcome),
            is_stale=outcome.stale,
            pages=len(outcome.shown),
            _refetch=lambda: self.paginated(query, pages=ask.count, cursor=ask.start, force=True),
            _fetch_next=lambda: self.paginated(query, pages=len(outcome.shown) + 1, cursor=ask.start, again=True),
        )

    def _observed(self, asks: Sequence[Ask]) -> list[Outcome]:
        known = [None if ask.force or ask.name in self._started else self._remembered(ask) for ask in asks]
        self._started.difference_update(ask.name for ask in asks)
        began = time.perf_counter()
        outcomes = self._reads.read_all(asks)
        duration = time.perf_counter() - began
        for ask, outcome, before in zip(asks, outcomes, known, strict=True):
            remembered = before is not None and before.outcome.shown[: len(outcome.shown)] == outcome.shown
            self._observe(ask, outcome, status=_cache_status(outcome, remembered=remembered), duration_s=duration)
        return outcomes

    def _remembered(self, ask: Ask) -> Remembered | None:
        return self._memory.get(ask.query.key, start=ask.start)

    def _observe(self, ask: Ask, outcome: Outcome, *, status: CacheStatus, duration_s: float) -> None:
        key, oldest = ask.query.key, _oldest(outcome)
        self._note(
            QueryEvent(
                key=tuple(key.parts),
                endpoint=key.endpoint,
                start=ask.start,
                pages=len(outcome.shown),
                cache_status=status,
                duration_s=duration_s,
                age_s=None if oldest is None else self._clock() - oldest,
                patches=outcome.patches,
                error=type(outcome.error).__name__ if outcome.error else "",
            )
        )

    def _note(self, event: QueryEvent) -> None:
        self.events.append(event)
        del self.events[:-MAX_EVENTS]

    def _flattened(self, query: ListRequest, outcome: Outcome) -> PaginatedRes[Any]:
        rows, nameless = unique_rows([shown.rows for shown in outcome.shown], unique_by=query.unique_by)
        if nameless and query.key.endpoint not in _named:
            _named.add(query.key.endpoint)
            logger.warning(
                "%s: rows without %r can't be told apart and may come twice; give the endpoint unique_by=… with a"
                " field that every row has, or unique_by=False",
                query.key.endpoint,
                query.unique_by,
            )
        last = outcome.shown[-1].page if outcome.shown else None
        return PaginatedRes(
            items=tuple(copied_rows(rows)),
            has_next=last.has_next if last else False,
            next_cursor=last.next_cursor if last else None,
            raw_res=tuple(copied(shown.page.body) for shown in outcome.shown),
            total=outcome.shown[0].total if outcome.shown else None,
        )


def create_query_client(
    *,
    tokens: TokenStore,
    api: ApiSession,
    store: SharedStore | None = None,
    deadline: Deadline | None = None,
    request_id: str | None = None,
    user_agent: str | None = None,
    runtime: QueryRuntime | None = None,
    retries: Retries | None = None,
    clock: Callable[[], float] = time.time,
    registry: Registry = REGISTRY,
    reload: bool = False,
) -> QueryClient:
    """Make the client of one request, or of one command.

    :param tokens: the user's tokens: data always belongs to someone.
    :param store: where answers are cached; the configured store by default.
    :param deadline: the time budget of all its calls together, as a request has one. A command gives none: then each
        call has 10 s of its own, with its further tries.
    :param request_id: sent along with each call.
    :param user_agent: likewise; the browser's own.
    :param runtime: what the requests of a process share on a store; by default the process's own.
    :param clock: seconds since the epoch.
    :param reload: whether the user reloads a page: the first read of each query asks the backend before it answers,
        however fresh the cached answer is. What is known stays beside an error.
    """
    if runtime is None:
        runtime = process_runtime() if store is None else runtime_for(store)
    caller = BackendCaller(
        api=api,
        tokens=tokens,
        limit=deadline,
        request_id=request_id,
        user_agent=user_agent,
        retries=retries or Retries(),
    )
    return QueryClient(caller=caller, runtime=runtime, clock=clock, registry=registry, reload=reload)


def client_of(source: HttpRequest | QueryClient) -> QueryClient:
    """The client behind a hook's first argument.

    :raises UsageError: it is neither a request that passed `ApiAccessMiddleware` nor a client.
    """
    client = getattr(source, "query_client", None) if isinstance(source, HttpRequest) else source
    if not isinstance(client, QueryClient):
        raise UsageError(
            "a hook's first argument should be the request, with ApiAccessMiddleware in MIDDLEWARE, or a"
            " QueryClient: data always belongs to someone"
        )
    return client


def _check_pages(ask: Ask) -> None:
    endpoint = ask.query.key.endpoint
    # Whatever a team's code gives, whether a type checker has seen it or not.
    pages: object = ask.count
    cursor: object = ask.start
    if not isinstance(pages, int) or isinstance(pages, bool) or not 1 <= pages <= MAX_PAGES:
        raise UsageError(
            f"{endpoint}: pages should be from 1 to {MAX_PAGES}, a whole number, not {pages!r}; to go on from there,"
            " give cursor=result.data.next_cursor"
        )
    if cursor is not None and not isinstance(cursor, str):
        raise UsageError(f"{endpoint}: cursor should be a text such as result.data.next_cursor, not {cursor!r}")


def _oldest(outcome: Outcome) -> float | None:
    """When its oldest page was asked for."""
    return min((shown.page.at for shown in outcome.shown), default=None)


def _cache_status(outcome: Outcome, *, remembered: bool) -> CacheStatus:
    if outcome.error is not None:
        return "stale" if outcome.shown else "error"
    if remembered:
        return "memoized"
    if not outcome.fetched:
        return "stale" if outcome.stale else "hit"
    return "miss" if outcome.fetched >= len(outcome.shown) else "partial"
