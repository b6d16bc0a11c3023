"""GET /metrics: this process's counters in Prometheus' text format (contract, section 6)."""

from __future__ import annotations

import secrets
from dataclasses import dataclass
from typing import TYPE_CHECKING, Final, Literal

from django.http import HttpResponse
from django.views.decorators.cache import never_cache
from django.views.decorators.csrf import csrf_exempt
from django.views.decorators.http import require_safe

from portal.api import CallOutcome, RefreshOutcome, call_counters, refresh_counters
from portal.config.current import portal_config
from portal.process import call_circuits, store_circuits
from portal.query import process_runtime
from portal.store import query_store, refresh_store
from portal.web.client_address import client_address, is_loopback
from portal.web.errors import problem

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence

    from django.http import HttpRequest

_FORMAT: Final = "text/plain; version=0.0.4; charset=utf-8"
_ESCAPED: Final = str.maketrans({"\\": r"\\", '"': r"\"", "\n": r"\n"})


@csrf_exempt
@require_safe
@never_cache
def metrics(request: HttpRequest) -> HttpResponse:
    """The counters: for this machine, and for a caller with the token from the environment. 403 for others."""
    if not (is_loopback(client_address(request)) or _has_token(request)):
        return problem(request, status=403, title="Forbidden")
    lines = [
        line
        for family in (*_refreshes(), *_store_sizes(), *_calls(), *_circuits(), *_revalidations())
        for line in family.lines()
    ]
    return HttpResponse("\n".join(lines) + "\n", content_type=_FORMAT)


@dataclass(frozen=True, slots=True, kw_only=True)
class _Family:
    """One metric: its name, its kind, and a value for each set of labels."""

    name: str
    kind: Literal["counter", "gauge"]
    says: str
    values: Sequence[tuple[Mapping[str, str], float]]

    def lines(self) -> Iterator[str]:
        """The metric's lines. Every value has the app as a label."""
        yield f"# HELP {self.name} {self.says}"
        yield f"# TYPE {self.name} {self.kind}"
        for labels, value in self.values:
            pairs = {"app": portal_config().project.app, **labels}
            written = ",".join(f'{name}="{text.translate(_ESCAPED)}"' for name, text in pairs.items())
            yield f"{self.name}{{{written}}} {value}"


def _refreshes() -> Iterator[_Family]:
    counts = refresh_counters.snapshot()
    yield _Family(
        name="portal_refresh_total",
        kind="counter",
        says="Refreshes that requests of this process needed, by outcome.",
        values=[({"outcome": outcome.value}, counts[outcome]) for outcome in RefreshOutcome],
    )


def _revalidations() -> Iterator[_Family]:
    yield _Family(
        name="portal_revalidations_total",
        kind="counter",
        says="Stale queries that this process fetched again in the background, by outcome.",
        values=[({"outcome": outcome}, count) for outcome, count in process_runtime().revalidations.counts().items()],
    )


def _calls() -> Iterator[_Family]:
    counts = call_counters.snapshot()
    servers = sorted({"backend", *(to for to, _ in counts)})
    yield _Family(
        name="portal_calls_total",
        kind="counter",
        says="HTTP calls of this process, by the server called and the outcome.",
        values=[
            ({"to": to, "outcome": outcome.value}, counts[to, outcome]) for to in servers for outcome in CallOutcome
        ],
    )


def _circuits() -> Iterator[_Family]:
    states = [*store_circuits.states(), *call_circuits.states()]
    yield _Family(
        name="portal_circuit_open",
        kind="gauge",
        says="Whether the circuit is open: this process does not call the server.",
        values=[({"circuit": state.name}, int(state.is_open)) for state in states],
    )
    yield _Family(
        name="portal_circuit_opened_total",
        kind="counter",
        says="How often the circuit has opened.",
        values=[({"circuit": state.name}, state.opened) for state in states],
    )
    yield _Family(
        name="portal_circuit_refused_total",
        kind="counter",
        says="Calls that an open circuit has refused.",
        values=[({"circuit": state.name}, state.refused) for state in states],
    )


def _store_sizes() -> Iterator[_Family]:
    """How full the stores are: from a moment ago, and nothing of one that does not answer or does not tell."""
    sizes = {store.alias: store.size() for store in (query_store(), refresh_store())}
    yield _Family(
        name="portal_store_used_bytes",
        kind="gauge",
        says="Bytes in use in the shared store.",
        values=[({"store": alias}, size.used) for alias, size in sizes.items() if size is not None],
    )
    yield _Family(
        name="portal_store_limit_bytes",
        kind="gauge",
        says="Bytes that the shared store may use, if it has a limit.",
        values=[
            ({"store": alias}, size.limit)
            for alias, size in sizes.items()
            if size is not None and size.limit is not None
        ],
    )


def _has_token(request: HttpRequest) -> bool:
    expected = portal_config().metrics_token
    scheme, _, given = request.META.get("HTTP_AUTHORIZATION", "").partition(" ")
    return (
        bool(expected)
        and scheme.lower() == "bearer"
        and secrets.compare_digest(given.strip().encode("utf-8", "replace"), expected.encode())
    )
