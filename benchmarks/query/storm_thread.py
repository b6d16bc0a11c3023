"""One thread of a query storm: its steps, and its checks against the writes that were completed."""

import contextlib
import functools
import random
import sqlite3
import time
from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any, Literal

import redis

from benchmarks.query.storm_rows import MAX_ROWS, START_ROWS

#: Steps of a thread, and the chance of each.
STEPS = {
    "_evict": 0.03,
    "_purge": 0.002,
    "_renew": 0.01,
    "_invent": 0.01,
    "_create": 0.06,
    "_delete": 0.05,
    "_rename": 0.25,
    "_read_one": 0.25,
    "_read": 0.338,
}
MOST_ROWS = 45

Design = Literal["log", "naive"]


@dataclass(kw_only=True)
class Report:
    """Counts of a storm.

    :ivar patched: reads that showed a cached page with later writes.
    :ivar missed: rows that a read showed, or hid, against a completed write.
    :ivar foreign: rows that a read showed, and that were seen by another user, or by an invented token.
    :ivar older: rows that a read showed in an older version than a read before it, from a page that was asked for
        earlier.
    """

    reads: int = 0
    writes: int = 0
    fetches: int = 0
    patched: int = 0
    foreign: int = 0
    evictions: int = 0
    missed: int = 0
    older: int = 0
    examples: list[str] = field(default_factory=list)

    def add(self, other: dict[str, Any]) -> None:
        """Add the counts of another."""
        for name, value in other.items():
            setattr(self, name, getattr(self, name) + value)


@dataclass(frozen=True, kw_only=True)
class Known:
    """One user's completed writes, known to all processes, by row id: the highest version, and flags.

    The last three have two numbers for a row: its version on the newest page that showed it, and when that page was
    asked for. Of two fetches at the same time, the backend may answer the later one first.

    :param leaving: of all users, set before a deletion leaves: a row that is being deleted need not be shown.
    :param renewals: how often the user's token was renewed.
    :param shown: the highest version that the list has shown; `found` the search, `shown_one` details.
    """

    version: Any
    created: Any
    deleted: Any
    leaving: Any
    shown: Any
    found: Any
    shown_one: Any
    lock: Any
    renewals: Any


@dataclass(frozen=True, kw_only=True)
class Storm:
    """Settings of a storm."""

    folder: str
    cache: dict[str, Any]
    design: Design
    seconds: float
    evict: bool
    users: int = 1


