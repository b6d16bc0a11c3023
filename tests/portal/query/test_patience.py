"""Patience: a page waits a moment for news of what it could show as it is known, and in full for anything else."""

from __future__ import annotations

import threading
from typing import TYPE_CHECKING, Any

import pytest

from portal.api.tokens import TokenPair, TokenStore
from portal.errors import ApiNotFoundError, ApiTimeoutError, ApiUnauthorizedError, SignInEndedError
from portal.process.deadline import Deadline
from portal.process.thread_pool import Pool
from portal.query.reads.parallel_fetches import ParallelFetches
from portal.services.user import UserQueries
from tests.portal.query.fakes import Process, World, make_token, unavailable
from tests.portal.query.invariants.clients_list import listed, names
from tests.support.client_endpoints import ClientQueries, EnergySummaryQueries, ids

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from portal.query import QueryClient

WAIT_S = 20
STALE_S = 301

clients = ClientQueries.use_get_clients_query
summary = EnergySummaryQueries.use_get_summary_query
me = UserQueries.use_get_me_query


class Hung:
    """A backend that accepts calls and answers none until it may.

    :param is_asked: whether a page's patience begins when the backend was asked, so that no test is a race.
    """

    def __init__(self) -> None:
        self.is_asked = True
        self.asked, self.may_answer = threading.Semaphore(0), threading.Event()
        self.threads: list[threading.Thread] = []

    def __call__(self, _method: str, _path: str) -> None:
        self.threads.append(threading.current_thread())
        self.asked.release()
        assert self.may_answer.wait(WAIT_S)


@pytest.fixture
def hung(monkeypatch: pytest.MonkeyPatch) -> Iterator[Hung]:
    """Hangs from the first call after the test has put it into the backend."""
    made = Hung()
    wait = ParallelFetches._wait

    def when_asked(self: ParallelFetches, future: Any) -> Any:
        assert not made.is_asked or made.asked.acquire(timeout=WAIT_S)
        return wait(self, future)

    monkeypatch.setattr(ParallelFetches, "_wait", when_asked)
    yield made
    made.may_answer.set()


@pytest.fixture
def process(world: World, ada: TokenStore) -> Process:
    """Ada's list and profile are cached. Its requests have little patience, so that no test waits for long."""
    made = world.process(patience_s=0.05)
    listed(made.request(ada))
    me(made.request(ada))
    return made


@pytest.fixture
def patient(world: World, process: Process) -> Process:
    """A process whose requests wait."""
    return world.process(patience_s=WAIT_S)


def page_of(process: Process, tokens: TokenStore, **options: Any) -> QueryClient:
    """A client as a web request has it: with a deadline."""
    return process.request(tokens, deadline=Deadline(WAIT_S), **options)


def until(condition: Callable[[], bool]) -> None:
    """Wait for another thread's work."""
    end = Deadline(WAIT_S)
    while not condition():
        assert not end.passed
        threading.Event().wait(0.005)


