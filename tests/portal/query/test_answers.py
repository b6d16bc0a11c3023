"""`set_answer`: the response of a write is the newest response of the detail.

That nothing older is shown, whatever overlaps, is what `query_machine` and `test_interleavings` look for.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import pytest

from portal.errors import UsageError
from portal.query import MutationGroup, QueryGroup, Record, mutation_endpoint, query_endpoint
from portal.query.cache.pages import Page
from portal.query.cache.patches import apply_answers
from portal.query.cache.write_records import ANSWER, Patch, WriteRecord, query_name
from portal.query.endpoints.registry import Registry
from portal.services.user import UserQueries
from tests.portal.query.answering import Queries, create, read, rename, shown, touch
from tests.portal.query.clients import me, once
from tests.portal.query.faulty import Faulty, ThingParams
from tests.portal.query.world import User
from tests.support.client_endpoints import client_url

if TYPE_CHECKING:
    from decimal import Decimal


@pytest.mark.parametrize("cached", [True, False])
def test_answer_shows_without_a_fetch_in_all_processes(ada: User, cached: bool) -> None:
    ada.world.clock.step = 1e-5
    other, client = ada.elsewhere(), ada.request()
    for at in (ada, other) if cached else ():
        shown(at, "c3")
    read(client, "c1")
    with ada.reads(0):
        rename(client, "c3", "renamed")
        for who in (client, ada, other, ada.elsewhere()):
            assert [shown(who, "c3"), shown(who, "c1")] == ["renamed", "client 1"]
        assert shown(other, create(client, "new").unwrap()["id"]) == "new"
        ada.passes(299)
        assert not read(ada, "c3").is_stale
        ada.passes(2)
        assert read(ada, "c3").is_stale


@pytest.mark.parametrize(
    ("happens", "fetched"),
    [
        (lambda client: rename(client, "c3", "theirs"), 1),
        (lambda client: touch(client, "c3", "theirs"), 1),
        (lambda client: Queries.use_get_client_query.invalidate(client, params={"id": "c3"}), 1),
        (lambda client: rename(client, "c4", "theirs"), 0),
        (lambda client: Queries.use_get_client_query.invalidate(client, params={"id": "c4"}), 0),
    ],
    ids=["same row", "same row without patch", "invalidation", "another row", "another invalidation"],
)
def test_overlapping_write_has_the_detail_fetched(ada: User, happens: Any, fetched: int) -> None:
    """Nobody knows which one the backend did last."""
    ada.world.clock.step = 1e-5
    shown(ada, "c3")
    inner = ada.request()
    ada.backend.inside = once(lambda: happens(inner), method="PATCH", path="/energy/clients/c3")
    rename(ada, "c3", "ours")
    with ada.reads(fetched):
        assert shown(ada, "c3") == ada.backend.rows[2]["name"]


@pytest.mark.parametrize(
    ("params", "shows", "is_stale"),
    [
        ({"id": "c3"}, "new", False),
        ({"id": "c3", "expand": "lines"}, "old", True),
        ({"id": "c4", "expand": "lines"}, "old", False),
    ],
)
def test_answer_makes_longer_queries_stale(params: Any, shows: str, is_stale: bool) -> None:
    page = Page(stamp=None, at=0, cursor=None, body="old")
    patch = Patch(kind=ANSWER, row_id=query_name({"id": "c3"}), row={"name": "new"})
    found = apply_answers(page, [WriteRecord(patches=(patch,))], params=params)
    assert (found.body, found.is_stale) == ({"name": "new"} if shows == "new" else "old", is_stale)


@pytest.mark.parametrize(
    "happens",
    [
        lambda ada: ada.request().purge(),
        lambda ada: ada.process.runtime.caches.clear(),
        lambda ada: ada.process.runtime.caches.clear(endpoint="tests_answers.get_client"),
    ],
    ids=["purge", "clear", "clear of the endpoint"],
)
def test_cache_emptied_during_the_write_fetches_once(ada: User, happens: Any) -> None:
    shown(ada, "c3")
    other = ada.elsewhere()
    ada.backend.inside = once(lambda: happens(other), method="PATCH", path="/energy/clients/c3")
    rename(ada, "c3", "renamed")
    with ada.reads(1):
        assert shown(ada, "c3") == "renamed"


class TestAnAnswerThatAnswersNothing:
    """A warning says what to fix, the detail is fetched, and the mutation is still a success."""

    def declare(self, faulty: Faulty, get_params: Any = None) -> Any:
        class OwnQueries(QueryGroup, domain="faulty", registry=faulty.registry):
            use_get_one_query = query_endpoint(data=dict, params=ThingParams, url=client_url)
            use_get_settings_query = query_endpoint(data=dict, url="/settings")

        self.queries = OwnQueries
        return lambda endpoint: endpoint.set_answer(query_key="get_one", get_params=get_params)

    @pytest.mark.parametrize(
        ("answer", "get_params", "told"),
        [
            (None, None, "the response is no object"),
            ([], None, "the response is no object"),
            ({"name": "no id"}, None, "get_params raised"),
            ({"id": "n"}, lambda _sent, _data: {"id": "other"}, "another id than its query"),
            ({"name": "no id"}, lambda _sent, _data: {"id": "n"}, "another id than its query"),
            ({"id": "n"}, lambda _sent, _data: None, "params should be a mapping"),
            ({"id": "n"}, lambda _sent, _data: {}, "is missing"),
            ({"id": "n"}, lambda _sent, _data: {"id": "n", "more": 1}, "more is no parameter"),
            ({"id": ""}, None, "no address has ''"),
        ],
    )
    def test_is_logged_and_the_detail_fetched(
        self, faulty: Faulty, caplog: pytest.LogCaptureFixture, answer: Any, get_params: Any, told: str
    ) -> None:
        declare = self.declare(faulty, get_params)
        faulty.answer = answer
        faulty.world.backend.rows = [{"id": "n", "name": "the server's"}]
        self.queries.use_get_one_query(faulty.request(), {"id": "n"})
        assert faulty.write(declare).is_success
        assert faulty.called == [answer]
        assert told in caplog.text
        assert "faulty.write: set_answer" in caplog.text
        with faulty.user.reads(1):
            assert self.queries.use_get_one_query(faulty.request(), {"id": "n"}).unwrap()["name"] == "the server's"

    def test_unlike_a_numbered_id_or_none_is_shown(self, faulty: Faulty) -> None:
        declare = self.declare(faulty)
        with faulty.user.reads(0):
            faulty.answer = {"id": 5, "name": "five"}
            faulty.write(declare)
            assert self.queries.use_get_one_query(faulty.request(), {"id": "5"}).unwrap()["name"] == "five"
            faulty.answer = {"theme": "dark"}
            faulty.write(lambda made: made.set_answer(query_key="get_settings", get_params=lambda _sent, _data: {}))
            assert self.queries.use_get_settings_query(faulty.request()).unwrap() == {"theme": "dark"}


def test_profile_is_never_set(ada: User) -> None:
    """It decides about access."""
    me(ada)

    class OwnMutations(MutationGroup, domain="faulty", registry=Registry()):
        use_write_mutation: Any = mutation_endpoint(data=dict, url="/write", method="POST").set_answer(
            query_key=UserQueries.use_get_me_query, get_params=lambda _sent, _data: {}
        )

    ada.backend.open_paths = {"/write": {"id": "ada", "permissions": ["ENERGY_APP", "FINANCE_APP"]}}
    OwnMutations.use_write_mutation(ada.request()).mutate()
    assert me(ada).unwrap()["permissions"] == ["ENERGY_APP"]


class Approval(Record):
    """A record whose module lacks the type of its field at run time."""

    amount: Decimal | None = None


def test_write_with_an_undecodable_answer_is_not_sent(ada: User) -> None:
    class OwnMutations(MutationGroup, domain="faulty", registry=Registry()):
        use_approve_mutation = mutation_endpoint(data=Approval, url="/approve", method="POST")

    client = ada.request()
    with pytest.raises(UsageError, match="import the type of a field at run time"):
        OwnMutations.use_approve_mutation(client).mutate()
    assert ("POST", "/approve") not in [call[:2] for call in ada.backend.calls]
