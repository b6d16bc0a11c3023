"""What users see while a part of the topology fails, and when all is well again without anybody's help.

Users visit pages through nginx and send forms; their access tokens live for seconds. One part after another fails: the
backend is stopped, or hangs; Redis is stopped, hangs, or loses its primary; workers are killed; two clocks are 60 s
off; the disk of the embedded store is full. Each fault has users of its own, who are looked at for a while after it.

`./manage.py bench topology_faults [--only backend] [--seconds 20] [--after 30]`
"""

from __future__ import annotations

import contextlib
import sys
import time
from collections import Counter
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from benchmarks._front_door import Doors, Visitor, quantile
from benchmarks._measured import table, write
from benchmarks._options import options_of, parser_of
from benchmarks._targets import Targets
from benchmarks._topology import temporary_topology
from benchmarks._visits import Crowd, signed_in
from tests.support.topology.small_disk import may_mount

if TYPE_CHECKING:
    import argparse
    from collections.abc import Callable, Iterator

    from tests.support.topology import Topology

RATE = 25
ACCESS_LIFETIME_S = 15
#: Sound for so long means recovered, seconds.
SOUND_S = 5.0
CLOCKS_APART_S = 60


@dataclass(frozen=True)
class Fault:
    """One thing that fails.

    :param seconds: for how long.
    :param during: the block in which it does.
    :param embedded: whether it concerns the embedded store, on a file system that is mounted for it.
    """

    name: str
    seconds: float
    during: Callable[[Topology], contextlib.AbstractContextManager[None]]
    embedded: bool = False


@dataclass(frozen=True)
class Seen:
    """One line of the table.

    :param statuses: from the beginning of the fault to the end of the observation.
    :param bad_until_s: after the end of the fault, when the last request failed; None if none did after it.
    """

    fault: Fault
    statuses: Counter[int | None]
    latencies_s: list[float]
    signed_out: int
    lost: int
    doubled: int
    unconfirmed: int
    bad_until_s: float | None
    recovered: bool


@contextlib.contextmanager
def _worker_killed(topology: Topology) -> Iterator[None]:
    for name in ("energy-1", "operations-2"):
        topology.kill_worker(name)
    yield


@contextlib.contextmanager
def _primary_lost(topology: Topology) -> Iterator[None]:
    topology.fail_over()
    yield


@contextlib.contextmanager
def _clocks_apart(topology: Topology) -> Iterator[None]:
    # One of each pair, so that every user meets both clocks.
    with (
        topology.clock_shifted("energy-1", CLOCKS_APART_S),
        topology.clock_shifted("operations-2", -CLOCKS_APART_S),
    ):
        yield


FAULTS = [
    Fault("backend stopped", 20, lambda topology: topology.backend_stopped()),
    Fault("backend hung", 15, lambda topology: topology.backend_hung()),
    Fault("Redis stopped", 20, lambda topology: topology.redis_stopped()),
    Fault("Redis hung", 15, lambda topology: topology.redis_hung()),
    Fault("Redis's primary killed", 10, _primary_lost),
    Fault("two workers killed", 10, _worker_killed),
    Fault("clocks of two servers 60 s off", 30, _clocks_apart),
    Fault(
        "disk of the embedded store full",
        20,
        lambda topology: topology.disk_full(),
        embedded=True,
    ),
]