class TestABackendThatHangs:
    def test_has_what_is_known_shown_beside_an_error_and_its_answer_kept_for_the_next_page(
        self, world: World, process: Process, ada: TokenStore, hung: Hung
    ) -> None:
        world.backend.rows[0]["name"] = "by someone else"
        world.backend.before = hung
        result = clients(page_of(process, ada, reload=True))
        assert result.unwrap().items[0]["name"] == "client 5"
        assert isinstance(result.error, ApiTimeoutError)
        assert result.is_stale
        reads = world.backend.reads()
        hung.may_answer.set()
        until(lambda: names(process.request(ada))["c5"] == "by someone else")
        assert world.backend.reads() == reads

    def test_is_waited_for_by_all_queries_of_a_request_together(
        self, world: World, process: Process, ada: TokenStore, hung: Hung, *, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        summary(process.request(ada))
        waits: list[float] = []
        waited_for = ParallelFetches._wait

        def noting(self: ParallelFetches, future: Any) -> Any:
            waits.append(self._patience_s)
            return waited_for(self, future)

        monkeypatch.setattr(ParallelFetches, "_wait", noting)
        world.backend.before = hung
        client = page_of(process, ada, reload=True)
        for read in (clients, summary, me):
            assert isinstance(read(client).error, ApiTimeoutError)  # type: ignore[operator]  # three kinds of hooks
        assert waits[0] == 0.05
        assert max(waits[1:]) <= 0, "the first has used up what there was"

    def test_is_not_asked_again_by_what_nobody_waits_for(
        self, world: World, process: Process, ada: TokenStore, hung: Hung
    ) -> None:
        world.backend.before = hung
        world.backend.failures = [unavailable()] * 3
        clients(page_of(process, ada, reload=True))
        reads = world.backend.reads()
        hung.may_answer.set()
        until(lambda: process.runtime.fetch_pool._idle == 1)
        assert world.backend.reads() == reads
        assert world.waits == []

    @pytest.mark.parametrize("why", ["nothing is cached", "a write has invalidated it", "it is a command"])
    def test_is_waited_for_in_full_by_the_thread_of_the_request(
        self, world: World, process: Process, ada: TokenStore, hung: Hung, why: str
    ) -> None:
        params: Any = {"q": "client"} if why == "nothing is cached" else None
        if why == "a write has invalidated it":
            clients.invalidate(process.request(ada))
        client = process.request(ada, reload=True) if why == "it is a command" else page_of(process, ada, reload=True)
        world.backend.before = hung
        seen: list[list[str]] = []
        thread = threading.Thread(target=lambda: seen.append(ids(clients(client, params))))
        thread.start()
        assert hung.asked.acquire(timeout=WAIT_S)
        assert hung.threads == [thread]
        hung.may_answer.set()
        thread.join(WAIT_S)
        assert seen == [["c5", "c4"]]

    def test_holds_no_more_threads_than_there_are(
        self, world: World, process: Process, ada: TokenStore, hung: Hung
    ) -> None:
        few = world.process(fetch_pool=Pool(name="few", threads=1, queue=1), patience_s=0.05)
        world.backend.before = hung
        for number in range(4):
            hung.is_asked = number == 0
            assert ids(clients(page_of(few, ada, reload=True))) == ["c5", "c4"]
        assert len(hung.threads) == 1


class TestABackendThatAnswersInTime:
    def test_with_an_error_is_tried_again_while_the_page_waits(
        self, world: World, patient: Process, ada: TokenStore
    ) -> None:
        world.backend.failures = [unavailable(), unavailable()]
        reads = world.backend.reads()
        assert clients(page_of(patient, ada, reload=True)).error is None
        assert world.backend.reads() == reads + 3

    def test_with_a_definite_no_is_believed(self, world: World, patient: Process, ada: TokenStore) -> None:
        world.backend.failures = [ApiNotFoundError(status=404)]
        result = clients(page_of(patient, ada, reload=True))
        with pytest.raises(ApiNotFoundError):
            result.unwrap()

    def test_that_it_refuses_the_token_has_the_request_refresh_it(
        self, world: World, patient: Process, ada: TokenStore
    ) -> None:
        world.backend.failures = [ApiUnauthorizedError(status=401)]
        assert clients(page_of(patient, ada, reload=True)).error is None
        assert world.backend.bearers[-2:] == [ada.current.access, None], "the second call may refresh"


def test_an_expired_token_is_refreshed_before_the_page_waits(world: World, patient: Process) -> None:
    old, new = make_token("ada"), make_token("ada")
    world.backend.users |= {old: "ada", new: "ada"}
    tokens = TokenStore(TokenPair(access=old, refresh="r"))
    listed(patient.request(tokens))
    world.backend.refresh = lambda store: store.rotate(TokenPair(access=new, refresh="s"), replaced="r") and None
    listed(page_of(patient, tokens, reload=True))
    assert world.backend.bearers[-1] == new


@pytest.mark.parametrize("meanwhile", ["the user has signed out", "the permissions have changed"])
def test_a_profile_that_comes_late_opens_nothing_of_before(
    world: World, process: Process, ada: TokenStore, hung: Hung, meanwhile: str
) -> None:
    world.clock.now += STALE_S
    world.backend.before = hung
    if meanwhile == "the permissions have changed":
        world.backend.permissions["ada"] = ["FINANCE_APP"]
    profile = me(page_of(process, ada))
    assert profile.unwrap()["permissions"] == ["ENERGY_APP"]
    assert isinstance(profile.error, ApiTimeoutError)
    if meanwhile == "the user has signed out":
        process.request(ada).purge()
        world.backend.signed_out.add(ada.current.access)
    hung.may_answer.set()
    until(lambda: process.runtime.fetch_pool._idle == 1)
    if meanwhile == "the permissions have changed":
        assert clients(process.request(ada)).data.items == ()
    else:
        assert not [key for key in world.store.values if key.startswith("ns:")]
        with pytest.raises(SignInEndedError):
            me(process.request(ada))
