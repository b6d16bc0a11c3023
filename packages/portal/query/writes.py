"""Writes: the call, then its record in the logs of all that it concerns, then the caller's callback."""

from __future__ import annotations

import json
import logging
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any

from portal.api.response_limits import usable_body
from portal.config.wire_names import PATHS_WITHOUT_BEARER
from portal.errors import ApiConflictError, ApiError, ApiNotFoundError, SignInEndedError
from portal.query.backend_calls import may_have_arrived
from portal.query.cache.patches import ALL_OUTDATED, KINDS, Operation, Outdated, Record, row_id
from portal.query.invalidation_targets import one_query

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

    from portal.query.backend_calls import BackendCaller
    from portal.query.cache.page_cache import QueryCache
    from portal.query.endpoints import Invalidation, ListHelper, Registry, WriteRequest
    from portal.query.partition.token_bindings import Scope
    from portal.query.reads.cached_reads import Reads
    from portal.query.request_cache import RequestCache

logger = logging.getLogger("portal.query")


@dataclass(frozen=True, slots=True, kw_only=True)
class Writes:
    """The writes of one request."""

    caller: BackendCaller
    reads: Reads
    cache: QueryCache
    memory: RequestCache
    registry: Registry
    clock: Callable[[], float]

    def run(self, write: WriteRequest) -> Any:
        """Send a write, and make it show in everything cached; gives the answer's JSON.

        :raises SignInEndedError: the sign-in is over.
        :raises ApiError: all tries failed. If the backend may have done it nevertheless, or has not what the write is
            about, what it concerns is stale.
        """
        targets = write.targets
        scope = self.reads.scope() if targets else None
        sent = self.reads.scopes.token
        since: Mapping[str, int | None] = self.cache.positions(scope, targets) if scope else {}
        began_at = self.clock()
        try:
            data = self.caller.write(write)
        except SignInEndedError:
            self.reads.scopes.purge()
            raise
        except ApiError as error:
            record = record_of_failure(error)
            if record is not None:
                record = replace(record, began_at=began_at, done_at=self.clock())
                self._log(scope, dict.fromkeys(targets, record), since, sent=sent)
            if write.url not in PATHS_WITHOUT_BEARER:
                self.reads.after_failure(error, endpoint=write.endpoint)
            raise
        done = records_of(write, data, registry=self.registry)
        done_at = self.clock()
        records = {name: replace(record, began_at=began_at, done_at=done_at) for name, record in done.items()}
        self._log(scope, records, since, sent=sent)
        return data

    def outdate(self, endpoint: str, outdated: Outdated) -> None:
        """Make cached queries of an endpoint stale: the next read of each fetches.

        :raises ApiError: the access token has expired and no fresh one can be had now.
        """
        scope = self.reads.scope()
        self._log(scope, {endpoint: Record(outdated=(outdated,))}, {}, sent=self.reads.scopes.token)

    def _log(
        self, scope: Scope | None, records: Mapping[str, Record], since: Mapping[str, int | None], *, sent: str | None
    ) -> None:
        scopes = self.reads.scopes
        if records:
            if not scopes.is_still(sent):
                # Another user's tokens by now: nobody can say whose write it was, so nobody is shown its rows.
                records = dict.fromkeys(records, ALL_OUTDATED)
            for principal in scopes.principals_of_write(scope, sent=sent):
                self.cache.append(principal, records, since=since)
        self.memory.drop(records)


def record_of_failure(error: ApiError) -> Record | None:
    """What a write that failed means for all that it concerns; None for nothing."""
    if may_have_arrived(error):
        return ALL_OUTDATED
    if error.status is not None and isinstance(error, ApiNotFoundError | ApiConflictError):
        # It changed nothing, and says that the row is gone, or not in the state in which this user saw it.
        return Record(outdated=(Outdated(),))
    return None


def records_of(write: WriteRequest, data: Any, *, registry: Registry) -> dict[str, Record]:
    """What a write that succeeded means for each endpoint that it concerns."""
    records: dict[str, Record] = {}
    for target in write.targets:
        found = [_operation(helper, write, data) for helper in write.helpers if helper.target == target]
        operations = [operation for operation in found if operation is not None]
        outdated = [_outdated(part, write, registry) for part in write.invalidations if part.target == target]
        touched: frozenset[str] | None = frozenset(operation.row_id for operation in operations)
        if len(operations) < len(found):
            outdated.append(Outdated())
            touched = None
        records[target] = Record(
            by=write.endpoint,
            operations=tuple(sorted(operations, key=lambda operation: KINDS.index(operation.kind))),
            outdated=tuple(outdated),
            touched=touched,
        )
    return records


def _operation(helper: ListHelper, write: WriteRequest, data: Any) -> Operation | None:
    """A helper's change; None, with a warning that says what to fix, where its function gives nothing usable."""
    try:
        made = _made(helper, write, data)
    except Exception:
        logger.warning(
            "%s: %s raised, so %s is fetched anew instead; it should give %s",
            *_named(helper, write),
            exc_info=True,
        )
        return None
    if made is None:
        logger.warning(
            "%s: %s gave nothing usable, so %s is fetched anew instead; it should give %s", *_named(helper, write)
        )
    return made


def _made(helper: ListHelper, write: WriteRequest, data: Any) -> Operation | None:
    # As it will come out of the store: a key that is no text, and a tuple, are others there.
    row: Any = json.loads(json.dumps(helper.row(write.variables, data), allow_nan=False))
    usable_body(row, endpoint=write.endpoint)
    name = row_id(row)
    return None if name is None else Operation(kind=helper.kind, row_id=name, row=row if helper.puts_row else None)


def _named(helper: ListHelper, write: WriteRequest) -> tuple[str, str, str, str]:
    return write.endpoint, helper.option, helper.target, helper.returns


def _outdated(part: Invalidation, write: WriteRequest, registry: Registry) -> Outdated:
    if part.get_params is None:
        return Outdated()
    try:
        params = part.get_params(write.variables)
    except Exception:
        logger.warning(
            "%s: get_params raised, so all of %s is fetched anew; it should give the parameters of the query",
            write.endpoint,
            part.target,
            exc_info=True,
        )
        return Outdated()
    return one_query(params, endpoint=part.target, by=f"{write.endpoint}: get_params", registry=registry)