def main() -> None:
    """See the module."""
    parser = parser_of(__doc__, writes=True)
    parser.add_argument("--only", nargs="+", help="parts of the names of faults")
    parser.add_argument("--seconds", type=float, help="of each fault, in place of its own")
    parser.add_argument("--users", type=int, default=20, help="other ones for each fault: 20")
    parser.add_argument("--before", type=float, default=5, help="seconds for which all is well first: 5")
    parser.add_argument("--after", type=float, default=30, help="seconds for which users are looked at after it")
    parser.add_argument("--keep-log", type=Path, help="a folder that gets the logs of all servers")
    options = options_of(parser, only=["backend hung"], users=4, seconds=2, before=1, after=2)
    chosen = [fault for fault in FAULTS if not options.only or any(part in fault.name for part in options.only)]
    for fault in [fault for fault in chosen if fault.embedded and not may_mount()]:
        print(f"skipped: {fault.name}: this machine lacks the right to mount a file system")
        chosen.remove(fault)
    seen: list[Seen] = []
    for embedded in (False, True):
        faults = [fault for fault in chosen if fault.embedded is embedded]
        if not faults:
            continue
        # Other people for each fault, so that none brings the last one's traces along.
        emails = tuple(f"user{number}@example.com" for number in range(options.users * len(faults)))
        with temporary_topology(
            options, accounts=emails, token_lifetime_s=ACCESS_LIFETIME_S, embedded=embedded
        ) as topology:
            for number, fault in enumerate(faults):
                people = emails[number * options.users : (number + 1) * options.users]
                print(f"{fault.name} …", file=sys.stderr, flush=True)
                seen.append(_watch(topology, fault, people, options))
                print(_table(seen[-1:]), file=sys.stderr, flush=True)
            if options.keep_log is not None:
                options.keep_log.mkdir(exist_ok=True)
                kept = options.keep_log / ("embedded.log" if embedded else "redis.log")
                kept.write_bytes(topology.log.read_bytes())
    print(_table(seen))
    if options.write:
        write("topology_faults", _documented(seen))
    targets = Targets(smoke=options.smoke)
    for line in seen:
        met = line.recovered and not (line.signed_out or line.lost or line.doubled)
        targets.hold(line.fault.name, "recovers alone, nobody is signed out, no write is lost or doubled", met=met)
    targets.end()


def _watch(topology: Topology, fault: Fault, emails: tuple[str, ...], options: argparse.Namespace) -> Seen:
    doors = Doors.of(topology)
    crowd = Crowd(doors, signed_in(doors, emails), RATE)
    crowd.start()
    time.sleep(options.before)
    began = crowd.elapsed_s
    with fault.during(topology):
        time.sleep(max(0.0, began + (options.seconds or fault.seconds) - crowd.elapsed_s))
        ending = crowd.elapsed_s
    ended = crowd.elapsed_s
    time.sleep(options.after)
    observed = crowd.elapsed_s
    crowd.end()
    requests = [entry for visitor in crowd.visitors for entry in visitor.latencies_s if entry[0] + entry[1] >= began]
    bad = [at + took for at, took, status in requests if status is None or status >= 500]
    late = [at for at in bad if at > ending]
    lost, doubled, _ = crowd.writes.check(topology.backend.port, emails[0])
    return Seen(
        fault=fault,
        statuses=Counter(status for _, _, status in requests),
        latencies_s=[took for _, took, _ in requests],
        signed_out=sum(map(_is_out, crowd.visitors)),
        lost=lost,
        doubled=doubled,
        unconfirmed=len(crowd.writes.unknown),
        bad_until_s=max(late) - ended if late else None,
        recovered=not any(at > observed - SOUND_S for at in bad),
    )


def _is_out(visitor: Visitor) -> bool:
    return visitor.signed_out > 0 or not visitor.is_signed_in


def _table(lines: list[Seen]) -> str:
    """All figures."""
    heads = (
        "fault",
        "answers",
        "p50",
        "p95",
        "longest",
        "users signed out",
        "confirmed writes lost, doubled",
        "forms not confirmed",
        "last failure after its end",
        "recovered alone",
    )
    rows = []
    for line in lines:
        answers = ", ".join(f"{status or 'none'}: {number}" for status, number in line.statuses.most_common())
        rows.append(
            (
                line.fault.name,
                answers,
                f"{1000 * quantile(line.latencies_s, 0.5):.0f} ms",
                f"{quantile(line.latencies_s, 0.95):.1f} s",
                f"{max(line.latencies_s, default=0):.1f} s",
                str(line.signed_out),
                f"{line.lost}, {line.doubled}",
                str(line.unconfirmed),
                "none" if line.bad_until_s is None else f"{max(0.0, line.bad_until_s):.1f} s",
                "yes" if line.recovered else "no",
            )
        )
    return table(heads, rows)


def _documented(lines: list[Seen]) -> str:
    """What differs from line to line: none may sign somebody out, or lose a write."""
    heads = ("fault", "503 of answers", "p95", "longest", "forms not confirmed", "last failure after its end")
    rows = [
        (
            line.fault.name,
            f"{line.statuses[503]} of {line.statuses.total():,}",
            f"{quantile(line.latencies_s, 0.95):.1f} s",
            f"{max(line.latencies_s, default=0):.1f} s",
            str(line.unconfirmed),
            "none" if line.bad_until_s is None else f"{max(0.0, line.bad_until_s):.1f} s",
        )
        for line in lines
    ]
    return table(heads, rows)


if __name__ == "__main__":
    main()