class StormThread:
    """Steps and checks of one thread."""

    def __init__(self, *, storm: Storm, people: Sequence[tuple[Known, Any]], report: Report, seed: int) -> None:
        self.storm, self.people, self.report = storm, people, report
        self.known, self.user = people[0]
        self.random = random.Random(seed)
        self.evict = _evicter(storm.cache) if storm.evict else None

    def run(self) -> None:
        end = time.monotonic() + self.storm.seconds
        while time.monotonic() < end:
            self.known, self.user = self.random.choice(self.people)
            self._step()
        for _, user in self.people:
            self.report.fetches += user.fetched
            self.report.patched += user.patched
            self.report.foreign += user.foreign
            user.fetched = user.patched = user.foreign = 0

    def _step(self) -> None:
        step = self.random.choices(list(STEPS), list(STEPS.values()))[0]
        getattr(self, step)()

    def _purge(self) -> None:
        self.user.purge()

    def _renew(self) -> None:
        # The entry of a token may be evicted: a request under way with the token before would open another cache.
        if not self.storm.evict:
            with self.known.lock:
                self.user.renew()

    def _invent(self) -> None:
        self.user.invent()

    def _read(self) -> None:
        known = self.known
        complete = self.random.random() < 0.5
        version, deleted = list(known.version), bytes(known.deleted)
        created, before = bytes(known.created), (list(known.shown), list(known.found))
        is_search, rows, left = self.user.read(all_pages=complete)
        self.report.reads += 1
        shown = {int(row["id"]): row["version"] for row in rows}
        for row_id, seen in shown.items():
            if deleted[row_id]:
                self._missed(f"{row_id} was deleted and is shown")
            elif seen < version[row_id]:
                self._missed(f"{row_id} is shown in version {seen} after {version[row_id]} was completed")
            if str(row_id) in left:
                self._shown(
                    known.found if is_search else known.shown, row_id, (seen, left[str(row_id)]), before[is_search]
                )
        if complete:
            leaving = bytes(known.leaving)
            for row_id in range(1, MAX_ROWS):
                if created[row_id] and not leaving[row_id] and row_id not in shown:
                    self._missed(f"{row_id} was created and is not shown")

    def _read_one(self) -> None:
        row_id = self.user.server.some_id()
        if row_id is None:
            return
        number = int(row_id)
        version, deleted = self.known.version[number], self.known.deleted[number]
        before = list(self.known.shown_one)
        row, left = self.user.read_one(row_id)
        self.report.reads += 1
        if row is None:
            if self.known.created[number] and not self.known.leaving[number]:
                self._missed(f"{number} was created and is not found")
        elif deleted:
            self._missed(f"{number} was deleted and is shown")
        elif row["version"] < version:
            self._missed(f"{number} is shown in version {row['version']} after {version} was completed")
        if row is not None and left is not None:
            self._shown(self.known.shown_one, number, (row["version"], left), before)

    def _shown(self, newest: Any, row_id: int, page: tuple[int, float], before: Sequence[float]) -> None:
        """Check the version that a read has shown against those shown `before` it began."""
        place = slice(2 * row_id, 2 * row_id + 2)
        version, left = before[place]
        # What was evicted is fetched again, maybe by a thread whose fetch had begun before the newer one.
        if page[0] < version and page[1] < left and not self.storm.evict:
            self.report.older += 1
        with self.known.lock:
            if page[1] > newest[place][1]:
                newest[place] = page

    def _create(self) -> None:
        if self.user.server.count() > MOST_ROWS:
            return
        row = self.user.create("row")
        self._completed(row)
        self.known.created[int(row["id"])] = 1

    def _rename(self) -> None:
        row_id = self.user.server.some_id()
        row = row_id and self.user.rename(row_id, f"row {self.random.random():.3f}")
        if row:
            self._completed(row)

    def _delete(self) -> None:
        row_id = self.user.server.some_id()
        if row_id is None or self.user.server.count() < START_ROWS:
            return
        self.known.leaving[int(row_id)] = 1
        if self.user.delete(row_id):
            self.known.deleted[int(row_id)] = 1
            self.report.writes += 1

    def _completed(self, row: dict[str, Any]) -> None:
        with self.known.lock:
            number = int(row["id"])
            self.known.version[number] = max(self.known.version[number], row["version"])
        self.report.writes += 1

    def _evict(self) -> None:
        if self.evict is not None:
            self.evict()
            self.report.evictions += 1

    def _missed(self, example: str) -> None:
        self.report.missed += 1
        if len(self.report.examples) < 3:
            self.report.examples.append(example)


def _evicter(cache: dict[str, Any]) -> Any:
    """Return a function that deletes one entry at random, behind the store's back."""
    if cache["LOCATION"].startswith("redis"):
        servers = cache["LOCATION"].partition("://")[2].partition("/")[0].split(",")
        clients = [redis.Redis.from_url(f"redis://{server}") for server in servers]

        def evict_from_redis() -> None:
            client = random.choice(clients)
            key = client.randomkey()
            if key is not None:
                client.delete(key)

        return evict_from_redis

    def evict_from_file() -> None:
        with contextlib.suppress(sqlite3.OperationalError):
            _connection(cache["LOCATION"]).execute(
                "DELETE FROM entries WHERE id IN (SELECT id FROM entries ORDER BY random() LIMIT 1)"
            )

    return evict_from_file


@functools.cache
def _connection(path: str) -> sqlite3.Connection:
    """Return a connection, which the threads share: SQLite serialises them."""
    return sqlite3.connect(path, isolation_level=None, timeout=10, check_same_thread=False)
