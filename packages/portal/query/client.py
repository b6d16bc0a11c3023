"""`QueryClient`: one user's reads and writes during one request (requirements, `createQueryClient`)."""

import logging
import time
from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from dataclasses import replace
from typing import Any, Final, TypeVar, cast

from django.http import HttpRequest

from portal.api import ApiSession, TokenStore
from portal.errors import ApiError, UsageError, without_traceback
from portal.process import Deadline
from portal.query.cache import ReadResult
from portal.query.calls import BackendCaller, Retries
from portal.query.endpoints import REGISTRY, ListRequest, QuerySpec, Registry, WriteRequest
from portal.query.events import EventLog
from portal.query.offered_calls import check_offered
from portal.query.process_state import QueryRuntime, process_runtime
from portal.query.reads import PageFetcher, Reads, WalkedPage, walk_list
from portal.query.request_sign_in import RequestSignIn
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

logger = logging.getLogger("portal.query")

TResult = TypeVar("TResult")


class QueryClient:
    """Cached reads and writes of one user. Made by :func:`create_query_client`; the threads of a request may share it.

    Hooks call it for the views.

    :param tokens: the user's tokens, because data always belongs to someone.
    :param deadline: the time of all its calls together. A command gives none: each call has 10 s, with further tries.
    :param request_id: sent with each call; so are the browser's `user_agent` and its IP address, `client_address`.
    :param runtime: what the requests of a process share on a store; by default the process's own.
    :param clock: seconds since the epoch.
    :param reload: whether the user reloads a page: the first read of each query asks the backend in any case.
    :ivar reads: its reads, below the hooks.
    :ivar events: the latest queries, in order; `mutations` likewise.
    """

    def __init__(
        self,
        *,
        tokens: TokenStore,
        api: ApiSession,
        deadline: Deadline | None = None,
        request_id: str | None = None,
        user_agent: str | None = None,
        client_address: str | None = None,
        runtime: QueryRuntime | None = None,
        retries: Retries | None = None,
        clock: Callable[[], float] = time.time,
        registry: Registry = REGISTRY,
        reload: bool = False,
    ) -> None:
        self._caller = caller = BackendCaller(
            api=api,
            tokens=tokens,
            limit=deadline,
            request_id=request_id,
            user_agent=user_agent,
            client_address=client_address,
            retries=retries or Retries(),
        )
        runtime = runtime or process_runtime()
        self._log, self._warned = EventLog(clock), runtime.warned
        self.events, self.mutations = self._log.queries, self._log.mutations
        self._sign_in = RequestSignIn(caches=runtime.caches, caller=caller, clock=clock)
        fetcher = PageFetcher(runtime=runtime, caller=caller, sign_in=self._sign_in, registry=registry, clock=clock)
        self.reads = Reads(fetcher=fetcher, reload=reload)
        self._writes = Writes(reads=self.reads)

    def run(self, spec: QuerySpec[TResult]) -> TResult:
        """Run one query.

        :raises SignInEndedError: the sign-in is over.
        """
        began = time.perf_counter()
        with tracing.span("query", spec.query.key.endpoint) as span, self._sign_in.purged_if_ended():
            result = self.reads.read(spec)
            span.set(tracing.OUTCOME, self._log.add_read(spec, result, began=began))
        return cast("TResult", self._result(spec, result))

    def walk(self, request: ListRequest, *, page_rows: int) -> Iterator[WalkedPage[Any]]:
        """Read a whole list past the cache, page by page: :func:`~portal.query.reads.walks.walk_list`."""
        check_offered(request)
        rows = walk_list(request, caller=self._caller, page_rows=page_rows)
        return walked_pages(rows, request, warned=self._warned)

    def queries(self, specs: Sequence[QuerySpec[Any]]) -> list[Any]:
        """Run queries at the same time; return their results in the same order. Raises as :meth:`run`."""
        began = time.perf_counter()
        with tracing.span("queries", str(len(specs))) as span, self._sign_in.purged_if_ended():
            results = self.reads.read_all(specs)
            for spec, result in zip(specs, results, strict=True):
                status = self._log.add_read(spec, result, began=began)
                span.part("query", spec.query.key.endpoint, outcome=status)
        return [self._result(spec, result) for spec, result in zip(specs, results, strict=True)]

    def start(self, spec: QuerySpec[QueryResult[Any]]) -> QueryResult[Any] | bool:
        """Begin to fetch what a one-shot query needs, while the request goes on. The hook will wait for it.

        :returns: the result, if it needs no fetch; else whether a fetch is under way.
        :raises SignInEndedError: the sign-in is over.
        """
        began = time.perf_counter()
        with tracing.span("query", spec.query.key.endpoint) as span, self._sign_in.purged_if_ended():
            started = self.reads.start(spec)
            if isinstance(started, bool):
                span.set(tracing.OUTCOME, "started")
                return started
            span.set(tracing.OUTCOME, self._log.add_read(spec, started, began=began))
        return cast("QueryResult[Any]", self._result(spec, started))

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
            with tracing.span("mutation", write.endpoint), self._sign_in.purged_if_ended():
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
        :param matching: all queries that have these parameters among theirs.
        :raises UsageError: both are given, the endpoint has no such parameter, or an address can't carry a value.
        :raises SignInEndedError: the sign-in is over.
        """
        try:
            with self._sign_in.purged_if_ended():
                self._writes.invalidate(endpoint, params=params, matching=matching)
        except ApiError as error:
            # Without a usable token nothing can be read either.
            logger.warning("%s: not invalidated: %s", endpoint, error)

    def is_accepted(self) -> bool:
        """Return whether GET `/me` has accepted the request's access token within a day."""
        return self._sign_in.is_accepted()

    def check_one_user(self) -> None:
        """Refuse tokens of two users.

        :raises ApiUnauthorizedError: a refresh gave a token of another user than the one that the request began with.
        """
        self._sign_in.check_one_user()

    def purge(self, *, also: Collection[str | None] = ()) -> None:
        """Drop all that is cached for this sign-in, in all processes at once: above all at sign-out.

        :param also: further access tokens of the same sign-in.
        """
        self._sign_in.purge(also=also)

    def purge_user(self, subject: str | None = None) -> None:
        """Drop all that is cached for all sign-ins of a user: what that user may see has changed.

        Each of their tokens is then held against its tombstone, and asked of the backend, anew.

        :param subject: the claim `sub` of the user's access tokens; by default this request's user.
        """
        self._sign_in.purge_user(subject)

    def _result(self, spec: QuerySpec[Any], result: ReadResult) -> Any:
        request, pages = spec.query, len(result.pages)

        def refetch() -> Any:
            return self.run(replace(spec, force=True, again=False))

        if isinstance(request, ListRequest):
            return PaginatedResult(
                _data=lambda: list_data(result.pages, request, is_from_start=spec.cursor is None, warned=self._warned),
                error=result.error,
                fetched_at=result.fetched_at,
                is_stale=result.is_stale,
                version=result.version(request),
                pages=pages,
                _refetch=refetch,
                _fetch_next=lambda: self.run(replace(spec, pages=pages + 1, force=False, again=True)),
            )
        data, error = response_data(result.pages[0].page.body, request.decode) if pages else (None, None)
        if error is not None and result.error is None and not result.fetched and not spec.force:
            # Cached, and not what is declared: another release declares something else. It counts as missing.
            return refetch()
        return QueryResult(
            data=data,
            error=result.error or error,
            fetched_at=result.fetched_at,
            is_stale=result.is_stale,
            version=result.version(request) if error is None else None,
            _refetch=refetch,
        )


#: Makes the client of one request, or of one command (requirements).
create_query_client: Final = QueryClient


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
