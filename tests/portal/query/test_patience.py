"""Patience: a page waits a moment for newer data than it could show, and in full for anything else."""

import threading
from collections.abc import Iterator
from functools import partial
from typing import Any

import pytest

from portal.config.limits import FETCH_QUEUE, FETCH_THREADS, PROFILE_BUDGET_S
from portal.errors import ApiTimeoutError, ApiUnauthorizedError
from portal.process import Slots
from portal.process.deadline import Deadline
from portal.process.thread_pool import Pool
from portal.query import QueryClient
from portal.query.reads import Reads
from tests.portal.query import clients as shown_stale
from tests.portal.query.clients import Decisive, client_of, me, once
from tests.portal.query.fakes import unavailable
from tests.portal.query.world import User
from tests.support.processes import until

WAIT_S = 20
STALE_S = 301


def clients(who: Any, **options: Any) -> Any:
    return Decisive.use_get_clients_query(client_of(who), **options)


def listed(who: Any, **options: Any) -> list[str]:
    return [row["id"] for row in clients(who, **options).unwrap().items]


def summary(who: Any) -> Any:
    return Decisive.use_get_summary_query(client_of(who))


class Hung:
    """A backend that accepts calls and answers none until it may."""

    def __init__(self) -> None:
        self.is_short = False
        self.asked, self.may_answer = threading.Semaphore(0), threading.Event()
        self.threads: list[threading.Thread] = []
        self.patience: list[float] = []

    def __call__(self, _method: str, _path: str) -> None:
        self.threads.append(threading.current_thread())
        self.asked.release()
        assert self.may_answer.wait(WAIT_S)


@pytest.fixture
def hung(monkeypatch: pytest.MonkeyPatch) -> Iterator[Hung]:
    """Hangs from the first call after the test has put it into the backend. Patience begins when it was asked."""
    made = Hung()
    wait = Reads._wait

    def when_asked(self: Reads, plan: Any) -> Any:
        made.patience.append(self._patience_s)
        self._patience_s = min(self._patience_s, 0.05) if made.is_short else self._patience_s
        assert made.asked.acquire(timeout=WAIT_S)
        return wait(self, plan)

    monkeypatch.setattr(Reads, "_wait", when_asked)
    yield made
    made.may_answer.set()


@pytest.fixture
def ada(ada: User) -> User:
    """What she has cached is stale. Her requests have little patience, so that no test waits for long."""
    listed(ada)
    summary(ada)
    me(ada)
    ada.passes(STALE_S)
    return with_threads(ada, patience_s=0.05)


@pytest.fixture
def patient(ada: User) -> User:
    """Her requests wait."""
    return with_threads(ada, patience_s=WAIT_S)


def with_threads(user: User, *, patience_s: float) -> User:
    """The user in a process that fetches in threads."""
    return user.elsewhere(patience_s=patience_s, pool=Pool(name="fetch", threads=FETCH_THREADS, queue=FETCH_QUEUE))


def page_of(user: User, **options: Any) -> QueryClient:
    """A client as a web request has it, with a deadline."""
    return user.request(deadline=Deadline(WAIT_S), **options)


def test_hung_backend_has_older_data_shown(ada: User, hung: Hung) -> None:
    ada.backend.rows[0]["name"] = "by someone else"
    ada.backend.before = hung
    result = clients(page_of(ada))
    assert (result.unwrap().items[0]["name"], result.is_stale) == ("client 5", True)
    assert isinstance(result.error, ApiTimeoutError)
    hung.may_answer.set()
    until(lambda: ada.process.runtime.pool._idle == 1, what="the late answer")
    with ada.reads(0):
        assert clients(page_of(ada)).data.items[0]["name"] == "by someone else"


def test_abandoned_fetch_is_not_tried_again(ada: User, hung: Hung) -> None:
    def fail(method: str, path: str) -> None:
        hung(method, path)
        raise unavailable()

    ada.backend.before = fail
    with ada.reads(1):
        assert isinstance(clients(page_of(ada)).error, ApiTimeoutError)
        hung.may_answer.set()
        until(lambda: ada.process.runtime.pool._idle == 1, what="the late failure")


