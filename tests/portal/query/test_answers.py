"""`set_answer`: the response of a write is the newest response of the detail.

That nothing older is shown, whatever overlaps, is what `query_machine` and `test_interleavings` look for.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import pytest

from portal.errors import UsageError
from portal.query import MutationGroup, Record, create_query_group, mutation_endpoint, query_endpoint
from portal.query.cache.pages import Page
from portal.query.cache.patches import apply_answers
from portal.query.cache.write_records import ALL_STALE, ANSWER, Patch, WriteRecord, query_name
from portal.query.endpoints.registry import Registry
from portal.services.user import UserQueries
from tests.portal.query.clients import create, me, names, once, one, rename, touch
from tests.portal.query.faulty import Faulty, ThingParams
from tests.portal.query.world import User
from tests.support.client_endpoints import ClientQueries, client_url

if TYPE_CHECKING:
    from decimal import Decimal


def shown(who: Any, row_id: str) -> Any:
    """The name of a row's detail."""
    return one(who, row_id).unwrap()["name"]


@pytest.mark.parametrize("cached", [True, False])
def test_answer_shows_without_a_fetch_in_all_processes(ada: User, cached: bool) -> None:
    ada.world.clock.step = 1e-5
    other, client = ada.elsewhere(), ada.request()
    for at in (ada, other) if cached else ():
        shown(at, "c3")
    one(client, "c1")
    with ada.reads(0):
        rename(client, "c3", "renamed")
        for who in (client, ada, other, ada.elsewhere()):
            assert [shown(who, "c3"), shown(who, "c1")] == ["renamed", "client 1"]
        assert shown(other, create(client, "new")) == "new"
        ada.passes(299)
        assert not one(ada, "c3").is_stale
        ada.passes(2)
        assert one(ada, "c3").is_stale


@pytest.mark.parametrize(
    ("happens", "fetched"),
    [
        (lambda client: rename(client, "c3", "theirs"), 1),
        (lambda client: touch(client, "c3", "theirs"), 1),
        (lambda client: ClientQueries.use_get_client_query.invalidate(client, params={"id": "c3"}), 1),
        (lambda client: rename(client, "c4", "theirs"), 0),
        (lambda client: ClientQueries.use_get_client_query.invalidate(client, params={"id": "c4"}), 0),
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


def test_touch_during_a_write_has_the_list_fetched(ada: User) -> None:
    other = ada.request()
    names(ada)
    ada.backend.inside = once(
        lambda: touch(other, "c5", "theirs") and names(other), method="PATCH", path="/energy/clients/c5"
    )
    rename(ada, "c5", "ours")
    assert names(ada)["c5"] == "theirs"


def test_answer_is_as_old_as_its_request(ada: User) -> None:
    began = ada.world.clock.now
    ada.backend.before = lambda *_: ada.passes(5)
    rename(ada, "c3", "new")
    with ada.reads(0):
        assert one(ada, "c3").as_of.timestamp() == began


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
    answer = WriteRecord(patches=(patch,))
    found = apply_answers(page, [answer], params=params)
    assert (found.page.body, found.is_invalidated) == ({"name": "new"} if shows == "new" else "old", is_stale)
    assert apply_answers(page, [ALL_STALE, answer], params=params).is_invalidated


@pytest.fixture
def queries(faulty: Faulty) -> Any:
    """Queries in the group of the write."""
    one = query_endpoint(data=dict, params=ThingParams, url=client_url)
    others = {"get_settings": query_endpoint(data=dict, url="/settings")}
    return create_query_group({"get_one": one, **others}, domain="faulty", registry=faulty.registry)


@pytest.mark.parametrize(
    ("answer", "get_params", "words"),
    [
        (None, None, "the response is no object"),
        ([], None, "the response is no object"),
        ({"name": "no id"}, None, "names no query"),
        ({"id": "n"}, lambda _sent, _data: {"id": "other"}, "another id than its query"),
        ({"name": "no id"}, lambda _sent, _data: {"id": "n"}, "another id than its query"),
        ({"id": "n"}, lambda _sent, _data: None, "not a mapping"),
        ({"id": "n"}, lambda _sent, _data: {}, "is missing"),
        ({"id": "n"}, lambda _sent, _data: {"id": "n", "more": 1}, "more is no parameter"),
        ({"id": ""}, None, "no address has ''"),
    ],
)
def test_unusable_answer_is_logged_and_fetched(
    faulty: Faulty, queries: Any, caplog: pytest.LogCaptureFixture, *, answer: Any, get_params: Any, words: str
) -> None:
    faulty.answer, faulty.world.backend.rows = answer, [{"id": "n"}]
    queries.use_get_one_query(faulty.request(), {"id": "n"})
    assert faulty.write(lambda made: made.set_answer(query_key="get_one", get_params=get_params)).is_success
    assert words in caplog.text
    with faulty.user.reads(1):
        assert queries.use_get_one_query(faulty.request(), {"id": "n"}).is_success


def test_numbered_or_missing_id_is_an_answer(faulty: Faulty, queries: Any) -> None:
    with faulty.user.reads(0):
        faulty.answer = {"id": 5, "name": "five"}
        faulty.write(lambda made: made.set_answer(query_key="get_one"))
        assert queries.use_get_one_query(faulty.request(), {"id": "5"}).unwrap()["name"] == "five"
        faulty.answer = {"theme": "dark"}
        faulty.write(lambda made: made.set_answer(query_key="get_settings", get_params=lambda _sent, _data: {}))
        assert queries.use_get_settings_query(faulty.request()).unwrap() == {"theme": "dark"}


def test_profile_is_never_set(ada: User) -> None:
    """It decides about access."""
    me(ada)
    ada.registry = Registry(queries={"user.get_me": UserQueries.use_get_me_query})

    class OwnMutations(MutationGroup, domain="faulty", registry=ada.registry):
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
