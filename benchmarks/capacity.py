"""How much of everything so many users need, by a small model; and whether a real run bears the model out.

    ./manage.py bench capacity                                   a table for 1,000 to 10,000,000 users
    ./manage.py bench capacity --users 250000 --pages-per-hour 90 --token-life 900 --cores 16
    ./manage.py bench capacity --measure                         a real run of a minute or two, and its prediction

docs/explanation/capacity.md has the formulas, and what the model leaves out.
"""

from __future__ import annotations

import argparse
import tempfile
from dataclasses import fields, replace
from pathlib import Path
from typing import TYPE_CHECKING, Final

from benchmarks._capacity_model import Costs, Demand, Machines, Usage, demand
from benchmarks._measured import table as markdown_table
from benchmarks._measured import write
from benchmarks._options import need, options_of, parser_of

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

#: As in docs/reference/measured.md, "What a page costs the whole system".
COSTS: Final = Costs(
    page_ms=2.6,
    fetch_ms=1.2,
    behind_ms=2.2,
    profile_ms=2.4,
    refresh_ms=4.9,
    page_commands=3.0,
    fetch_commands=1.0,
    behind_commands=5.2,
    profile_commands=9.9,
    refresh_commands=21.0,
    command_us=27.9,
    user_bytes=731.8,
    page_bytes=174.1,
    growth=1.1,
    binding_bytes=377.1,
    sign_in_bytes=3_450.1,
    worker_mib=95.3,
)
USERS: Final = tuple(10**power for power in range(3, 8))
#: Of the real run. In its last five seconds a token fetches nothing behind a page, so it lives long enough for that to
#: be little, as it is in production.
RUN_STALE_S, RUN_TOKEN_LIFE_S = 8.0, 60.0


def table(needs: Sequence[tuple[Usage, Demand]], machines: Machines, costs: Costs) -> list[tuple[str, ...]]:
    """One line for each output, one column for each number of users."""

    def line(name: str, values: Iterable[str]) -> tuple[str, ...]:
        return (name, *values)

    demands = [needed for _, needed in needs]
    workers = [machines.workers(needed) for needed in demands]
    return [
        line("pages a second", (number(one.page_rate) for one in demands)),
        line("shown from the cache; shown and fetched behind; waited for", (shares(one) for one in demands)),
        line("cores of the apps, busy", (number(one.app_cores) for one in demands)),
        line(f"workers, at {machines.load:.0%} load", map(number, workers)),
        line(f"machines of {machines.cores} cores", (number(machines.machines(one)) for one in demands)),
        line("memory of all workers, GiB", (number(one * costs.worker_mib / 1024) for one in workers)),
        line("calls of the backend a second", (number(one.backend_calls) for one in demands)),
        line("of these, token refreshes", (number(one.refreshes) for one in demands)),
        line("commands to Redis a second", (number(one.commands) for one in demands)),
        line("memory of Redis for cached data, GiB", (number(one.query_bytes / 2**30) for one in demands)),
        line("memory of Redis for sign-ins, GiB", (number(one.refresh_bytes / 2**30) for one in demands)),
        line("cores of Redis, busy", (number(one.store_cores) for one in demands)),
        line(
            f"Redis primaries, at {machines.load:.0%} load and {machines.redis_gib:g} GiB",
            (number(machines.redis(one)) for one in demands),
        ),
        line("sent to browsers, Mbit/s", (number(one.sent_bytes * 8 / 1e6) for one in demands)),
    ]


def number(value: float) -> str:
    """Two significant digits below 10, and none behind the point above."""
    return f"{value:,.0f}" if value >= 10 else f"{value:.2g}"


def shares(needed: Demand) -> str:
    """Three shares of the pages, in percent."""
    return "; ".join(f"{share:.0%}" for share in (needed.hot, needed.stale, needed.missed))


def show(heads: Sequence[str], rows: Iterable[Sequence[str]]) -> None:
    """Print a table."""
    print(f"| {' | '.join(heads)} |")
    print("|" + "---|" * len(heads))
    for row in rows:
        print(f"| {' | '.join(row)} |", flush=True)


