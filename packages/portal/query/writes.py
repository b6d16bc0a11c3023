"""Writes: first the call, then its record in each write log that it concerns, then the caller's callback."""

from __future__ import annotations

import json
import logging
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any, Final, NamedTuple

from portal.config.contract_names import PATHS_WITHOUT_BEARER
from portal.errors import ApiConflictError, ApiError, ApiNotFoundError, UsageError
from portal.process import waits_for
from portal.query.cache import (
    ALL_INVALIDATED,
    ALL_QUERIES,
    ANSWER,
    KINDS,
    InvalidatedQueries,
    Page,
    Patch,
    WriteRecord,
    exact_query,
    matching_queries,
    query_name,
    row_id,
)
from portal.query.calls import may_have_arrived
from portal.query.endpoints import ID_PARAM, given_params, query_key
from portal.query.offered_calls import absence, check_offered
from portal.query.request_partition import PROFILE_QUERY
from portal.rows import check_depth

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from portal.query.cache import VersionStamp
    from portal.query.endpoints import (
        Invalidation,
        ListHelper,
        QueryKey,
        Registry,
        SetAnswer,
        WriteRequest,
    )
    from portal.query.partition import Partition
    from portal.query.reads import Reads
    from portal.query.request_cache import RequestCache

logger = logging.getLogger("portal.query")

#: Seconds between two looks at a POST that another request has sent.
_POLL_S: Final = 0.1


@dataclass(frozen=True, slots=True, kw_only=True)
class Writes:
    """The writes of one request."""

    reads: Reads
    request_cache: RequestCache

    def run(self, write: WriteRequest) -> Any:
        """Send a write; return the response's JSON. A POST under a key is sent once. Raises as :meth:`_send`."""
        key, keys = write.idempotency_key, self.reads.fetcher.cache.sent_keys
        is_users = write.hook.method == "POST" and write.hook.url not in PATHS_WITHOUT_BEARER
        partition = self.reads.bound_partition() if key and is_users else None
        if key is None or partition is None:
            return self._send(write)
        caller = self.reads.fetcher.caller
        deadline = caller.deadline

        def wait() -> bool:
            with waits_for(write.endpoint):
                caller.retries.sleep(_POLL_S)
            return deadline.remaining() > 0

        return keys.once(key, lambda: self._send(write), wait=wait, namespace=partition.namespace)

    def _send(self, write: WriteRequest) -> Any:
        """Send a write, and make it show in everything that is cached; gives the response's JSON.

        :raises SignInEndedError: the sign-in is over.
        :raises ApiError: all tries failed. If the write may have happened, or the row is gone, the affected queries are
            invalidated.
        """
        fetcher = self.reads.fetcher
        registry, clock = fetcher.registry, fetcher.clock
        check_offered(write)
        if write.hook.invalidated_tags:
            tagged = registry.tagged(write.hook.invalidated_tags)
            write = replace(write, invalidations=(*write.invalidations, *tagged))
        targets = write.targets
        partition = self.reads.bound_partition() if targets else None
        sent = self.reads.partition.token
        since = fetcher.cache.stamps(partition.namespace, targets) if partition else {}
        if targets and partition is None:
            self.reads.partition.may_have_written()
        repeats = partition is not None and self._may_repeat(write, partition)
        began_at = clock()
        try:
            data = fetcher.caller.write(write)
        except ApiError as error:
            record = record_of_failure(error)
            if record is not None:
                record = replace(record, began_at=began_at, done_at=clock())
                self._record(partition, dict.fromkeys(targets, record), since, sent=sent)
            if write.hook.url not in PATHS_WITHOUT_BEARER:
                self.reads.after_failure(error, endpoint=write.endpoint)
            found = absence(error, write.hook, warned=fetcher.warned)
            if found is error:
                raise
            raise found from error
        answers = [answer_of(part, write, data, registry=registry) for part in write.hook.answers]
        done = records_of(write, data, answers, registry=registry)
        done_at = clock()
        records = {name: replace(record, began_at=began_at, done_at=done_at) for name, record in done.items()}
        if repeats:
            # The answer may be older than what was written since.
            records, answers = {name: record.without_rows() for name, record in records.items()}, []
        # Each answer is a page too, as if its request had been a read: so it shows where no page was cached.
        pages = [
            (key, Page(stamp=since.get(key.endpoint), at=began_at, came_at=done_at, cursor=None, body=data))
            for key, _ in filter(None, answers)
            if self._is_cached(key)
        ]
        self._record(partition, records, since, sent=sent, pages=pages)
        return data

    def invalidate(
        self, endpoint: str, *, params: Mapping[str, Any] | None = None, matching: Mapping[str, Any] | None = None
    ) -> None:
        """Make cached queries of an endpoint stale: the next read of each fetches.

        :param params: the one query with exactly these parameters.
        :param matching: all queries that have these parameters among theirs.
        :raises UsageError: both are given, or an address can't carry a value.
        :raises SignInEndedError: the sign-in is over.
        :raises ApiError: the access token has expired and there is no fresh one now.
        """
        if params is not None and matching is not None:
            raise UsageError(f"{endpoint}: give params for one query, or matching for all with them, not both")
        queries = ALL_QUERIES
        if params is not None:
            queries = InvalidatedQueries(params=given_params(params, endpoint=endpoint))
        elif matching is not None:
            queries = matching_queries(matching, endpoint=endpoint, by="matching", registry=self.reads.fetcher.registry)
        partition = self.reads.bound_partition()
        record = WriteRecord(invalidated=(queries,))
        self._record(partition, {endpoint: record}, {}, sent=self.reads.partition.token)

    def _may_repeat(self, write: WriteRequest, partition: Partition) -> bool:
        key = write.idempotency_key
        return key is not None and self.reads.fetcher.cache.sent_keys.note(key, principal=partition.principal)

    def _is_cached(self, key: QueryKey) -> bool:
        query = self.reads.fetcher.registry.queries.get(key.endpoint)
        return query is not None and query.cache

    def _record(
        self,
        partition: Partition | None,
        records: Mapping[str, WriteRecord],
        since: Mapping[str, VersionStamp | None],
        *,
        sent: str | None,
        pages: Sequence[tuple[QueryKey, Page]] = (),
    ) -> None:
        request = self.reads.partition
        if records:
            if not request.same_user_as(sent):
                # The tokens are another user's by now. Nobody knows whose write it was, so nobody is shown its rows.
                records, pages = dict.fromkeys(records, ALL_INVALIDATED), ()
            principals = request.principals_of_write(partition, sent=sent)
            if partition is not None and pages and request.answers_for(partition, sent=sent):
                for key, page in pages:
                    self.reads.fetcher.cache.put(
                        partition, key, page, start=None, index=0, clock=self.reads.fetcher.clock
                    )
            for principal in principals:
                self.reads.fetcher.cache.append_records(principal, records, since=since)
            self.request_cache.clear()


