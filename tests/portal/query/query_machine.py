"""A state machine against a model: the server's rows, and the writes that were completed.

Each change of a row gives it a higher version on the server. Whoever completed a write must see, in every read
that starts afterwards and in whatever process, at least the version that the write gave; what they deleted is
gone, and what they created is there. Actions run inside one another: a read or write of one process happens while
another one's request is under way, before or after the server has looked at it. Keys are evicted at random, single
store operations fail, answers are lost, time passes, and others change rows without the cache knowing. What is stale is
fetched anew behind the requests that showed it, at any moment later; nobody is ever shown another user's rows. What
others changed shows after the stale time, or the result says that it is stale; and at once where the user reloads.
What a page has shown of others' changes, no later read of that page takes back, in whatever order fetches end. Reads
with one version show the same.
"""

from __future__ import annotations

import itertools
from collections.abc import Callable
from dataclasses import dataclass, field
from random import Random
from typing import Any, Self

from hypothesis import HealthCheck, Phase, settings
from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine, initialize, invariant, rule, run_state_machine_as_test

from portal.api.tokens import TokenStore
from portal.config.limits import MAX_PAGES, STALE_TIME_S
from portal.errors import ApiNotFoundError, StoreUnavailableError
from portal.process.single_flight import SingleFlight
from portal.query.cache.pages import PAGE_LIFETIME_S
from tests.portal.query.clients import before_operation, failing
from tests.portal.query.fakes import FakeBackend, NoSingleFlight, unavailable
from tests.portal.query.world import World
from tests.portal.query.write_rules import WriteRules, nested_actions
from tests.support.client_endpoints import ClientQueries
from tests.support.fake_clock import FakeClock
from tests.support.whole_runs import IS_WHOLE, number_of

VARIANTS: list[Any] = [None, {"sort": "name"}, {"q": "a"}]


@dataclass
class VersionedBackend(FakeBackend):
    """Its rows tell their versions, and to whom they were shown: every change of a row gives a higher version."""

    numbers: itertools.count[int] = field(default_factory=lambda: itertools.count(1))

    def _do(self, token: str | None, method: str, path: str, params: dict[str, Any], body: Any) -> Any:
        if method in {"POST", "PATCH"}:
            body = {**body, "version": next(self.numbers)}
        return self._as_shown_to(self.users.get(token or ""), super()._do(token, method, path, params, body))

    def _as_shown_to(self, user: str | None, answer: Any) -> Any:
        """Every row names the user who saw it."""
        if isinstance(answer, dict) and "items" in answer:
            return {**answer, "items": [{**row, "shown_to": user} for row in answer["items"]]}
        return {**answer, "shown_to": user} if isinstance(answer, dict) else answer

    def change_row(self, index: int) -> dict[str, Any]:
        row = self.rows[index % len(self.rows)]
        row["name"], row["version"] = f"{row['name']}!", next(self.numbers)
        return row


