"""Stale-while-revalidate: an answer past its stale time is shown as it is known, and fetched anew behind the request."""

from typing import Any

import pytest

from portal.api.tokens import TokenStore
from portal.errors import ApiForbiddenError, ApiNotFoundError, ApiTimeoutError, ApiUnauthorizedError
from portal.query.reads import revalidations
from tests.portal.query.clients import Decisive, client_of, clients, invalidate, listed, me, names, once, one
from tests.portal.query.fakes import PAST_ITS_LIFE_S, unavailable
from tests.portal.query.world import User
from tests.support.client_endpoints import ids

STALE_S = 301


def others(who: Any, **options: Any) -> Any:
    return Decisive.use_get_clients_query(client_of(who), **options)


@pytest.fixture
def ada(ada: User) -> User:
    """What she has cached is stale, and the first row was changed by someone else since."""
    clients(ada, pages=2)
    others(ada, pages=2)
    one(ada)
    me(ada)
    ada.backend.rows[0]["name"] = "by someone else"
    ada.passes(STALE_S)
    ada.backend.calls.clear()
    return ada


@pytest.fixture
def outcomes(monkeypatch: pytest.MonkeyPatch) -> list[str]:
    """How revalidations end."""
    made: list[str] = []
    monkeypatch.setattr(revalidations._counters, "count", lambda _endpoint, outcome: made.append(outcome))
    return made


def test_stale_answer_is_shown_and_fetched_behind(ada: User) -> None:
    """One of several pages is fetched page by page, with fresh cursors."""
    ada.backend.rows.insert(0, {"id": "new", "name": "by someone else"})
    with ada.reads(0):
        result = clients(ada, pages=2)
    assert (ids(result), result.is_stale, result.error) == (["c5", "c4", "c3", "c2"], True, None)
    assert result.as_of.timestamp() == ada.world.clock.now - STALE_S
    third = result.fetch_next_page()
    assert (ids(third), third.is_stale, third.error) == (["c5", "c4", "c3", "c2", "c1"], True, None)
    with ada.reads(2):
        assert ada.world.background.run() == 1
        following = clients(ada, pages=2)
    assert (ids(following), following.is_stale) == (["new", "c5", "c4", "c3"], False)
    ada.passes(STALE_S)
    listed(ada, pages=2)
    with ada.reads(2):
        ada.world.background.run()


@pytest.mark.parametrize(
    ("seconds", "read", "options"),
    [
        (PAST_ITS_LIFE_S, clients, {}),
        (-STALE_S - 60, clients, {}),
        (0, lambda client: clients(client, pages=3), {}),
        (0, others, {}),
        (0, lambda client: invalidate(client) or clients(client), {}),
        (0, clients, {"reload": True}),
    ],
    ids=["past its life", "clock ahead", "page missing", "its endpoint", "invalidated", "reload"],
)
def test_unshowable_answer_is_fetched_first(ada: User, seconds: float, read: Any, options: Any) -> None:
    ada.passes(seconds)
    result = read(ada.request(**options))
    assert (result.data.items[0]["name"], result.is_stale) == ("by someone else", False)
    assert ada.world.background.run() == 0


def test_revalidation_is_made_once_for_all(ada: User) -> None:
    other = ada.elsewhere()

    def meanwhile() -> None:
        listed(other)
        assert ada.world.background.run() >= 1

    for user in (ada, ada.elsewhere()):
        listed(user)
        ada.backend.before = once(meanwhile)
    with ada.reads(1):
        ada.world.background.run()
    assert not clients(other).is_stale


def test_query_fetched_meanwhile_is_not_revalidated(ada: User) -> None:
    listed(ada)
    listed(ada.elsewhere().request(reload=True))
    with ada.reads(0):
        ada.world.background.run()


@pytest.mark.parametrize(
    "failure",
    [unavailable(), unavailable(None), ApiTimeoutError(), ApiUnauthorizedError(status=401)],
    ids=lambda failure: f"{type(failure).__name__} {failure.status}",
)
def test_failure_behind_leaves_older_data(ada: User, outcomes: list[str], failure: Exception) -> None:
    refreshed: list[TokenStore] = []
    ada.backend.failures = [failure]
    with ada.reads(1):  # and not again while the lease lasts
        for _ in range(3):
            assert listed(ada) == ["c5", "c4"]
            ada.backend.refresh = refreshed.append
            ada.world.background.run()
            ada.backend.refresh = None
    assert (ada.world.waits, refreshed) == ([], [])
    assert outcomes == ["failed", "skipped", "skipped"]


@pytest.mark.parametrize("reload", [True, False])
@pytest.mark.parametrize("failure", [ApiNotFoundError(status=404), ApiForbiddenError(status=403)])
def test_refusal_behind_leaves_nothing_older(ada: User, failure: Exception, reload: bool) -> None:
    if reload:
        ada.backend.failures = [failure]
    assert (one(ada.request(reload=reload)).error is None) is not reload
    ada.backend.failures = [failure]
    ada.world.background.run()
    ada.backend.failures = [failure]
    result = one(ada)
    assert (type(result.error), result.data) == (type(failure), None)


def test_backend_is_not_asked_without_a_store(ada: User, outcomes: list[str]) -> None:
    listed(ada)
    ada.store.down = True
    with ada.reads(0):
        ada.world.background.run()
    assert outcomes == ["failed"]


def test_full_queue_drops_revalidations_until_later(ada: User, outcomes: list[str]) -> None:
    background, words = ada.world.background, [{"sort": word} for word in ("a", "b", "c", "d")]
    background.most = 2
    for _ in range(2):
        assert [listed(ada, params) for params in words] == [["c5", "c4"]] * 4
        ada.passes(STALE_S)
    assert outcomes == ["dropped"] * 2
    assert background.run() == 2
    listed(ada, words[-1])
    assert background.run() == 1


@pytest.mark.parametrize(("left_s", "reads"), [(-1, 0), (4, 0), (60, 1)])
def test_token_has_to_last_for_a_revalidation(ada: User, outcomes: list[str], left_s: int, reads: int) -> None:
    ada.tokens = ada.backend.sign_in(exp=ada.world.clock.now + STALE_S + left_s)
    listed(ada)
    ada.passes(STALE_S)
    with ada.reads(reads):
        assert listed(ada) == ["c5", "c4"]
        ada.world.background.run()
    assert outcomes == ["fetched" if reads else "skipped"]


@pytest.mark.parametrize("is_under_way", [False, True])
def test_revalidation_leaves_nothing_after_a_purge(ada: User, is_under_way: bool) -> None:
    listed(ada)
    kept, purge = dict(ada.store.values), ada.elsewhere().request().purge
    if is_under_way:
        ada.backend.inside = once(purge)
    else:
        purge()
    with ada.reads(int(is_under_way)):
        ada.world.background.run()
    written = {key for key, value in ada.store.values.items() if kept.get(key) != value}
    assert not [key for key in written if ":lease:" not in key]


def test_revalidation_has_its_users_token(ada: User) -> None:
    ben, tokens = ada.signed_in("ben"), TokenStore(ada.tokens.current)
    listed(ada.process.request_with(tokens))
    listed(ben)
    tokens.sign_in(ben.tokens.current)
    ada.backend.rows[0]["name"] = "adas alone"
    calls = len(ada.backend.calls)
    ada.world.background.run()
    assert ada.backend.last("bearer", 1) == [ada.tokens.current.access]
    assert len(ada.backend.calls) == calls + 1
    assert names(ben)["c5"] == "by someone else"