def record_of_failure(error: ApiError) -> WriteRecord | None:
    """What a write that failed means for each endpoint that it concerns; None for nothing."""
    if may_have_arrived(error):
        return ALL_INVALIDATED
    if error.status is not None and isinstance(error, ApiNotFoundError | ApiConflictError):
        # It changed nothing. But the row is gone, or not in the state in which this user saw it.
        return WriteRecord(invalidated=(ALL_QUERIES,))
    return None


def records_of(
    write: WriteRequest, data: Any, answers: Sequence[Answer | None], *, registry: Registry
) -> dict[str, WriteRecord]:
    """What a write that succeeded means for each endpoint that it concerns.

    :param answers: what :func:`answer_of` gave for each of `write.hook.answers`.
    """
    records: dict[str, WriteRecord] = {}
    for target in write.targets:
        found = [_patch(helper, write, data) for helper in write.hook.helpers if helper.target == target]
        set_here = [answer for part, answer in zip(write.hook.answers, answers, strict=True) if part.target == target]
        found += [answer and answer.patch for answer in set_here]
        # For the same object with further parameters, and for a process of a version that knows no answers.
        named = [InvalidatedQueries(params=answer.key.params, exact=False) for answer in set_here if answer is not None]
        patches = [patch for patch in found if patch is not None]
        invalidated = [_invalidated(part, write, registry) for part in write.invalidations if part.target == target]
        invalidated += named
        query = registry.queries.get(target)
        changed_ids: frozenset[str] | None = _changed(patches, invalidated, is_list=query is None or query.is_list)
        if len(patches) < len(found):
            invalidated.append(ALL_QUERIES)
            changed_ids = None
        records[target] = WriteRecord(
            by=write.endpoint,
            patches=tuple(sorted(patches, key=lambda patch: KINDS.index(patch.kind))),
            invalidated=tuple(invalidated),
            changed_ids=changed_ids,
        )
    return records


def _changed(patches: Sequence[Patch], invalidated: Sequence[InvalidatedQueries], *, is_list: bool) -> frozenset[str]:
    """The rows, or the one-shot queries, that a write says it changed."""
    named = {query_name(part.params) for part in invalidated if part.params is not None and not is_list}
    return frozenset(named | {patch.row_id for patch in patches})


class Answer(NamedTuple):
    """The response of a write, as that of a one-shot query."""

    key: QueryKey
    patch: Patch


def answer_of(part: SetAnswer, write: WriteRequest, data: Any, *, registry: Registry) -> Answer | None:
    """The query that the response answers; None, with a warning that says what to fix, where it answers none."""
    by = f"{write.endpoint}: set_answer"
    query = registry.queries.get(part.target)
    if part.target == PROFILE_QUERY.key.endpoint or query is None or query.is_list:
        # The profile decides about access, so only GET /me itself changes it. A system check names the others.
        return None
    if not isinstance(data, dict):
        logger.warning("%s: the response is no object, so %s is fetched anew", by, part.target)
        return None
    try:
        given = part.params(write.variables, data)
    except Exception:
        logger.warning(
            "%s: get_params raised, so %s is fetched anew; it should give the parameters of the query",
            by,
            part.target,
            exc_info=True,
        )
        return None
    params = exact_query(given, endpoint=part.target, by=by, registry=registry).params
    if params is None:
        return None
    asked = params.get(ID_PARAM)
    if asked is not None and row_id(data) != str(asked):
        logger.warning("%s: the response has another id than its query, so %s is fetched anew", by, part.target)
        return None
    patch = Patch(kind=ANSWER, row_id=query_name(params), row=data)
    return Answer(query_key(endpoint=part.target, params=params), patch)


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


def _invalidated(part: Invalidation, write: WriteRequest, registry: Registry) -> InvalidatedQueries:
    if part.get_params is None:
        return ALL_QUERIES
    try:
        params = part.get_params(write.variables)
    except Exception:
        logger.warning(
            "%s: get_params raised, so all of %s is fetched anew; it should give the parameters of the query",
            write.endpoint,
            part.target,
            exc_info=True,
        )
        return ALL_QUERIES
    return exact_query(params, endpoint=part.target, by=f"{write.endpoint}: get_params", registry=registry)
