"""Write records: what one write, or one invalidation, changes in the cached pages of an endpoint.

A write never edits a page. It appends ONE record to the write log of each endpoint that it concerns, and reads apply
the records (:mod:`portal.query.cache.patches`). Where it is not certain what a write changed, its record is
`ALL_STALE`: then older pages are fetched again.

A mistake in the parameters of an invalidation would invalidate nothing, and nobody would notice. So what a write's
function gives, and what fits no query of the endpoint, selects all of its queries, with a warning.
"""

from __future__ import annotations

import json
import logging
from collections.abc import Callable, Mapping
from typing import Any, Final, TypeAlias

import msgspec

from portal.config.contract_names import ID_FIELD
from portal.query.endpoints import (
    LIST_HELPERS,
    Registry,
    address,
    canonical_json,
    checked_params,
    given_params,
)

Kind: TypeAlias = str
#: Of a patch that is the new response of a one-shot query.
ANSWER: Final = "answer"
#: The one kind of patch without a row.
_REMOVE: Final = "remove"
#: The format of a stored record, its first member. A record of another format makes all of its endpoint stale (ADR 49).
WRITE_RECORD_FORMAT: Final = 3
#: Members of a stored record. A later release may append some.
_MEMBERS: Final = 5
#: In the order in which they are applied.
KINDS: Final[tuple[Kind, ...]] = (*(helper.kind for helper in LIST_HELPERS), ANSWER)


class Patch(msgspec.Struct, frozen=True, array_like=True, kw_only=True):
    """One change of a list, or the new response of a one-shot query.

    :param row_id: id of the row; of a one-shot query, its name (:func:`query_name`).
    :param row: the row's new content, or the response; None for a removal.
    """

    kind: Kind
    row_id: str
    row: dict[str, Any] | None = None


class StaleQueries(msgspec.Struct, frozen=True, array_like=True, kw_only=True):
    """The queries of an endpoint that a record makes stale.

    :param params: None for all of them.
    :param exact: whether these are all of a query's parameters, or some of them.
    """

    params: dict[str, Any] | None = None
    exact: bool = True

    def covers(self, params: Mapping[str, Any]) -> bool:
        """Return whether the query with these parameters is one of them."""
        if self.params is None:
            return True
        wanted, addressed = _as_addressed(self.params), _as_addressed(params)
        return addressed == wanted if self.exact else wanted.items() <= addressed.items()


ALL_QUERIES: Final = StaleQueries()


def query_name(params: Mapping[str, Any]) -> str:
    """Return what stands for one query of an endpoint in write records: equal for parameters with one address."""
    return canonical_json(_as_addressed(params))


def _as_addressed(params: Mapping[str, Any]) -> dict[str, str]:
    """Return parameters as an address has them: there the number 5 and the text `5` are the same."""
    given = {name: value for name, value in params.items() if value is not None}
    return {name: str(value).lower() if isinstance(value, bool) else str(value) for name, value in given.items()}


class WriteRecord(msgspec.Struct, frozen=True, array_like=True, kw_only=True):
    """The changes of one write, or one invalidation, in an endpoint's pages.

    :param format: the first member of the stored record.
    :param by: qualified key of the mutation; empty for an invalidation.
    :param done_at: when the response came, seconds since the epoch by its machine's clock; None for an invalidation.
    """

    format: int = WRITE_RECORD_FORMAT
    by: str = ""
    patches: tuple[Patch, ...] = ()
    stale: tuple[StaleQueries, ...] = ()
    done_at: float | None = None

    def makes_stale(self, params: Mapping[str, Any]) -> bool:
        """Return whether the query with these parameters has to be fetched again."""
        return any(part.covers(params) for part in self.stale)

    def may_be_missing(self, *, at: float, lag_s: float) -> bool:
        """Return whether a page whose request left at this time, after the write, may lack the write.

        A time before the write is of a machine whose clock is behind: nobody knows by how much.

        :param lag_s: how far the backend's reads may be behind its writes, seconds.
        """
        return self.done_at is not None and at - self.done_at < lag_s

    def overlaps(self, other: WriteRecord | None) -> bool:
        """Return whether another write, which ended while this one was under way, may have changed the same.

        Then nobody knows which one the backend did last. Writes of different rows do not overlap.

        :param other: None for a record that can't be read.
        """
        if other is None or {patch.row_id for patch in other.patches} & {patch.row_id for patch in self.patches}:
            return True
        return any(
            patch.kind != ANSWER or part.covers(json.loads(patch.row_id))
            for patch in self.patches
            for part in other.stale
        )

    def stored(self) -> Any:
        """Return the record as JSON for the store."""
        return msgspec.to_builtins(self)


# msgspec (0.22) learns a class's fields when it first meets the class, and crashes if two threads do so at once. An
# import is done by one thread.
msgspec.json.Decoder(WriteRecord)

#: Of a write that may have been done, and of a record that can't be read: any row may have changed.
ALL_STALE: Final = WriteRecord(stale=(ALL_QUERIES,))


def parse_record(value: object) -> WriteRecord | None:
    """Return a record as the store has it; None for a value that is not one, or has an unknown format."""
    if not isinstance(value, list) or value[:1] != [WRITE_RECORD_FORMAT] or len(value) < _MEMBERS:
        return None
    try:
        record = msgspec.convert(value, WriteRecord)
    except msgspec.ValidationError:
        return None
    fits = all(patch.kind in KINDS and (patch.row is None) == (patch.kind == _REMOVE) for patch in record.patches)
    return record if fits else None


def row_id(row: object) -> str | None:
    """Return the id of a whole row; None for a value without one."""
    value = row.get(ID_FIELD) if isinstance(row, Mapping) else None
    if isinstance(value, bool) or not isinstance(value, str | int) or value == "":
        return None
    return str(value)


logger = logging.getLogger("portal.query")


def exact_query(get_params: Callable[[], Any], *, endpoint: str, by: str, registry: Registry) -> StaleQueries:
    """Return the one query with exactly the parameters that a team's function gives.

    :param by: what gives them, for the warning.
    """
    query = registry.queries.get(endpoint)
    try:
        params = given_params({**get_params()}, endpoint=endpoint)
        if query is not None:
            checked_params(given=params, declared=query.params, endpoint=endpoint)
            # If the parameters are not typed, only the address shows whether one is missing.
            address(url=query.url, params=params, endpoint=endpoint)
    except Exception:
        logger.warning("%s names no query of %s, so all of it is fetched anew", by, endpoint, exc_info=True)
        return ALL_QUERIES
    return StaleQueries(params=params)
