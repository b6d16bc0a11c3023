"""Write records: what one write, or one invalidation, changes in the cached pages of an endpoint.

A write never edits a page. It appends ONE record to the write log of each endpoint that it concerns, and reads apply
the records (:mod:`portal.query.cache.patches`).

A mistake in the parameters of an invalidation would invalidate nothing, and nobody would notice. So parameters that fit
no query of the endpoint select all of its queries, with a warning.
"""

from __future__ import annotations

import logging
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any, Final, TypeAlias

from portal.config.contract_names import ID_FIELD
from portal.errors import ApiNotFoundError, UsageError
from portal.query.cache.pages import READ_LAG_S, JsonRow
from portal.query.endpoints import LIST_HELPERS, address, canonical_json, checked_params, given_params, parameter_names

if TYPE_CHECKING:
    from portal.query.endpoints import Registry

Kind: TypeAlias = str
#: Of a patch that is the new response of a one-shot query.
ANSWER: Final = "answer"
#: The one kind of patch without a row.
_REMOVE: Final = "remove"
#: The format of a stored record, its first member. Releases with different formats run at the same time, and a write by
#: one of them must show in the pages of the other: a record of an unknown format invalidates all of its endpoint
#: (ADR 49). Format 1 has no number.
WRITE_RECORD_FORMAT: Final = 2
#: In the order in which they are applied.
KINDS: Final[tuple[Kind, ...]] = (*(helper.kind for helper in LIST_HELPERS), ANSWER)


@dataclass(frozen=True, slots=True, kw_only=True)
class Patch:
    """One change of a list, or the new response of a one-shot query.

    :param row_id: id of the row; of a one-shot query, its name (:func:`query_name`).
    :param row: the row's new content, or the response; None for a removal.
    """

    kind: Kind
    row_id: str
    row: JsonRow | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class InvalidatedQueries:
    """Which queries of an endpoint a record makes stale.

    :param params: None for all of them.
    :param exact: whether these are all of a query's parameters, or some of them.
    """

    params: Mapping[str, Any] | None = None
    exact: bool = True

    def covers(self, params: Mapping[str, Any]) -> bool:
        """Whether the query with these parameters is one of them."""
        if self.params is None:
            return True
        if self.exact:
            return _as_addressed(params) == _as_addressed(self.params)
        addressed = _as_addressed(params)
        return all(addressed.get(name) == value for name, value in _as_addressed(self.params).items())


ALL_QUERIES: Final = InvalidatedQueries()


def query_name(params: Mapping[str, Any]) -> str:
    """What stands for one query of an endpoint in write records: equal for parameters with the same address."""
    return canonical_json(_as_addressed(params))


def _as_addressed(params: Mapping[str, Any]) -> dict[str, str]:
    """Parameters as an address has them: there the number 5 and the text `5` are the same."""
    given = {name: value for name, value in params.items() if value is not None}
    return {name: str(value).lower() if isinstance(value, bool) else str(value) for name, value in given.items()}


@dataclass(frozen=True, slots=True, kw_only=True)
class WriteRecord:
    """What one write, or one invalidation, changes in an endpoint's pages.

    :param by: qualified key of the mutation; empty for an invalidation.
    :param changed_ids: ids of the rows, or names of the one-shot queries, that the write says it changed on the server,
        with or without a patch; None where it may have failed, or can't be read.
    :param began_at: when the write left, seconds since the epoch by its machine's clock; None for an invalidation.
    :param done_at: when its response came.
    """

    by: str = ""
    patches: tuple[Patch, ...] = ()
    invalidated: tuple[InvalidatedQueries, ...] = ()
    changed_ids: frozenset[str] | None = frozenset()
    began_at: float | None = None
    done_at: float | None = None

    @property
    def names_nothing(self) -> bool:
        """Whether this is a write that has queries fetched again, and does not say what it changed: maybe any row."""
        return bool(self.by and self.invalidated) and self.changed_ids == frozenset()

    def may_be_missing(self, *, at: float, lag_s: float = READ_LAG_S) -> bool:
        """Whether a page whose request left at this time, after the write, may lack the write.

        A time before the write is of a machine whose clock is behind: nobody knows by how much.

        :param lag_s: how far the backend's reads may be behind its writes, seconds.
        """
        return self.done_at is not None and at - self.done_at < lag_s

    def resolve_overlap(self, others: Sequence[WriteRecord | None]) -> WriteRecord:
        """The record to append after a write during which others were appended.

        If another write changed the same row, nobody knows which one the server did last. Then removals stay, and the
        list is fetched again.

        :param others: what was appended while the write was under way; None for a record that can't be read.
        """
        if not any(
            other is None or other.names_nothing or _may_share_a_row(self.changed_ids, other.changed_ids)
            for other in others
        ):
            return self
        return self.without_rows()

    def without_rows(self) -> WriteRecord:
        """The same record, which shows removals only, and has the list, or the one-shot query, fetched again.

        It still names the rows: a third write that overlaps with this one, and ends later, has to know them.
        """
        removals = tuple(patch for patch in self.patches if patch.kind == _REMOVE)
        return replace(self, patches=removals, invalidated=(*self.invalidated, ALL_QUERIES))

    def stored(self) -> list[Any]:
        """The record as JSON for the store."""
        return [
            WRITE_RECORD_FORMAT,
            self.by,
            [[patch.kind, patch.row_id, patch.row] for patch in self.patches],
            [[None if part.params is None else dict(part.params), part.exact] for part in self.invalidated],
            None if self.changed_ids is None else sorted(self.changed_ids),
            self.began_at,
            self.done_at,
        ]


