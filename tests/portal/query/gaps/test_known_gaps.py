"""Optional calls that the backend does not have: learned from answers, for all processes, for ten minutes.

What an answer to values says of a call counts for nobody else, and not where the call was seen to work.
"""

from __future__ import annotations

import logging
import time
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import pytest

from portal.api.tokens import TokenPair, TokenStore
from portal.config.limits import ABSENT_S
from portal.errors import ApiAbsentError, ApiError, ApiNotFoundError
from portal.query import (
    ListParams,
    MutationGroup,
    Params,
    QueryGroup,
    Row,
    RowParams,
    Values,
    is_absent,
    mutation_endpoint,
    note_absent,
    paginated_query_endpoint,
    query_endpoint,
    resource,
)
from portal.query.endpoints.registry import Registry
from portal.query.gaps import KnownGaps, param_name
from portal.query.hooks import forget_gaps, ignores
from portal.query.process_state import process_runtime
from tests.portal.query.clients import me
from tests.portal.query.fakes import FakeBackend, make_token, refuse
from tests.portal.query.world import User, World
from tests.support.client_endpoints import ClientQueries

REGISTRY = Registry()
PATH = "/energy/tariffs"
LACK = "Pages show no tariffs."


class Tariff(Row):
    name: str = ""
    city: str | None = None


class TariffsParams(ListParams):
    name: str | None = None
    city: Values | None = None


class FiguresParams(Params):
    since: str | None = None


class Queries(QueryGroup, domain="energy", registry=REGISTRY):
    use_get_tariffs_query = paginated_query_endpoint(item=Tariff, params=TariffsParams, url=PATH, without=LACK)
    use_get_tariffs_counts_query = resource(PATH, item=Tariff, params=TariffsParams).counts
    use_get_tariff_query = query_endpoint(data=Tariff, params=RowParams, url=f"{PATH}/{{id}}", without=LACK)
    use_get_figures_query = query_endpoint(data=dict, params=FiguresParams, url="/energy/figures", without=LACK)
    use_get_needed_query = query_endpoint(data=dict, url="/energy/needed")
    use_get_own_query = query_endpoint(data=dict, url="/energy/own", cache=False, without=LACK)


class Mutations(MutationGroup, domain="energy", registry=REGISTRY):
    use_create_tariff_mutation = mutation_endpoint(
        data=Tariff, body=dict, url=PATH, method="POST", without=LACK
    ).add_created_to_paginated_list(list_query_key=Queries.use_get_tariffs_query)
    use_update_tariff_mutation = mutation_endpoint(
        data=Tariff, body=dict, params=RowParams, url=f"{PATH}/{{id}}", method="PATCH", without=LACK
    ).merge_updated_in_paginated_list(list_query_key=Queries.use_get_tariffs_query)
    use_needed_mutation = mutation_endpoint(params=RowParams, url=f"{PATH}/{{id}}", method="DELETE")


FIGURES, UPDATE = Queries.use_get_figures_query, Mutations.use_update_tariff_mutation


@dataclass
class RefusingBackend(FakeBackend):
    """Refuses calls, but for the profile.

    :param status: the status of each answer; None: it answers.
    :param typed: the status of each answer to a value that a user has typed.
    """

    status: int | None = None
    typed: int | None = None

    def _do(self, token: str | None, method: str, path: str, params: dict[str, Any], body: Any) -> Any:
        if path == "/me":
            return super()._do(token, method, path, params, body)
        status = self.typed if "typed" in {*params.values(), *(body or {}).values()} else self.status
        if status is not None:
            refuse(status)
        if path == PATH and method == "GET":
            return {"items": [{"id": "t1"}], "hasNext": False}
        return {} if path.endswith("/counts") else {"id": "t1", "kwh": 1}

    def called(self, method: str = "GET", path: str = "/energy/figures") -> int:
        return self.counted()[method, path]


