"""Requests through nginx while every instance is restarted, one after another, and Redis loses its primary.

The topology of `make topology`: two instances of each project, Redis with Sentinels, https. Users are signed in by the
form; their access tokens live for seconds, so tokens are refreshed all the time. Then every write that was confirmed
is looked for at the backend.

`./manage.py bench topology_load [--seconds 60] [--rate 200] [--without restarts failover]`
"""

from __future__ import annotations

from collections import Counter
from pathlib import Path
from typing import TYPE_CHECKING

from benchmarks._front_door import Doors, quantile
from benchmarks._options import options_of, parser_of
from benchmarks._targets import Targets
from benchmarks._topology import temporary_topology
from benchmarks._visits import Crowd, signed_in

if TYPE_CHECKING:
    from tests.support.topology import Topology

SHOWN = 40


def main() -> None:
    """See the module."""
    parser = parser_of(__doc__)
    parser.add_argument("--seconds", type=float, default=60, help="at least; every restart is waited for")
    parser.add_argument("--rate", type=float, default=200, help="requests a second")
    parser.add_argument("--users", type=int, default=60)
    parser.add_argument("--token-seconds", type=int, default=15, help="lifetime of an access token")
    parser.add_argument("--without", nargs="+", default=[], choices=("restarts", "failover"))
    parser.add_argument("--keep-log", type=Path, help="a file that gets the log of all servers")
    options = options_of(parser, seconds=4, rate=40, users=8)
    emails = tuple(f"user{number}@example.com" for number in range(options.users))
    with temporary_topology(options, accounts=emails, token_lifetime_s=options.token_seconds) as topology:
        doors = Doors.of(topology)
        crowd = Crowd(doors, signed_in(doors, emails), options.rate)
        crowd.start()
        _meanwhile(topology, crowd, options.seconds, without=options.without)
        crowd.end()
        took = crowd.elapsed_s
        for visitor in crowd.visitors:
            if not visitor.is_signed_in:
                visitor.signed_out += 1
        lost, doubled, found = crowd.writes.check(topology.backend.port, emails[0])
        if options.keep_log is not None:
            options.keep_log.write_bytes(topology.log.read_bytes())
    targets = Targets(smoke=options.smoke)
    _report(crowd, took, targets, lost=lost, doubled=doubled, found=found)
    targets.end()


def _meanwhile(topology: Topology, crowd: Crowd, seconds: float, *, without: list[str]) -> None:
    """Restart every instance in turn, with a failover in the middle."""

    def note(text: str) -> None:
        print(f"  {crowd.elapsed_s:5.1f} s  {text}", flush=True)

    crowd.stop.wait(seconds / 12)
    names = [] if "restarts" in without else list(topology.instances)
    for number, name in enumerate([*names[: len(names) // 2], "redis", *names[len(names) // 2 :]]):
        # Spread over the time that there is, if it suffices.
        crowd.stop.wait(max(0.0, seconds / 12 + seconds * 0.8 * number / (len(names) + 1) - crowd.elapsed_s))
        if name == "redis":
            if "failover" not in without:
                note("Redis's primary is killed")
                topology.fail_over()
                note("another primary has its place, and it is back as a replica")
            continue
        note(f"{name} restarts")
        topology.restart(name)
        note(f"{name} answers")
    crowd.stop.wait(max(0.0, seconds - crowd.elapsed_s))


def _report(crowd: Crowd, took: float, targets: Targets, *, lost: int, doubled: int, found: int) -> None:
    statuses = sum((visitor.statuses for visitor in crowd.visitors), Counter())
    latencies = [latency for visitor in crowd.visitors for _, latency, _ in visitor.latencies_s]
    requests_lost = sorted(entry for visitor in crowd.visitors for entry in visitor.lost)
    out = sum(visitor.signed_out for visitor in crowd.visitors)
    refreshed = sum(visitor.refreshed for visitor in crowd.visitors)
    total = statuses.total()
    print(f"\n{total} requests in {took:.0f} s, {total / took:.0f} a second; {len(crowd.visitors)} users")
    print("  " + ", ".join(f"{status or 'no answer'}: {number}" for status, number in statuses.most_common()))
    quantiles = [1000 * quantile(latencies, part) for part in (0.5, 0.95, 0.99)]
    print("  p50 {:.0f} ms, p95 {:.0f} ms, p99 {:.0f} ms, ".format(*quantiles), end="")
    print(f"longest {max(latencies):.1f} s; answers with new tokens: {refreshed}")
    writes = crowd.writes
    print(f"  writes: {len(writes.confirmed)} confirmed, {len(writes.unknown)} not; {found} at the backend")
    for at, what in requests_lost[:SHOWN]:
        print(f"  lost at {at:5.1f} s: {what}")
    if len(requests_lost) > SHOWN:
        print(f"  … and {len(requests_lost) - SHOWN} more")
    targets.hold(f"{len(requests_lost)} requests lost", "0", met=not requests_lost)
    targets.hold(f"{out} sign-outs", "0", met=not out)
    targets.hold(f"{lost} confirmed writes lost, {doubled} doubled", "0", met=not lost and not doubled)


if __name__ == "__main__":
    main()
