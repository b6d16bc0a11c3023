"""`QueryClient`: one user's reads and writes during one request (requirements, `createQueryClient`)."""

from __future__ import annotations

import logging
import time
from typing import TYPE_CHECKING, Any

from django.http import HttpRequest

from portal.errors import ApiError, UsageError, without_traceback
from portal.query.calls import BackendCaller, Retries
from portal.query.endpoints import REGISTRY, ListRequest, QuerySpec, ReadRequest, Registry, WriteRequest
from portal.query.events import EventLog
from portal.query.offered_calls import check_offered
from portal.query.process_state import QueryRuntime, process_runtime, runtime_for
from portal.query.reads import PageFetcher, Reads, WalkedPage, walk_list
from portal.query.request_cache import RequestCache
from portal.query.request_partition import RequestPartition
from portal.query.results import (
    MutationResult,
    PaginatedResult,
    QueryResult,
    list_data,
    response_data,
    walked_pages,
)
from portal.query.writes import Writes
from portal.rows import decoder_of
from portal.telemetry import tracing

if TYPE_CHECKING:
    from collections.abc import Callable, Collection, Iterator, Mapping, Sequence

    from portal.api import ApiSession, TokenStore
    from portal.process import Deadline
    from portal.query.cache import ReadResult
    from portal.query.events import MutationEvent, QueryEvent
    from portal.query.partition import Partition
    from portal.store import SharedStore

logger = logging.getLogger("portal.query")


class QueryClient:
    """Cached reads and writes of one user. Made by :func:`create_query_client`; the threads of a request may share it.

    Hooks call it. Views and commands themselves call :meth:`purge` only.

    :ivar reads: its reads, below the hooks.
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
        self._log, self._warned, self._clock = EventLog(clock), runtime.warned, clock
        self._caller, request_cache = caller, RequestCache(clock=clock)
        self._partition = RequestPartition(namespaces=runtime.namespaces, caller=caller, request_cache=request_cache)
        fetcher = PageFetcher(
            caller=caller,
            partition=self._partition,
            cache=runtime.cache,
            warned=runtime.warned,
            single_flight=runtime.single_flight,
            registry=registry,
            clock=clock,
        )
        self.reads = Reads(
            fetcher=fetcher,
            request_cache=request_cache,
            revalidations=runtime.revalidations,
            pool=runtime.fetch_pool,
            patience_s=runtime.patience_s,
            reload=reload,
        )
        self._writes = Writes(reads=self.reads, request_cache=request_cache)

    def query(self, request: ReadRequest, *, force: bool = False) -> QueryResult[Any]:
        """Run a one-shot query.

        :raises SignInEndedError: the sign-in is over.
        """
        call: QuerySpec[Any] = QuerySpec(query=request, force=force)
        return self._one_shot(call, self._read(call))

    def paginated(
        self,
        request: ListRequest,
        *,
        pages: int = 1,
        cursor: str | None = None,
        force: bool = False,
        again: bool = False,
    ) -> PaginatedResult[Any]:
        """Read pages of a list, from `cursor` on.

        :param again: try once more what has failed in this request.
        :raises UsageError: `pages` is not a number from 1 to 50, or `cursor` is not a text.
        :raises SignInEndedError: the sign-in is over.
        """
        call: QuerySpec[Any] = QuerySpec(query=request, cursor=cursor, pages=pages, force=force, again=again)
        return self._paginated(request, call, self._read(call))

    def walk(self, request: ListRequest, *, page_rows: int) -> Iterator[WalkedPage[Any]]:
        """Read a whole list past the cache, page by page: :func:`~portal.query.reads.walks.walk_list`."""
        check_offered(request)
        rows = walk_list(request, caller=self._caller, page_rows=page_rows)
        return walked_pages(rows, request, warned=self._warned)

    def queries(self, specs: Sequence[QuerySpec[Any]]) -> list[Any]:
        """Run queries at the same time; gives their results in the same order. Raises as :meth:`paginated`."""
        began = time.perf_counter()
        with tracing.span("queries", str(len(specs))) as span, self._partition.purged_if_ended():
            results = self.reads.read_all(specs)
            for spec, result in zip(specs, results, strict=True):
                status = self._log.add_read(spec, result, began=began)
                span.part("query", spec.query.key.endpoint, outcome=status)
        return [
            self._paginated(spec.query, spec, result)
            if isinstance(spec.query, ListRequest)
            else self._one_shot(spec, result)
            for spec, result in zip(specs, results, strict=True)
        ]

    def start(self, spec: QuerySpec[QueryResult[Any]]) -> QueryResult[Any] | bool:
        """Begin to fetch what a one-shot query needs, while the request goes on. The hook will wait for it.

        :returns: the result, if it needs no fetch; else whether a fetch is under way: not if the access token is not
            bound.
        :raises SignInEndedError: the sign-in is over.
        """
        began = time.perf_counter()
        with tracing.span("query", spec.query.key.endpoint) as span, self._partition.purged_if_ended():
            started = self.reads.start(spec)
            if isinstance(started, bool):
                span.set(tracing.OUTCOME, "started")
                return started
            span.set(tracing.OUTCOME, self._log.add_read(spec, started, began=began))
        return self._one_shot(spec, started)

    def mutate(
        self,
        write: WriteRequest,
        *,
        on_success: Callable[[Any], object] | None = None,
        on_error: Callable[[ApiError], object] | None = None,
    ) -> MutationResult[Any]:
        """Run a write. Cached lists show it before `on_success` is called.

        :raises SignInEndedError: the sign-in is over.
        """
        # Before the write: what can't be decoded must not be found out after it.
        decode, began = decoder_of(write.hook.data), time.perf_counter()
        try:
            with tracing.span("mutation", write.endpoint), self._partition.purged_if_ended():
                data = self._writes.run(write)
        except ApiError as error:
            self._log.add_write(write, error, began=began)
            if on_error is not None:
                on_error(error)
            return MutationResult(data=None, error=without_traceback(error))
        self._log.add_write(write, None, began=began)
        data, _ = response_data(data, decode)
        if on_success is not None:
            on_success(data)
        return MutationResult(data=data, error=None)

    def invalidate(
        self, endpoint: str, *, params: Mapping[str, Any] | None = None, matching: Mapping[str, Any] | None = None
    ) -> None:
        """Make cached queries stale, in all processes: the next read of each fetches.

        :param endpoint: qualified endpoint key. A hook's own `invalidate` gives it, and checks the parameters.
        :param params: the one query with exactly these parameters; `{}` for the one without any.
        :param matching: all queries that have these parameters among theirs. If the endpoint does not declare one of
            them, all of its queries, with a warning.
        :raises UsageError: both are given, or an address can't carry a value.
        :raises SignInEndedError: the sign-in is over.
        """
        try:
            with self._partition.purged_if_ended():
                self._writes.invalidate(endpoint, params=params, matching=matching)
        except ApiError as error:
            # Without a usable token nothing can be read either.
            logger.warning("%s: not invalidated: %s", endpoint, error)

    @property
    def events(self) -> list[QueryEvent]:
        """The latest queries, in order."""
        return list(self._log.queries)

    @property
    def mutations(self) -> list[MutationEvent]:
        """The latest mutations, in order."""
        return list(self._log.mutations)

    @property
    def partition(self) -> Partition | None:
        """The partition of the request's access token, if it is bound and has not expired; nothing is asked for."""
        return self._partition.known

    @property
    def is_bound(self) -> bool:
        """Whether the request's access token is bound: the backend once said whose it is."""
        return self._partition.is_bound

    def purge(self, *, also: Collection[str | None] = ()) -> None:
        """Drop all that is cached for this user, in all processes at once: above all at sign-out.

        :param also: further access tokens of the same sign-in.
        """
        self._partition.purge(also=also)

    def purge_user(self, user_id: str) -> None:
        """Drop all that is cached for the user with this id: what that user may see has changed."""
        self._partition.purge_user(user_id)

    def _read(self, call: QuerySpec[Any]) -> ReadResult:
        began = time.perf_counter()
        with tracing.span("query", call.query.key.endpoint) as span, self._partition.purged_if_ended():
            result = self.reads.read(call)
            span.set(tracing.OUTCOME, self._log.add_read(call, result, began=began))
        return result

    def _one_shot(self, call: QuerySpec[Any], result: ReadResult) -> QueryResult[Any]:
        page = result.pages[0].page if result.pages else None
        data, error = response_data(page.body, call.query.decode) if page else (None, None)
        if error is not None and result.error is None and not result.fetched and not call.force:
            # Cached, and not what is declared: another release declares something else. It counts as missing.
            return self.query(call.query, force=True)
        return QueryResult(
            data=data,
            error=result.error or error,
            fetched_at=result.fetched_at,
            is_stale=result.is_stale,
            version=_version(call.query, result) if error is None else None,
            _refetch=lambda: self.query(call.query, force=True),
        )

    def _paginated(self, request: ListRequest, call: QuerySpec[Any], result: ReadResult) -> PaginatedResult[Any]:
        pages = len(result.pages)
        return PaginatedResult(
            _data=lambda: list_data(result.pages, request, is_from_start=call.cursor is None, warned=self._warned),
            error=result.error,
            fetched_at=result.fetched_at,
            is_stale=result.is_stale,
            version=_version(request, result),
            pages=pages,
            _refetch=lambda: self.paginated(request, pages=call.pages, cursor=call.cursor, force=True),
            _fetch_next=lambda: self.paginated(request, pages=pages + 1, cursor=call.cursor, again=True),
        )