@pytest.fixture
def world() -> World:
    return World(backend=RefusingBackend())


@pytest.fixture
def ada(ada: User) -> User:
    ada.registry = REGISTRY
    return ada


@pytest.fixture
def bob(ada: User) -> User:
    """In another process."""
    return ada.elsewhere().signed_in("bob")


def figures(user: User, **named: str) -> ApiError | None:
    return FIGURES(user.request(), **named).error


def counts(user: User, **named: Any) -> ApiError | None:
    return Queries.use_get_tariffs_counts_query(user.request(), by=["city"], **named).error


def create(user: User, name: str = "night") -> ApiError | None:
    return Mutations.use_create_tariff_mutation(user.request()).mutate(body={"name": name}).error


def update(user: User) -> ApiError | None:
    return UPDATE(user.request()).mutate(body={"name": "night"}, params={"id": "t1"}).error


def lacks(user: User, hook: Any = FIGURES) -> bool:
    return is_absent(hook, user.request())


def gone(error: ApiError | None) -> bool:
    return isinstance(error, ApiAbsentError)


def unbound(user: User) -> User:
    return User(user.process, TokenStore(TokenPair(access=make_token("eve"))), REGISTRY)


class TestAnAnswer:
    @pytest.mark.parametrize(
        ("status", "for_ada", "for_bob"),
        [
            *((status, True, True) for status in (404, 405, 410, 501)),
            *((status, True, False) for status in (400, 403)),
            *((status, False, False) for status in (422, 500, 503, 429)),
        ],
    )
    def test_that_a_call_is_absent_or_refused_counts_for_all_or_for_the_user_and_outlives_a_purge(
        self, ada: User, bob: User, status: int, for_ada: bool, for_bob: bool
    ) -> None:
        ada.backend.status = status
        first = figures(ada)
        assert (gone(first), first is not None and first.status) == (for_ada, status)
        ada.request().purge()
        ada.backend.status = None
        asked = ada.backend.called()
        for user, is_absent_for in ((ada, for_ada), (bob, for_bob)):
            again = figures(user)
            assert gone(again) is is_absent_for
            assert again is None or again.__cause__ is None
        assert ada.backend.called() - asked == [for_ada, for_bob].count(False)

    @pytest.mark.parametrize("status", [400, 403, 404, 405, 501])
    @pytest.mark.parametrize("was_seen", [True, False])
    def test_to_a_value_counts_for_the_user_where_nobody_has_seen_the_call_work(
        self, ada: User, bob: User, status: int, was_seen: bool
    ) -> None:
        is_of_the_method = status in {405, 501}
        if was_seen:
            assert figures(ada) is None
        ada.backend.typed = status
        for _ in range(2):
            assert gone(figures(ada, since="typed")) is (is_of_the_method or not was_seen)
        assert gone(figures(bob, since="2026-01-01")) is is_of_the_method

    @pytest.mark.parametrize("named", [{"cursor": "typed"}, {"name": "typed"}, {"q": "typed"}])
    def test_to_a_place_or_a_value_takes_no_list_and_no_counts_from_others(
        self, ada: User, bob: User, named: dict[str, Any]
    ) -> None:
        ada.backend.typed = 410
        Queries.use_get_tariffs_query(ada.request(), **named)
        counts(ada, city=["typed"])
        assert [row.id for row in Queries.use_get_tariffs_query(bob.request()).data.items] == ["t1"]
        assert counts(bob) is None

    def test_is_known_in_the_process_while_the_store_is_down(self, ada: User) -> None:
        ada.backend.status = 404
        ada.store.down = True
        assert all(gone(figures(ada)) for _ in range(3))
        assert ada.backend.called() == 1

    @pytest.mark.parametrize(("status", "absent"), [(404, False), (410, False), (403, False), (405, True), (501, True)])
    def test_about_a_row_says_something_of_the_call_only_where_the_method_is_not_there(
        self, ada: User, status: int, absent: bool
    ) -> None:
        ada.backend.status = status
        for _ in range(2):
            read = Queries.use_get_tariff_query(ada.request(), id="t1").error
            assert gone(read) is gone(update(ada)) is absent
        assert (ada.backend.called("PATCH", f"{PATH}/t1") == 2) is not absent

    def test_to_a_required_call_or_an_unbound_token_says_nothing_of_it(self, ada: User) -> None:
        ada.backend.status = 404
        for _ in range(2):
            assert type(Queries.use_get_needed_query(ada.request()).error) is ApiNotFoundError
        ada.backend.status = 403
        assert not gone(figures(unbound(ada)))

    def test_is_told_once_with_what_pages_do_without(self, ada: User, caplog: pytest.LogCaptureFixture) -> None:
        ada.backend.status = 404
        with caplog.at_level(logging.INFO, logger="portal.query"):
            for _ in range(3):
                figures(ada)
                ada.passes(ABSENT_S + 1)
        [told] = [record.getMessage() for record in caplog.records if "does not have" in record.getMessage()]
        assert told.startswith("energy.get_figures: the backend does not have this call (404)")
        assert told.endswith(LACK)

    @pytest.mark.parametrize("status", [None, 404], ids=["cached", "absent"])
    def test_that_is_known_costs_one_trip_to_the_store(self, ada: User, status: int | None) -> None:
        ada.backend.status = status
        figures(ada)
        before = ada.store.trips
        figures(ada)
        assert lacks(ada) is (status is not None)
        assert ada.store.trips - before == 1