class QueryMachine(WriteRules):
    """The actions."""

    queries: Any = ClientQueries
    single_flight: type[SingleFlight[Any]] = SingleFlight
    #: Variants whose pages together show all that was created.
    complete = (0, 1)
    #: A detail that is fetched after a creation or deletion shows it.
    details_follow = True
    #: The total that is shown beside all rows is their number.
    totals_follow = True

    @initialize()
    def start(self) -> None:
        # No two requests leave at the same moment.
        self.world = World(options={"random_below": Random(0).randrange}, clock=FakeClock(step=1e-5))
        self.world.backend = self.start_backend()
        self.world.backend.rows = [{"id": f"c{n}", "name": f"a{n}", "version": 0} for n in range(4, 0, -1)]
        self.processes = [self.world.process(single_flight=self.single_flight()) for _ in range(2)]
        self.ada, self.ben = self.world.backend.sign_in("ada"), self.world.backend.sign_in("ben")
        self.written, self.created, self.deleted = {}, {}, set()
        #: What others changed: when, which row, and its version since.
        self.changed: list[tuple[float, str, int]] = []
        #: Of each page of a query, the version of each row that the page has shown as it came; None for a row that was
        #: not there.
        self.shown: dict[tuple[object, int], dict[str, int | None]] = {}
        self.deleted_by_others: set[str] = set()
        self.store_failures = 0
        #: What was shown, by its version.
        self.versions: dict[object, Any] = {}

    def start_backend(self) -> VersionedBackend:
        """The server."""
        return VersionedBackend()

    # --- what a user does ---

    @rule(
        process=st.integers(0, 1),
        variant=st.integers(0, 2),
        pages=st.sampled_from([1, 2, MAX_PAGES]),
        nested=nested_actions,
    )
    def read(self, process: int, variant: int, pages: int, nested: list[Any]) -> None:
        written, created, deleted = dict(self.written), dict(self.created), set(self.deleted)
        client, now = self.processes[process].request(self.ada), self.world.clock.now
        with _Watched(self, variant) as watched, self.interrupted_by(nested):
            result = watched.result = self.queries.use_get_clients_query(client, VARIANTS[variant], pages=pages)
        assert result.error is None
        self._check_version(result)
        shown = {row["id"]: row for row in result.data.items}
        there = {row["id"] for row in self.world.backend.rows}
        assert len(shown) == len(result.data.items), "a row came twice"
        for row_id, row in shown.items():
            assert row["shown_to"] == "ada", "these are another user's rows"
            assert row_id not in deleted, f"{row_id} was deleted"
            if row_id in there:  # one that is gone may be shown as it was created, since reads may lag
                assert row["version"] >= written.get(row_id, 0), f"{row_id} is older than a completed write"
            self._check_age(row, now=now, is_stale=result.is_stale)
        if pages == MAX_PAGES and variant in self.complete:
            # A row that is renamed while the pages are read may move, by its name, to a page that was read already.
            moved = {name for name, version in self.written.items() if version > written.get(name, 0) and variant}
            gone = deleted | self.deleted | self.deleted_by_others
            missing = {row_id for row_id in created if row_id not in gone | moved} - set(shown)
            assert not missing, f"{missing} were created and are not shown"
        if pages == MAX_PAGES and self.totals_follow and not nested and not self.deleted_by_others:
            assert result.data.total in {None, len(shown)}, "the total is not that of the rows"

    @rule(process=st.integers(0, 1), row=st.integers(0, 7), nested=nested_actions)
    def read_one(self, process: int, row: int, nested: list[Any], *, reload: bool = False) -> None:
        known = ["c1", "c2", "c3", "c4", *self.created]
        row_id = known[row % len(known)]
        version, deleted, now = self.written.get(row_id, 0), row_id in self.deleted, self.world.clock.now
        client = self.processes[process].request(self.ada, reload=reload)
        with _Watched(self, row_id) as watched, self.interrupted_by(nested):
            result = watched.result = self.queries.use_get_client_query(client, {"id": row_id})
        self._check_version(result)
        if isinstance(result.error, ApiNotFoundError):
            there = {row["id"] for row in self.world.backend.rows}
            assert row_id not in there or not self.details_follow, f"{row_id} is there, and is not shown"
            return
        shown: Any = result.unwrap()
        if deleted and not self.details_follow:
            return
        assert not deleted, f"{row_id} was deleted"
        assert (shown["id"], shown["shown_to"]) == (row_id, "ada")
        assert shown["version"] >= version, f"{row_id} is older than a completed write"
        self._check_age(shown, now=now, is_stale=result.is_stale)

    def _check_age(self, row: Any, *, now: float, is_stale: bool) -> None:
        age_s = PAGE_LIFETIME_S if is_stale else STALE_TIME_S
        seen = max(
            [version for at, row_id, version in self.changed if row_id == row["id"] and at <= now - age_s] or [0]
        )
        assert row["version"] >= seen, f"{row['id']} is older than it may be after {age_s} s"

    def _check_version(self, result: Any) -> None:
        if result.version is not None:
            known = self.versions.setdefault(result.version, result.data)
            assert result.data == known, "what has the same version is not the same"

    @rule(process=st.integers(0, 1), variant=st.integers(0, 1))
    def reload(self, process: int, variant: int) -> None:
        """What the backend says now, whatever is cached."""
        client = self.processes[process].request(self.ada, reload=True)
        with _Watched(self, variant) as watched:
            result = watched.result = self.queries.use_get_clients_query(client, VARIANTS[variant], pages=MAX_PAGES)
        there = {row["id"] for row in self.world.backend.rows}
        # What this user created a moment ago is shown although it has gone since: reads may lag.
        assert {row["id"] for row in result.data.items} - (self.created.keys() - there) == there

    @rule(process=st.integers(0, 1), row=st.integers(0, 7))
    def reload_one(self, process: int, row: int) -> None:
        self.read_one(process, row, [], reload=True)

    @rule(process=st.integers(0, 1), row=st.integers(0, 7))
    def read_one_while_the_backend_does_not_answer(self, process: int, row: int) -> None:
        """What is shown is this user's own."""
        known = ["c1", "c2", "c3", "c4", *self.created]
        row_id = known[row % len(known)]
        kept, self.world.backend.before = self.world.backend.before, failing(unavailable())
        client = self.processes[process].request(self.ada)
        result: Any = self.queries.use_get_client_query(client, {"id": row_id})
        self.world.backend.before = kept
        assert result.data is None or (result.data["id"], result.data["shown_to"]) == (row_id, "ada")

    # --- what others do ---

    @rule(process=st.integers(0, 1), nested=nested_actions)
    def ben_reads(self, process: int, nested: list[Any]) -> None:
        with self.interrupted_by(nested):
            result = self.queries.use_get_clients_query(self.processes[process].request(self.ben))
        self._check_version(result)
        assert {row["shown_to"] for row in result.data.items} <= {"ben"}, "these are another user's rows"

    @rule(process=st.integers(0, 1), ends=st.sampled_from(["signed out", "signed in as ben"]))
    def a_request_reads_and_ends_with_other_tokens(self, process: int, ends: str) -> None:
        tokens = TokenStore(self.ada.current)
        self.queries.use_get_clients_query(self.processes[process].request_with(tokens))
        if ends == "signed out":
            tokens.clear()
        else:
            tokens.sign_in(self.ben.current)

    # --- what happens to them ---

    @rule(nested=nested_actions)
    def what_is_stale_is_fetched_behind(self, nested: list[Any]) -> None:
        with self.interrupted_by(nested):
            self.world.background.run()

    @rule(seconds=st.sampled_from([1, 200, 301]))
    def time_passes(self, seconds: int) -> None:
        self.world.clock.now += seconds

    @rule(row=st.integers(0, 5))
    def someone_else_changes_a_row(self, row: int) -> None:
        if self.world.backend.rows:
            # No two requests leave at the same moment, one before the change and one after it.
            self.world.clock.now += 0.001
            changed = self.world.backend.change_row(row)
            self.changed.append((self.world.clock.now, changed["id"], changed["version"]))

    @rule(row=st.integers(0, 5))
    def someone_else_deletes_a_row(self, row: int) -> None:
        if len(self.world.backend.rows) > 1:
            self.deleted_by_others.add(self.world.backend.rows.pop(row % len(self.world.backend.rows))["id"])

    @rule(keys=st.lists(st.integers(0, 60), max_size=8))
    def keys_are_evicted(self, keys: list[int]) -> None:
        for key in keys:
            self._evict(key)

    @rule(operation=st.integers(0, 7))
    def a_store_operation_will_fail(self, operation: int) -> None:
        def fail() -> None:
            self.store_failures += 1
            raise StoreUnavailableError("once, for this test")

        before_operation(self.world, operation, fail)

    @rule(process=st.integers(0, 1))
    def a_process_is_replaced(self, process: int) -> None:
        self.processes[process] = self.world.process(single_flight=self.single_flight())

    @rule(process=st.integers(0, 1))
    def purge(self, process: int) -> None:
        self.world.store.before_each = None
        self.processes[process].request(self.ada).purge()

    @rule(process=st.integers(0, 1))
    def invalidate(self, process: int) -> None:
        self.queries.use_get_clients_query.invalidate(self.processes[process].request(self.ada))

    @invariant()
    def no_token_is_stored(self) -> None:
        if hasattr(self, "world"):
            assert not any((self.ada.current.access or "") in value for value in self.world.store.values.values())

    # --- inside one another ---

    def _evict(self, key: int) -> None:
        names = sorted(self.world.store.values)
        if names:
            self.world.store.values.pop(names[key % len(names)], None)

    def run_nested(self, what: str, process: int, number: int) -> None:
        may_create = len(self.world.backend.rows) < 12
        actions: dict[str, Callable[[], object]] = {
            "read": lambda: self.read(process, number % 3, 2, []),
            "read one": lambda: self.read_one(process, number, []),
            "reload": lambda: self.reload(process, number % 2),
            "reload one": lambda: self.reload_one(process, number),
            "others change": lambda: self.someone_else_changes_a_row(number),
            "others delete": lambda: self.someone_else_deletes_a_row(number),
            "rename": lambda: self.rename(process, number, "n", []),
            "touch": lambda: self.touch(process, number, "n", []),
            "delete": lambda: self.delete(process, number, []),
            "create": lambda: self.create(process, "n", []) if may_create else None,
            "evict": lambda: self._evict(number * 7),
            "revalidate": self.world.background.run,
            "tick": lambda: self.time_passes(120),
        }
        actions[what]()


