"""Writes: first the call, then its record in each write log that it concerns, then the caller's callback."""

import json
import logging
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any, Final

from msgspec import structs

from portal.api import current_backend
from portal.config.contract_names import PATHS_WITHOUT_BEARER
from portal.errors import ApiConflictError, ApiError, ApiNotFoundError, UsageError
from portal.process import waits_for
from portal.query.cache import (
    ALL_QUERIES,
    ALL_STALE,
    ANSWER,
    KINDS,
    POST_ANSWER_S,
    Page,
    Patch,
    StaleQueries,
    VersionStamp,
    WriteRecord,
    exact_query,
    query_name,
    row_id,
)
from portal.query.calls import may_have_arrived
from portal.query.endpoints import (
    ID_PARAM,
    Invalidation,
    ListHelper,
    QueryKey,
    Registry,
    SetAnswer,
    WriteRequest,
    check_known,
    given_params,
    parameter_names,
    query_key,
)
from portal.query.offered_calls import absence, check_offered
from portal.query.reads import Reads
from portal.query.request_sign_in import PROFILE_QUERY
from portal.query.sign_in_caches import SignInCache
from portal.rows import check_depth

logger = logging.getLogger("portal.query")

#: Seconds between two looks at a write that another request has sent.
_POLL_S: Final = 0.1


@dataclass(frozen=True, slots=True, kw_only=True)
class Writes:
    """The writes of one request."""

    reads: Reads

    def run(self, write: WriteRequest) -> Any:
        """Send a write; return the response's JSON. A form that arrives twice is sent once.

        :raises ApiTimeoutError: another request has sent it, and has no answer yet.
        :raises SignInEndedError: and `ApiError`, as :meth:`_send`.
        """
        key, caller, keys = write.idempotency_key, self.reads.fetcher.caller, self.reads.fetcher.runtime.cache.sent_keys
        is_post, repeats = write.hook.method == "POST", caller.api.honours_idempotency_key
        is_once = key is not None and (is_post or repeats) and write.hook.url not in PATHS_WITHOUT_BEARER
        cache, _ = self.reads.look_up([(PROFILE_QUERY.key, None, 0)]) if is_once else (None, ())
        if key is None or cache is None:
            return self._send(write)
        deadline = caller.deadline

        def wait() -> bool:
            with waits_for(write.endpoint):
                caller.retries.sleep(_POLL_S)
            return deadline.remaining() > 0

        # Later than the backend keeps keys, a write that is sent again is a new one.
        window_s = current_backend().idempotency_window_s if repeats else 0.0
        data = keys.once(
            key,
            lambda is_repeat: self._send(write, is_repeat=is_repeat),
            wait=wait,
            cache=cache,
            lifetime_s=max(window_s, POST_ANSWER_S) if is_post else window_s,
        )
        # Another request may have sent it, after this one has read.
        self.reads.sign_in.memo.clear()
        return data

    def _send(self, write: WriteRequest, *, is_repeat: bool = False) -> Any:
        """Send a write, and make it show in everything that is cached; gives the response's JSON.

        :param is_repeat: whether the answer may be that of an earlier try, and older than what was written since.
        :raises SignInEndedError: the sign-in is over.
        :raises ApiError: all tries failed. If the write may have happened, or the row is gone, the affected queries are
            made stale.
        """
        fetcher, sign_in = self.reads.fetcher, self.reads.sign_in
        registry, clock = fetcher.registry, fetcher.clock
        check_offered(write)
        if write.hook.invalidated_tags:
            tagged = registry.tagged(write.hook.invalidated_tags)
            write = replace(write, invalidations=(*write.invalidations, *tagged))
        targets = write.targets
        cache, entries = self.reads.look_up([(query_key(endpoint=target), None, 0) for target in targets])
        since = {target: entry.stamp for target, entry in zip(targets, entries, strict=True)}
        sent = sign_in.token
        began_at = clock()
        try:
            data = fetcher.caller.write(write)
        except ApiError as error:
            record = record_of_failure(error)
            if record is not None and targets:
                self._record(cache, dict.fromkeys(targets, structs.replace(record, done_at=clock())), {}, sent=sent)
            if write.hook.url not in PATHS_WITHOUT_BEARER:
                self.reads.after_failure(error, endpoint=write.endpoint)
            found = absence(error, write.hook, warned=fetcher.runtime.warned)
            if found is error:
                raise
            raise found from error
        answers = [answered_query(part, write, data, registry=registry) for part in write.hook.answers]
        done = dict.fromkeys(targets, ALL_STALE) if is_repeat else records_of(write, data, answers, registry=registry)
        records = {name: structs.replace(record, done_at=clock()) for name, record in done.items()}
        # Each answer is a page too, as if its request had been a read: so it shows where no page was cached.
        pages = [
            (key, Page(stamp=since.get(key.endpoint), at=began_at, cursor=None, body=data))
            for key in filter(None, answers)
            if registry.queries[key.endpoint].cache
        ]
        if records:
            self._record(cache, records, since, sent=sent, pages=pages)
        return data

    def invalidate(
        self, endpoint: str, *, params: Mapping[str, Any] | None = None, matching: Mapping[str, Any] | None = None
    ) -> None:
        """Make cached queries of an endpoint stale: the next read of each fetches.

        :param params: the one query with exactly these parameters.
        :param matching: all queries that have these parameters among theirs.
        :raises UsageError: both are given, the endpoint has no such parameter, or an address can't carry a value.
        :raises SignInEndedError: the sign-in is over.
        :raises ApiError: the access token has expired and there is no fresh one now.
        """
        if params is not None and matching is not None:
            raise UsageError(f"{endpoint}: give params for one query, or matching for all with them, not both")
        queries = ALL_QUERIES
        if params is not None:
            queries = StaleQueries(params=given_params(params, endpoint=endpoint))
        elif matching is not None:
            query = self.reads.fetcher.registry.queries.get(endpoint)
            check_known(matching, known=parameter_names(query.params) if query else None, endpoint=endpoint)
            queries = StaleQueries(params=given_params(matching, endpoint=endpoint), exact=False)
        cache = self.reads.sign_in.cache()
        self._record(cache, {endpoint: WriteRecord(stale=(queries,))}, {}, sent=self.reads.sign_in.token)

    def _record(
        self,
        cache: SignInCache | None,
        records: Mapping[str, WriteRecord],
        since: Mapping[str, VersionStamp | None],
        *,
        sent: str | None,
        pages: Sequence[tuple[QueryKey, Page]] = (),
    ) -> None:
        store, clock = self.reads.fetcher.runtime.cache, self.reads.fetcher.clock
        spaces = self.reads.sign_in.spaces(cache, sent=sent)
        if cache is None or spaces != {cache.space}:
            # The tokens may be another user's by now. Nobody knows whose write it was, so nobody is shown its rows.
            records = {name: structs.replace(ALL_STALE, done_at=record.done_at) for name, record in records.items()}
        else:
            for key, page in pages:
                store.put(cache, key, page, start=None, index=0, clock=clock)
        store.append_records(spaces, records, since=since)
        self.reads.sign_in.memo.clear()