class TestAfterTenMinutes:
    @pytest.mark.parametrize("status", [None, 404])
    @pytest.mark.parametrize("hook", [FIGURES, Queries.use_get_tariffs_query])
    def test_what_nothing_offers_is_asked_for_behind_a_request(self, ada: User, hook: Any, status: int | None) -> None:
        ada.backend.status = 404
        hook(ada.request())
        assert lacks(ada, hook)
        assert ada.world.background.run() == 0, "within the ten minutes nothing is asked"
        ada.passes(ABSENT_S + 1)
        ada.backend.status = status
        assert lacks(unbound(ada), hook)
        assert ada.world.background.run() == 0, "a token that is not bound asks for nothing"
        with ada.reads(1):  # the answer counts, and is cached for the page
            with ada.reads(0):  # the request waits for nothing
                assert lacks(ada, hook)
                assert lacks(ada, hook)
            assert ada.world.background.run() == 1
            assert lacks(ada, hook) is lacks(ada.elsewhere(), hook) is (status is not None)
            hook(ada.request())
            assert ada.world.background.run() == 0

    @pytest.mark.parametrize("hook", [Queries.use_get_tariff_query, Queries.use_get_own_query, UPDATE])
    def test_a_call_that_nobody_can_ask_for_in_advance_is_offered_again(self, ada: User, hook: Any) -> None:
        ada.process.runtime.gaps.learn(hook.key, status=405, now=ada.world.clock())
        assert lacks(ada, hook)
        ada.passes(ABSENT_S + 1)
        assert not lacks(ada, hook)
        assert ada.world.background.run() == 0

    @pytest.mark.parametrize(("ago_s", "is_ignored"), [(ABSENT_S - 60, True), (ABSENT_S + 60, False)])
    def test_a_parameter_that_was_ignored_is_relied_on_again(self, ago_s: float, is_ignored: bool) -> None:
        clients = ClientQueries.use_get_clients_query
        process_runtime().gaps.learn(param_name(clients.key, "city"), status=200, now=time.time() - ago_s)
        assert ignores(clients, "city") is is_ignored
        forget_gaps()
        assert not ignores(clients, "city")


