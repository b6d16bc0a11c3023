"""The tables of pages: each side's figures, two sides pair by pair, and memory."""

from __future__ import annotations

from statistics import median
from typing import TYPE_CHECKING

from benchmarks._measured import table

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from benchmarks._page_cases import Case, Side
    from benchmarks._servers import Memory


def print_pages(cases: Sequence[Case], *, side: Side, one_core: bool) -> None:
    """The table of one side."""
    print(f"\n## Pages: {side.name}, a server with one process for requests{', on one core' if one_core else ''}\n")
    print("| page | threads | CPU, ms | of an empty view's | requests/s | p50, ms | p99, ms | calls to the backend |")
    print("|---|---|---|---|---|---|---|---|")
    for case in cases:
        print(
            f"| {case.name} | {case.threads} | {case.cpu_ms:.2f} | {case.of_empty:.1f} | {case.rate:,.0f} |"
            f" {case.percentile(50):.0f} | {case.percentile(99):.0f} | {case.calls:.1f} |"
        )


def documented(cases: Sequence[Case], memory: Memory) -> tuple[str, str]:
    """The table of one side as the documentation has it, and its memory."""
    rows = ((case.name, f"{case.cpu_ms:.2f}", f"{case.of_empty:.1f}", f"{case.rate:,.0f}") for case in cases)
    heads = ("page", "CPU, ms", "of an empty view's", "requests/s")
    return table(heads, rows), _documented_memory(memory)


def documented_comparison(pairs: Sequence[tuple[Case, Case]], memory: Memory) -> tuple[str, str]:
    """The other side of each pair, the rate of this one beside it, and the other side's memory."""
    rows = (
        (case.name, f"{there.cpu_ms:.2f}", f"{there.rate:,.0f}", f"{rate_of(case, there):.2f}") for case, there in pairs
    )
    return table(("page", "CPU there, ms", "requests/s there", "rate here, of that"), rows), _documented_memory(memory)


def _documented_memory(memory: Memory) -> str:
    return f"Memory after load: {memory.pss:.0f} MiB PSS."


def pairs_of(cases: Sequence[Case], here: Side, other: Side) -> list[tuple[Case, Case]]:
    """The pages that two sides have, of both."""
    by_key = {case.key: case for case in cases if case.side is other}
    return [(case, by_key[case.key]) for case in cases if case.side is here and case.key in by_key]


def rate_of(case: Case, other: Case) -> float:
    """The rate of one, of the other's, stretch by stretch."""
    return median(a.rate / b.rate for a, b in zip(case.stretches, other.stretches, strict=True))


def print_comparison(pairs: Sequence[tuple[Case, Case]], *, other: Side) -> None:
    """Both sides, pair by pair."""
    print(f"\n## Pages: here and there ({other.name})\n")
    print("| page | threads | CPU there, ms | here | there, of here | requests/s there | here | here, of there |")
    print("|---|---|---|---|---|---|---|---|")
    for case, there in pairs:
        cost = median(b.cpu_ms / a.cpu_ms for a, b in zip(case.stretches, there.stretches, strict=True))
        print(
            f"| {case.name} | {case.threads} | {there.cpu_ms:.2f} | {case.cpu_ms:.2f} | {cost:.2f} |"
            f" {there.rate:,.0f} | {case.rate:,.0f} | {rate_of(case, there):.2f} |"
        )


def print_memory(memory: Mapping[tuple[Side, int], Memory]) -> None:
    """All processes of the server together."""
    print("\n## Pages: memory of a server with the energy app, after load, MiB\n")
    print("| | threads | RSS | PSS |\n|---|---|---|---|")
    for (side, threads), taken in memory.items():
        print(f"| {side.name} | {threads} | {taken.rss:.0f} | {taken.pss:.0f} |")
    print()