def test_patience_is_of_all_queries_together(ada: User, hung: Hung) -> None:
    ada.backend.before = hung
    client = page_of(ada)
    for read in (clients, summary, me):
        assert isinstance(read(client).error, ApiTimeoutError)
    assert hung.patience[0] == 0.05
    assert max(hung.patience[1:]) <= 0, "the first has used up what there was"


@pytest.mark.parametrize("why", ["nothing is cached", "a write has invalidated it", "it is a command", "a reload"])
def test_wait_in_full_is_the_requests_thread(ada: User, hung: Hung, why: str) -> None:
    read = shown_stale.listed if why in {"nothing is cached", "a reload"} else listed
    if why == "a write has invalidated it":
        Decisive.use_get_clients_query.invalidate(ada.request())
    client = ada.request() if why == "it is a command" else page_of(ada, reload=why == "a reload")
    ada.backend.before = hung
    seen: list[list[str]] = []
    thread = threading.Thread(target=lambda: seen.append(read(client)))
    thread.start()
    assert hung.asked.acquire(timeout=WAIT_S)
    assert hung.threads == [thread]
    hung.may_answer.set()
    thread.join(WAIT_S)
    assert seen == [["c5", "c4"]]


@pytest.mark.parametrize("queue_is_full", [False, True])
def test_fetch_without_thread_is_made_by_request(patient: User, queue_is_full: bool) -> None:
    """Other endpoints hang, and hold all threads."""
    pool, goes_on = patient.process.runtime.pool, threading.Event()
    held = [pool.submit(partial(goes_on.wait, WAIT_S)) for _ in range(FETCH_THREADS)]
    while queue_is_full and pool.submit(goes_on.wait) is not None:
        pass
    try:
        assert me(page_of(patient)).error is None
        assert not any(each.done() for each in held)
    finally:
        goes_on.set()


def test_wait_for_newer_data_holds_no_slot(patient: User) -> None:
    slots, asked = Slots(1, per_endpoint=1), []

    def note(_method: str, path: str) -> None:
        with slots.hold(wait_s=WAIT_S):
            asked.append(path)

    patient.backend.before = note
    with slots.hold(wait_s=0):
        listed(page_of(patient))
    assert len(asked) == 1


def test_full_endpoint_has_older_data_shown(patient: User) -> None:
    with Slots(1, per_endpoint=0).hold(wait_s=0):
        result = clients(page_of(patient))
    assert result.is_stale
    assert isinstance(result.error, ApiTimeoutError)


def test_errors_in_time_are_tried_again(patient: User) -> None:
    patient.backend.failures = [unavailable(), unavailable()]
    with patient.reads(3):
        listed(page_of(patient))
    patient.passes(STALE_S)
    patient.backend.failures = [ApiUnauthorizedError(status=401)]
    listed(page_of(patient))
    assert patient.backend.last("bearer", 2) == [patient.tokens.current.access, None], "the second call may refresh"


@pytest.mark.parametrize(("waits_in_full", "fetches"), [(True, 2), (False, 1)])
def test_full_wait_joins_no_abandonable_fetch(patient: User, waits_in_full: bool, fetches: int) -> None:
    """A fetch that its request may leave is not tried again."""
    other = threading.Thread(target=lambda: listed(patient.request() if waits_in_full else page_of(patient)))
    patient.backend.before = once(lambda: (other.start(), other.join(0.3)))
    with patient.reads(fetches):
        listed(page_of(patient))
        other.join(WAIT_S)


def test_expired_token_is_refreshed_before_the_wait(patient: User) -> None:
    new = patient.signed_in().tokens.current
    patient.backend.refresh = lambda store: store.rotate(new, replaced="refresh of ada") and None
    listed(page_of(patient))
    assert patient.backend.last("bearer", 1) == [new.access]


def test_profile_takes_a_part_of_a_reload(ada: User, hung: Hung) -> None:
    """It is read with every page: a backend that answers all but the profile has its data shown anew."""
    ada.backend.rows[0]["name"] = "by someone else"
    ada.backend.before = lambda method, path: hung(method, path) if path == "/me" else None
    client = page_of(ada, reload=True)
    hung.is_short = True
    assert isinstance(me(client).error, ApiTimeoutError)
    assert hung.patience == [PROFILE_BUDGET_S]
    assert shown_stale.clients(client).data.items[0]["name"] == "by someone else"