@pytest.mark.parametrize(
    ("learn", "is_news"),
    [
        (lambda gaps: gaps.learn("energy.get_x", status=404, now=1.0), True),
        (lambda gaps: gaps.learn("energy.get_x?q", status=200, now=1.0), True),
        (lambda gaps: gaps.followed("energy.get_x?city"), True),
        (lambda gaps: gaps.forget(["energy.get_x"]), False),
        (lambda gaps: gaps.current(["energy.get_x"], now=1.0), False),
        (lambda gaps: gaps.tried("energy.get_x?city", now=1.0), False),
    ],
)
def test_pages_that_were_kept_are_made_anew_when_something_is_learned_and_not_when_it_is_known(
    ada: User, learn: Callable[[KnownGaps], object], is_news: bool
) -> None:
    """The mark of a kept page has this number."""
    gaps = ada.process.runtime.gaps
    before = gaps.revision
    learn(gaps)
    after = gaps.revision
    learn(gaps)
    assert (after != before, gaps.revision) == (is_news, after)


def test_what_is_refused_with_some_permissions_is_asked_again_with_others(ada: User) -> None:
    ada.backend.status = 403
    assert gone(figures(ada))
    ada.backend.status = None
    assert gone(figures(ada))
    ada.backend.permissions["ada"] = ["ENERGY_APP", "FINANCE_APP"]
    me(ada).refetch()
    assert figures(ada) is None


def test_counts_that_the_backend_lacks_cost_one_call_in_ten_minutes(ada: User, bob: User) -> None:
    """What is counted comes from the declaration, so a 404 is about the call."""
    ada.backend.status = 404
    for _ in range(2):
        with ada.reads(1):
            assert all(gone(counts(each)) for each in (ada, bob.elsewhere(), ada, bob.elsewhere()))
        ada.passes(ABSENT_S + 1)


class TestAWrite:
    @pytest.mark.parametrize(("status", "for_bob"), [(404, False), (405, True), (501, True)])
    def test_that_is_absent_is_not_sent_again_and_makes_nothing_stale(
        self, ada: User, bob: User, status: int, for_bob: bool
    ) -> None:
        ada.backend.status = status
        assert gone(create(ada))
        ada.backend.status = None
        with ada.reads(1):
            for _ in range(2):
                Queries.use_get_tariffs_query(ada.request())
                assert gone(create(ada))
        assert ada.backend.called("POST", PATH) == 1
        assert gone(create(bob)) is for_bob

    def test_that_was_seen_to_work_is_not_absent_for_a_404_about_a_body(self, ada: User) -> None:
        assert create(ada, "one") is None
        ada.backend.typed = 404
        assert type(create(ada, "typed")) is ApiNotFoundError
        assert create(ada, "three") is None

    def test_whose_row_a_get_finds_is_absent_for_that_user_alone(self, ada: User, bob: User) -> None:
        for user in (ada, bob):
            user.request().reads.bound_partition()
        note_absent(UPDATE, ada.request(), status=404)
        assert [lacks(each, UPDATE) for each in (ada, bob, ada.signed_in("bob"))] == [True, False, False]
        assert not is_absent(UPDATE, None)

    def test_that_was_seen_to_work_is_not_taken_for_absent_by_what_a_get_says(self, ada: User, bob: User) -> None:
        """A GET may be behind a write, and show a row that was deleted just before."""
        assert update(ada) is update(bob) is None
        for user in (ada, ada.elsewhere()):
            note_absent(UPDATE, user.request(), status=404)
        assert not lacks(ada, UPDATE)
        assert update(ada) is None
        ada.backend.status = 405
        update(ada)
        assert lacks(ada, UPDATE), "that is said of the call"

    def test_that_is_required_or_nobodys_teaches_nothing(self, ada: User) -> None:
        ada.request().reads.bound_partition()
        note_absent(Mutations.use_needed_mutation, ada.request(), status=404)
        note_absent(UPDATE, unbound(ada).request(), status=404)
        assert not lacks(ada, Mutations.use_needed_mutation)
        assert not any(key.startswith("gap:") for key in ada.store.values)
