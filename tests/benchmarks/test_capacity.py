"""The capacity model: its formulas against users that are played through, and its figures against the documents."""

from __future__ import annotations

import random
import re
from dataclasses import dataclass, field, fields

import pytest

from benchmarks._capacity_model import (
    PAGE_LIFETIME_S,
    USED_TOKEN_KEPT_S,
    Costs,
    Demand,
    Machines,
    Usage,
    demand,
)
from benchmarks.capacity import COSTS, USERS, show, table
from portal.config.limits import EXPIRY_LEEWAY_S, STALE_TIME_S
from portal.query.cache import page_cache
from portal.query.partition import namespaces
from tests.support.harness import ROOT

HOURS = 2_000.0
#: So that one output depends on one thing alone.
FREE = Costs(**dict.fromkeys((one.name for one in fields(Costs)), 0.0))


@dataclass
class Played:
    """One user over many hours, page by page; counts, and seconds for which something was in the store."""

    usage: Usage
    hot: int = 0
    stale: int = 0
    missed: int = 0
    profiles: int = 0
    refreshes: int = 0
    pages: int = 0
    stored_s: float = 0.0
    fetched_at: dict[int, float] = field(default_factory=dict)

    def play(self) -> Played:
        rng, now, end = random.Random(7), 0.0, HOURS * 3600
        profile_at = token_at = float("-inf")
        while (now := now + rng.expovariate(self.usage.pages_per_hour / 3600)) < end:
            self.pages += 1
            if now - profile_at >= self.usage.stale_time_s:
                self.profiles, profile_at = self.profiles + 1, now
            if now - token_at >= self.usage.token_life_s:
                self.refreshes, token_at = self.refreshes + 1, now
            if rng.random() < self.usage.searches:
                self.missed += 1
                self.stored_s += PAGE_LIFETIME_S
            else:
                self.open(rng.randrange(int(self.usage.views)), now)
        return self

    def open(self, view: int, now: float) -> None:
        age = now - self.fetched_at.get(view, float("-inf"))
        if age < self.usage.stale_time_s:
            self.hot += 1
            return
        self.stale += age < PAGE_LIFETIME_S
        self.missed += age >= PAGE_LIFETIME_S
        # It stays until it is fetched again, or its life ends.
        self.stored_s += min(age, PAGE_LIFETIME_S)
        self.fetched_at[view] = now


USAGES = [
    Usage(users=1),
    Usage(users=1, pages_per_hour=200, views=2, searches=0.4, token_life_s=900),
    Usage(users=1, pages_per_hour=12, views=8, searches=0.0, token_life_s=60),
]


@pytest.mark.parametrize("usage", USAGES, ids=["usual", "busy", "idle"])
def test_the_formulas_give_what_happens_to_a_user_who_is_played_through(usage: Usage) -> None:
    played, needed = Played(usage).play(), demand(usage, FREE)
    close = pytest.approx
    assert needed.page_rate * HOURS * 3600 == close(played.pages, rel=0.03)
    assert needed.hot == close(played.hot / played.pages, abs=0.01)
    assert needed.stale == close(played.stale / played.pages, abs=0.01)
    assert needed.missed == close(played.missed / played.pages, abs=0.01)
    assert needed.profile_calls * HOURS * 3600 == close(played.profiles, rel=0.03)
    assert needed.refreshes * HOURS * 3600 == close(played.refreshes, rel=0.03)
    calls = (played.stale + played.missed) * usage.queries
    assert needed.list_calls * HOURS * 3600 == close(calls, rel=0.03)
    # One byte for each view that lies in the store.
    stored = demand(usage, replace_costs(growth=1.0 / usage.view_bytes)).query_bytes
    assert stored == close(played.stored_s / (HOURS * 3600), rel=0.03)


def replace_costs(**values: float) -> Costs:
    return Costs(**{**{one.name: 0.0 for one in fields(Costs)}, **values})


def test_each_cost_counts_for_what_it_is_the_cost_of() -> None:
    usage = Usage(users=7_200, queries=2)
    free = demand(usage, FREE)
    waited, behind = free.page_rate * free.missed * 2, free.page_rate * free.stale * 2
    rates = {
        "page": free.page_rate,
        "fetch": waited,
        "behind": behind,
        "profile": free.profile_calls,
        "refresh": free.refreshes,
    }
    for name, rate in rates.items():
        assert demand(usage, replace_costs(**{f"{name}_ms": 10.0})).app_cores == pytest.approx(rate / 100)
        needed = demand(usage, replace_costs(**{f"{name}_commands": 3.0, "command_us": 10.0}))
        assert (needed.commands, needed.store_cores) == pytest.approx((3 * rate, 3e-5 * rate))
    assert free.backend_calls == pytest.approx(waited + behind + free.profile_calls + free.refreshes)


def test_machines_are_as_many_as_the_busiest_needs() -> None:
    needed = demand(Usage(users=1_000_000), COSTS)
    machines = Machines(load=0.5, cores=8, redis_gib=25)
    assert machines.workers(needed) == pytest.approx(needed.app_cores / 0.5, abs=1)
    assert machines.machines(needed) == pytest.approx(machines.workers(needed) / 8, abs=1)
    by_memory = (needed.query_bytes + needed.refresh_bytes) / (25 * 2**30)
    assert machines.redis(needed) == pytest.approx(max(needed.store_cores / 0.5, by_memory), abs=1)
    little = demand(Usage(users=10), COSTS)
    assert (machines.workers(little), machines.machines(little), machines.redis(little)) == (2, 2, 1)


def test_the_models_numbers_are_the_portals() -> None:
    usage = Usage(users=1)
    assert usage.stale_time_s == STALE_TIME_S
    assert PAGE_LIFETIME_S == page_cache.PAGE_LIFETIME_S
    assert USED_TOKEN_KEPT_S == namespaces.USED_TOKEN_KEPT_S + EXPIRY_LEEWAY_S


def test_its_costs_are_those_that_were_measured() -> None:
    text = (ROOT / "docs/reference/measured.md").read_text()
    section = text[text.index("## What a page costs the whole system") :]
    found = dict(re.findall(r"^\| `(\w+)` \|.*\| ([\d,.]+) \|$", section, re.MULTILINE))
    assert {name: float(value.replace(",", "")) for name, value in found.items()} == {
        one.name: getattr(COSTS, one.name) for one in fields(Costs)
    }


def test_its_table_is_that_of_the_documentation(capsys: pytest.CaptureFixture[str]) -> None:
    usages = [Usage(users=users) for users in USERS]
    needs: list[tuple[Usage, Demand]] = [(usage, demand(usage, COSTS)) for usage in usages]
    show(["users in the busiest hour", *(f"{users:,.0f}" for users in USERS)], table(needs, Machines(), COSTS))
    assert capsys.readouterr().out in (ROOT / "docs/explanation/capacity.md").read_text()