def _version(request: ReadRequest, result: ReadResult) -> tuple[object, ...] | None:
    """What names the data: as the query was asked for, since rows that contradict it are left out of what came."""
    version = result.version
    return None if version is None else (request.key.digest, *version)


def create_query_client(
    *,
    tokens: TokenStore,
    api: ApiSession,
    store: SharedStore | None = None,
    deadline: Deadline | None = None,
    request_id: str | None = None,
    user_agent: str | None = None,
    client_address: str | None = None,
    runtime: QueryRuntime | None = None,
    retries: Retries | None = None,
    clock: Callable[[], float] = time.time,
    registry: Registry = REGISTRY,
    reload: bool = False,
) -> QueryClient:
    """Make the client of one request, or of one command.

    :param tokens: the user's tokens, because data always belongs to someone.
    :param store: where responses are cached; by default the configured store.
    :param deadline: the time of all its calls together. A command gives none: each call has 10 s, with further tries.
    :param request_id: sent with each call; so are the browser's `user_agent` and its IP address, `client_address`.
    :param runtime: what the requests of a process share on a store; by default the process's own.
    :param clock: seconds since the epoch.
    :param reload: whether the user reloads a page: the first read of each query asks the backend in any case.
    """
    if runtime is None:
        runtime = process_runtime() if store is None else runtime_for(store)
    caller = BackendCaller(
        api=api,
        tokens=tokens,
        limit=deadline,
        request_id=request_id,
        user_agent=user_agent,
        client_address=client_address,
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