#: Of a write that may have been done, and of a record that can't be read: any row may have changed.
ALL_INVALIDATED: Final = WriteRecord(invalidated=(ALL_QUERIES,), changed_ids=None)


def parse_record(value: object) -> WriteRecord | None:
    """A record as the store has it; None for a value that is not one, or has an unknown format or kind of patch."""
    if isinstance(value, list) and value[:1] == [WRITE_RECORD_FORMAT]:
        value = value[1:]  # format 1 has no number
    match value:
        case [
            str() as by,
            list() as patches,
            list() as invalidated,
            list() | None as changed_ids,
            float() | int() | None as began_at,
            float() | int() | None as done_at,
        ]:
            parts = [_parse_invalidated(part) for part in invalidated]
            changes = [_parse_patch(patch) for patch in patches]
        case _:
            return None
    known = [patch for patch in changes if patch is not None]
    named = [part for part in parts if part is not None]
    if len(known) < len(changes) or len(named) < len(parts):
        return None
    if not all(isinstance(name, str) for name in changed_ids or ()):
        return None
    return WriteRecord(
        by=by,
        patches=tuple(known),
        invalidated=tuple(named),
        changed_ids=None if changed_ids is None else frozenset(changed_ids),
        began_at=began_at,
        done_at=done_at,
    )


def _parse_patch(value: object) -> Patch | None:
    match value:
        case [str() as kind, str() as name, dict() | None as row] if kind in KINDS:
            return Patch(kind=kind, row_id=name, row=row) if (row is None) == (kind == _REMOVE) else None
        case _:
            return None


def _parse_invalidated(value: object) -> InvalidatedQueries | None:
    match value:
        case [dict() | None as params, bool() as exact]:
            return InvalidatedQueries(params=params, exact=exact)
        case _:
            return None


def _may_share_a_row(one: frozenset[str] | None, other: frozenset[str] | None) -> bool:
    """Whether two writes may have changed the same row; None where the rows are not known."""
    if one is None or other is None:
        # An invalidation changes no row, so it overlaps with nothing.
        return one != frozenset() and other != frozenset()
    return not one.isdisjoint(other)


def row_id(row: object) -> str | None:
    """The id of a whole row; None for a value without one."""
    value = row.get(ID_FIELD) if isinstance(row, Mapping) else None
    if isinstance(value, bool) or not isinstance(value, str | int) or value == "":
        return None
    return str(value)


logger = logging.getLogger("portal.query")


def exact_query(given: object, *, endpoint: str, by: str, registry: Registry) -> InvalidatedQueries:
    """The one query with exactly these parameters.

    :param by: what gave them, for the warning.
    """
    query = registry.queries.get(endpoint)
    if not isinstance(given, Mapping):
        return _all_queries(by, endpoint, f"{endpoint}: params should be a mapping, not {type(given).__name__}")
    try:
        params = given_params(given, endpoint=endpoint)
        if query is not None:
            checked_params(given=params, declared=query.params, endpoint=endpoint)
            # If the parameters are not typed, only the address shows whether one is missing.
            address(url=query.url, params=params, endpoint=endpoint)
    except (UsageError, ApiNotFoundError) as error:
        return _all_queries(by, endpoint, error)
    return InvalidatedQueries(params=params)


def matching_queries(given: Mapping[str, object], *, endpoint: str, by: str, registry: Registry) -> InvalidatedQueries:
    """All queries that have these parameters among theirs.

    :raises UsageError: an address can't carry a value.
    """
    params = given_params(given, endpoint=endpoint)
    query = registry.queries.get(endpoint)
    declared = query.params if query is not None else None
    known = parameter_names(declared)
    unknown = ", ".join(name for name in params if known is not None and name not in known)
    if query is not None and known is not None and unknown:
        return _all_queries(
            by, endpoint, f"{unknown} is no parameter of it; it knows {', '.join(sorted(known)) or 'none'}"
        )
    return InvalidatedQueries(params=params, exact=False)


def _all_queries(by: str, endpoint: str, reason: object) -> InvalidatedQueries:
    logger.warning("%s names no query of %s, so all of it is fetched anew: %s", by, endpoint, reason)
    return ALL_QUERIES
