"""The counts of this process, and how full its stores are, as families of values with labels."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Literal, TypeAlias

from portal.api import CallOutcome, RefreshOutcome, call_counters, refresh_counters
from portal.process import call_circuits, store_circuits
from portal.query import process_runtime
from portal.store import query_store, refresh_store

if TYPE_CHECKING:
    from collections.abc import Iterator

Value: TypeAlias = tuple[Mapping[str, str], float]


@dataclass(frozen=True, slots=True, kw_only=True)
class Family:
    """One metric: its name, its kind, and a value for each set of labels.

    :param of_one_process: whether each worker has values of its own, which are added up for the server.
    """

    name: str
    kind: Literal["counter", "gauge"]
    says: str
    values: Sequence[Value]
    of_one_process: bool = True


def process_families() -> Iterator[Family]:
    """The counts of this process. They take no store and no network."""
    yield from _refreshes()
    yield from _calls()
    yield from _circuits()
    yield from _revalidations()


def _refreshes() -> Iterator[Family]:
    counts = refresh_counters.snapshot()
    yield Family(
        name="portal_refresh_total",
        kind="counter",
        says="Refreshes that requests needed, by outcome.",
        values=[({"outcome": outcome.value}, counts[outcome]) for outcome in RefreshOutcome],
    )


def _revalidations() -> Iterator[Family]:
    yield Family(
        name="portal_revalidations_total",
        kind="counter",
        says="Stale queries that were fetched again in the background, by outcome.",
        values=[({"outcome": outcome}, count) for outcome, count in process_runtime().revalidations.counts().items()],
    )


def _calls() -> Iterator[Family]:
    counts = call_counters.snapshot()
    servers = sorted({"backend", *(to for to, _ in counts)})
    yield Family(
        name="portal_calls_total",
        kind="counter",
        says="HTTP calls, by the server called and the outcome.",
        values=[
            ({"to": to, "outcome": outcome.value}, counts[to, outcome]) for to in servers for outcome in CallOutcome
        ],
    )


def _circuits() -> Iterator[Family]:
    states = [*store_circuits.states(), *call_circuits.states()]
    yield Family(
        name="portal_circuit_open",
        kind="gauge",
        says="How many workers do not call the server: their circuit is open.",
        values=[({"circuit": state.name}, int(state.is_open)) for state in states],
    )
    yield Family(
        name="portal_circuit_opened_total",
        kind="counter",
        says="How often the circuit has opened.",
        values=[({"circuit": state.name}, state.opened) for state in states],
    )
    yield Family(
        name="portal_circuit_refused_total",
        kind="counter",
        says="Calls that an open circuit has refused.",
        values=[({"circuit": state.name}, state.refused) for state in states],
    )


def store_families() -> Iterator[Family]:
    """How full the stores are: from a moment ago, and nothing of one that does not answer or does not tell."""
    sizes = {store.alias: store.size() for store in (query_store(), refresh_store())}
    yield Family(
        name="portal_store_used_bytes",
        kind="gauge",
        of_one_process=False,
        says="Bytes in use in the shared store.",
        values=[({"store": alias}, size.used) for alias, size in sizes.items() if size is not None],
    )
    yield Family(
        name="portal_store_limit_bytes",
        kind="gauge",
        of_one_process=False,
        says="Bytes that the shared store may use, if it has a limit.",
        values=[
            ({"store": alias}, size.limit)
            for alias, size in sizes.items()
            if size is not None and size.limit is not None
        ],
    )