def record_of_failure(error: ApiError) -> WriteRecord | None:
    """Return what a write that failed means for each endpoint that it concerns; None for nothing."""
    # A 404 or 409 changed nothing. But the row is gone, or not in the state in which this user saw it.
    is_other = error.status is not None and isinstance(error, ApiNotFoundError | ApiConflictError)
    return ALL_STALE if is_other or may_have_arrived(error) else None


def records_of(
    write: WriteRequest, data: Any, answers: Sequence[QueryKey | None], *, registry: Registry
) -> dict[str, WriteRecord]:
    """Return what a write that succeeded means for each endpoint that it concerns.

    :param answers: what :func:`answered_query` gave for each of `write.hook.answers`.
    """
    records: dict[str, WriteRecord] = {}
    for target in write.targets:
        found = [_patch(helper, write, data) for helper in write.hook.helpers if helper.target == target]
        found += [
            None if key is None else Patch(kind=ANSWER, row_id=query_name(key.params), row=data)
            for part, key in zip(write.hook.answers, answers, strict=True)
            if part.target == target
        ]
        patches = [patch for patch in found if patch is not None]
        stale = [_stale(part, write, registry) for part in write.invalidations if part.target == target]
        if len(patches) < len(found):
            stale.append(ALL_QUERIES)
        ordered = tuple(sorted(patches, key=lambda patch: KINDS.index(patch.kind)))
        records[target] = WriteRecord(by=write.endpoint, patches=ordered, stale=tuple(stale))
    return records


def answered_query(part: SetAnswer, write: WriteRequest, data: Any, *, registry: Registry) -> QueryKey | None:
    """Return the query that the response answers; None, with a warning that says what to fix, where it answers none."""
    by = f"{write.endpoint}: set_answer"
    query = registry.queries.get(part.target)
    if part.target == PROFILE_QUERY.key.endpoint or query is None or query.is_list:
        # The profile decides about access, so only GET /me itself changes it. A system check names the others.
        return None
    if not isinstance(data, dict):
        logger.warning("%s: the response is no object, so %s is fetched anew", by, part.target)
        return None
    found = exact_query(lambda: part.params(write.variables, data), endpoint=part.target, by=by, registry=registry)
    if found.params is None:
        return None
    asked = found.params.get(ID_PARAM)
    if asked is not None and row_id(data) != str(asked):
        logger.warning("%s: the response has another id than its query, so %s is fetched anew", by, part.target)
        return None
    return query_key(endpoint=part.target, params=found.params)


def _patch(helper: ListHelper, write: WriteRequest, data: Any) -> Patch | None:
    """A helper's patch; None, with a warning that says what to fix, where its function gives nothing usable."""
    named = (write.endpoint, helper.option, helper.target, helper.returns)
    try:
        # As it will come out of the store: JSON knows no tuples, and no keys that are not text.
        row: Any = json.loads(json.dumps(helper.row(write.variables, data), allow_nan=False))
        check_depth(row)
    except Exception:
        logger.warning("%s: %s raised, so %s is fetched anew instead; it should give %s", *named, exc_info=True)
        return None
    name = row_id(row)
    if name is None:
        logger.warning("%s: %s gave nothing usable, so %s is fetched anew instead; it should give %s", *named)
        return None
    return Patch(kind=helper.kind, row_id=name, row=row if helper.puts_row else None)


def _stale(part: Invalidation, write: WriteRequest, registry: Registry) -> StaleQueries:
    if (get_params := part.get_params) is None:
        return ALL_QUERIES
    return exact_query(
        lambda: get_params(write.variables), endpoint=part.target, by=f"{write.endpoint}: get_params", registry=registry
    )