class _Watched:
    """A block that reads a query: no page of its result is older than one that was shown before the block began.

    :param query: the row of a detail, the variant of a list.
    :ivar result: of the read.
    """

    def __init__(self, machine: QueryMachine, query: object) -> None:
        self.machine, self.query, self.result = machine, query, None
        self.before = {place: dict(rows) for place, rows in machine.shown.items()}
        self.failures = machine.store_failures

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *raised: object) -> None:
        result: Any = self.result
        if raised[0] is not None:
            return
        if isinstance(result.error, ApiNotFoundError):
            pages: list[Any] = [{}]
        elif isinstance(self.query, str):
            pages = [{self.query: result.data["version"]}] if result.data else []
        else:
            pages = [{row["id"]: row["version"] for row in body["items"]} for body in result.data.raw_res]
        # What is not stored, or shows more than came, is nothing that later reads have.
        is_stored = self.failures == self.machine.store_failures
        is_stored &= result.version is not None or isinstance(result.error, ApiNotFoundError)
        for index, rows in enumerate(pages):
            known = self.before.get((self.query, index), {})
            for name, version in rows.items():
                seen = known.get(name, 0)
                assert seen is not None, f"{name} was deleted by others, and comes back"
                assert version >= seen, f"{name} is older than it was shown before"
            if is_stored:
                shown = self.machine.shown.setdefault((self.query, index), {})
                if isinstance(result.error, ApiNotFoundError):
                    shown[str(self.query)] = None
                for name, version in rows.items():
                    if (seen := shown.get(name, 0)) is not None:
                        shown[name] = max(seen, version)


class WithoutSingleFlight(QueryMachine):
    """query-cache, I11: the same with the single flight switched off."""

    single_flight = NoSingleFlight


def run_machine(machine: type[RuleBasedStateMachine], *, examples: int = number_of(100), steps: int = 30) -> None:
    """Run a machine. To make a failure small takes minutes: that is done in a whole run alone."""
    options: dict[str, Any] = {} if IS_WHOLE else {"phases": [Phase.generate], "report_multiple_bugs": False}
    run_state_machine_as_test(
        machine,
        settings=settings(
            max_examples=examples,
            stateful_step_count=steps,
            derandomize=True,
            suppress_health_check=list(HealthCheck),
            **options,
        ),
    )