def measure(options: argparse.Namespace) -> None:
    """A real run. It keeps this process to one core, and the server to another."""
    from benchmarks._capacity_run import SHORT, VIEW_BYTES, Pace, compare, measure_costs  # noqa: PLC0415  needs Linux

    need("redis-server")
    stale_s, token_life_s = (1.0, SHORT.life_s) if options.smoke else (RUN_STALE_S, RUN_TOKEN_LIFE_S)
    with tempfile.TemporaryDirectory(prefix="capacity-") as name:
        folder = Path(name)
        for part in ("costs", "run"):
            (folder / part).mkdir()
        pace = SHORT if options.smoke else Pace(visits=options.visits)
        costs, html_bytes = measure_costs(folder / "costs", pace)
        print(f"\n## What one thing costs ({pace.visits} of each)\n")
        rows = (
            (one.name, f"{getattr(costs, one.name):,.2f}", f"{getattr(COSTS, one.name):,.2f}") for one in fields(Costs)
        )
        show(("cost", "measured now", "in the model"), rows)
        usage = Usage(
            users=options.run_users,
            pages_per_hour=options.rate / options.run_users * 3600,
            views=3,
            searches=0.2,
            token_life_s=token_life_s,
            view_bytes=VIEW_BYTES,
            html_bytes=html_bytes,
            stale_time_s=stale_s,
        )
        compared = compare(folder / "run", costs, usage, seconds=options.seconds, smoke=options.smoke)
    print(f"\n## {options.run_users} users, {options.rate:g} pages a second, {options.seconds:g} s\n")
    rows = ((one.name, f"{one.predicted:,.2f}", f"{one.measured:,.2f}", f"{one.ratio:.2f}") for one in compared)
    show(("what", "predicted", "measured", "measured, of predicted"), rows)
    if options.write:
        ratios = "; ".join(f"{one.name} {one.ratio:.2f}" for one in compared)
        write(
            "capacity",
            documented(costs),
            f"Then {options.run_users} users at random, {options.rate:g} pages a second for {options.seconds:g} s,"
            f" stale time {stale_s:g} s, tokens of {token_life_s:g} s. Measured, divided by the model's prediction:"
            f" {ratios}.",
        )


def documented(costs: Costs) -> str:
    """The costs as the documentation has them."""
    rows = ((f"`{one.name}`", one.metadata["what"], f"{getattr(costs, one.name):,.1f}") for one in fields(costs))
    return markdown_table(("name", "what", "measured"), rows)


def main() -> None:
    """`./manage.py bench capacity`."""
    options = _options()
    if options.measure:
        measure(options)
    else:
        show_model(options)


def _options() -> argparse.Namespace:
    """What was asked for."""
    usage, machines = Usage(users=1), Machines()
    parser = parser_of(__doc__, writes=True)
    parser.add_argument("--users", type=float, action="append", help="active in the busiest hour; may be repeated")
    parser.add_argument("--pages-per-hour", type=float, default=usage.pages_per_hour, help="of one user: 60")
    parser.add_argument("--views", type=float, default=usage.views, help="among which a user goes to and fro: 5")
    parser.add_argument("--searches", type=share, default=usage.searches, help="share of pages with a new search: 0.1")
    parser.add_argument("--token-life", type=float, default=usage.token_life_s, help="of an access token, seconds: 300")
    parser.add_argument("--sign-ins", type=float, default=usage.sign_ins, help="that last, for each active user: 2")
    parser.add_argument("--view-bytes", type=float, default=usage.view_bytes, help="of a view's responses: 8500")
    parser.add_argument("--html-bytes", type=float, default=usage.html_bytes, help="of a page as sent: 12000")
    parser.add_argument("--cores", type=int, default=machines.cores, help="of a machine: 8")
    parser.add_argument("--redis-gib", type=float, default=machines.redis_gib, help="of one Redis: 25")
    parser.add_argument("--load", type=share, default=machines.load, help="share of a core that may be busy: 0.5")
    parser.add_argument("--measure", action="store_true", help="hold the model against a real run")
    parser.add_argument("--visits", type=int, default=600, help="of each kind, for the costs of the real run: 600")
    parser.add_argument("--run-users", type=int, default=200, help="of the real run: 200")
    parser.add_argument("--rate", type=float, default=50.0, help="pages a second of the real run: 50")
    parser.add_argument("--seconds", type=float, default=40.0, help="of the real run: 40")
    return options_of(parser, measure=True, run_users=10, rate=10.0, seconds=2.0)


def share(text: str) -> float:
    """A number from 0 to below 1."""
    value = float(text)
    if not 0 <= value < 1:
        raise argparse.ArgumentTypeError("should be a number from 0 to below 1")
    return value


def show_model(options: argparse.Namespace) -> None:
    """What the model gives for so many users."""
    usage = Usage(
        users=1,
        pages_per_hour=options.pages_per_hour,
        views=options.views,
        searches=options.searches,
        token_life_s=options.token_life,
        sign_ins=options.sign_ins,
        view_bytes=options.view_bytes,
        html_bytes=options.html_bytes,
    )
    machines = Machines(load=options.load, cores=options.cores, redis_gib=options.redis_gib)
    asked = [replace(usage, users=users) for users in options.users or USERS]
    print(f"\n## {usage.pages_per_hour:g} pages an hour of each user, tokens of {usage.token_life_s:g} s\n")
    rows = table([(one, demand(one, COSTS)) for one in asked], machines, COSTS)
    show(["users in the busiest hour", *(f"{one.users:,.0f}" for one in asked)], rows)


if __name__ == "__main__":
    main()
