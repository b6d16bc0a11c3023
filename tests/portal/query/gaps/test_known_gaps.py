"""Optional calls that the backend does not have: learned from answers, for all processes, for ten minutes.

What an answer to values says of a call counts for nobody else, and not where the call was seen to work.
"""

from __future__ import annotations

import logging
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

import pytest

from portal.api.tokens import TokenPair, TokenStore
from portal.config.limits import ABSENT_S
from portal.errors import (
    ApiAbsentError,
    ApiClientError,
    ApiError,
    ApiForbiddenError,
    ApiNotFoundError,
    ApiUnavailableError,
    ApiValidationError,
)
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
    paginated_query_endpoint,
    query_endpoint,
    resource,
)
from portal.query.endpoints.registry import Registry
from portal.services.user import UserQueries
from tests.portal.query.fakes import FakeBackend, Process, World, make_token

if TYPE_CHECKING:
    from portal.query import QueryClient

REGISTRY = Registry()
PATH = "/energy/tariffs"
LACK = "Pages show no tariffs."
KINDS: dict[int, type[ApiError]] = {
    400: ApiValidationError,
    422: ApiValidationError,
    403: ApiForbiddenError,
    404: ApiNotFoundError,
    410: ApiNotFoundError,
    405: ApiClientError,
}


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


FIGURES = Queries.use_get_figures_query


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
            raise KINDS.get(status, ApiUnavailableError)("no", status=status)
        if path == PATH and method == "GET":
            return {"items": [{"id": "t1"}], "hasNext": False}
        return {} if path.endswith("/counts") else {"id": "t1", "kwh": 1}

    def called(self, method: str = "GET", path: str = "/energy/figures") -> int:
        return self.counted()[method, path]


@pytest.fixture
def backend() -> RefusingBackend:
    return RefusingBackend()


@pytest.fixture
def world(backend: RefusingBackend) -> World:
    return World(backend=backend)


@dataclass
class User:
    """A user's requests, each in another process where there is none."""

    world: World
    name: str = "ada"
    process: Process | None = None
    tokens: TokenStore = field(init=False)

    def __post_init__(self) -> None:
        self.tokens = self.world.backend.sign_in(self.name)

    def request(self) -> QueryClient:
        return (self.process or self.world.process()).request(self.tokens, registry=REGISTRY)

    def figures(self, **named: str) -> ApiError | None:
        return FIGURES(self.request(), **named).error

    def counts(self, **named: Any) -> ApiError | None:
        return Queries.use_get_tariffs_counts_query(self.request(), by=["city"], **named).error

    def create(self, name: str = "night") -> ApiError | None:
        return Mutations.use_create_tariff_mutation(self.request()).mutate(body={"name": name}).error

    def lacks(self, hook: Any = FIGURES) -> bool:
        return is_absent(hook, self.request())


@pytest.fixture
def user(world: World, process: Process) -> User:
    """In one process."""
    return User(world, process=process)


@pytest.fixture
def bob(world: World) -> User:
    """In many processes."""
    return User(world, "bob")


class TestAnAnswer:
    @pytest.mark.parametrize("status", [404, 405, 410, 501])
    def test_that_a_call_is_absent_counts_for_all_processes_and_users(
        self, world: World, backend: RefusingBackend, bob: User, status: int
    ) -> None:
        backend.status = status
        first = User(world).figures()
        assert isinstance(first, ApiAbsentError)
        assert first.status == status
        calls = len(backend.calls)
        for user in (User(world), bob):
            again = user.figures()
            assert isinstance(again, ApiAbsentError)
            assert again.__cause__ is None
        assert backend.called() == 1
        assert all(path == "/me" for _, path, _ in backend.calls[calls:])

    @pytest.mark.parametrize("status", [400, 403])
    def test_that_refuses_counts_for_the_user_alone_and_outlives_a_purge(
        self, backend: RefusingBackend, user: User, bob: User, status: int
    ) -> None:
        backend.status = status
        user.figures()
        user.request().purge()
        assert isinstance(user.figures(), ApiAbsentError)
        assert backend.called() == 1
        backend.status = None
        assert bob.figures() is None

    @pytest.mark.parametrize("status", [422, 500, 503, 429])
    def test_of_another_kind_says_nothing_of_the_call(self, backend: RefusingBackend, user: User, status: int) -> None:
        backend.status = status
        assert not isinstance(user.figures(), ApiAbsentError)
        backend.status = None
        assert user.figures() is None

    def test_to_a_required_call_says_nothing_of_it(self, backend: RefusingBackend, user: User) -> None:
        backend.status = 404
        for _ in range(2):
            error = Queries.use_get_needed_query(user.request()).error
            assert isinstance(error, ApiNotFoundError)
            assert not isinstance(error, ApiAbsentError)

    @pytest.mark.parametrize(("status", "absent"), [(404, False), (410, False), (403, False), (405, True), (501, True)])
    def test_about_a_row_says_something_of_the_call_only_where_the_method_is_not_there(
        self, backend: RefusingBackend, user: User, status: int, absent: bool
    ) -> None:
        backend.status = status
        for _ in range(2):
            read = Queries.use_get_tariff_query(user.request(), id="t1")
            write = Mutations.use_update_tariff_mutation(user.request()).mutate(body={}, params={"id": "t1"})
            for result in (read, write):
                assert isinstance(result.error, ApiAbsentError) is absent
        assert (backend.called("PATCH", f"{PATH}/t1") == 2) is not absent

    def test_to_a_token_that_is_not_bound_counts_only_where_it_counts_for_all(
        self, world: World, backend: RefusingBackend, user: User
    ) -> None:
        user.tokens = TokenStore(TokenPair(access=make_token("eve")))
        backend.status = 403
        assert not isinstance(user.figures(), ApiAbsentError)

    def test_is_told_once_with_what_pages_do_without(
        self, world: World, backend: RefusingBackend, user: User, caplog: pytest.LogCaptureFixture
    ) -> None:
        backend.status = 404
        with caplog.at_level(logging.INFO, logger="portal.query"):
            for _ in range(3):
                user.figures()
                world.clock.now += ABSENT_S + 1
        [told] = [record.getMessage() for record in caplog.records if "does not have" in record.getMessage()]
        assert told.startswith("energy.get_figures: the backend does not have this call (404)")
        assert told.endswith(LACK)

    def test_stays_in_the_process_while_the_store_is_down(
        self, world: World, backend: RefusingBackend, user: User
    ) -> None:
        backend.status = 404
        world.store.down = True
        for _ in range(3):
            assert isinstance(user.figures(), ApiAbsentError)
        assert backend.called() == 1

    @pytest.mark.parametrize("status", [None, 404], ids=["cached", "absent"])
    def test_that_is_known_costs_one_trip_to_the_store(
        self, world: World, backend: RefusingBackend, user: User, status: int | None
    ) -> None:
        backend.status = status
        user.figures()
        before = world.store.trips
        user.figures()
        assert user.lacks() is (status is not None)
        assert world.store.trips - before == 1


class TestAfterTenMinutes:
    def test_the_call_is_made_once_more_and_a_success_counts_for_all(
        self, world: World, backend: RefusingBackend, user: User
    ) -> None:
        backend.status = 404
        user.figures()
        world.clock.now += ABSENT_S + 1
        backend.status = None
        assert user.figures() is None
        assert not user.lacks()
        assert not User(world).lacks()

    @pytest.mark.parametrize("status", [None, 404])
    @pytest.mark.parametrize("hook", [FIGURES, Queries.use_get_tariffs_query])
    def test_what_nothing_offers_is_asked_for_behind_a_request(
        self, world: World, backend: RefusingBackend, user: User, hook: Any, status: int | None
    ) -> None:
        backend.status = 404
        hook(user.request())
        assert user.lacks(hook)
        assert world.background.run() == 0, "within the ten minutes nothing is asked"
        world.clock.now += ABSENT_S + 1
        backend.status = status
        asked = backend.reads()
        for _ in range(2):
            assert user.lacks(hook), "no answer yet"
        assert backend.reads() == asked, "the request waits for nothing"
        assert world.background.run() == 1
        assert user.lacks(hook) is (status is not None)
        hook(user.request())
        assert world.background.run() == 0
        assert backend.reads() == asked + 1, "the answer counts, and is cached for the page"

    def test_a_token_that_is_not_bound_asks_for_nothing_behind_a_request(
        self, world: World, backend: RefusingBackend, user: User
    ) -> None:
        backend.status = 404
        user.figures()
        world.clock.now += ABSENT_S + 1
        user.tokens = TokenStore(TokenPair(access=make_token("eve")))
        assert user.lacks()
        assert world.background.run() == 0

    @pytest.mark.parametrize(
        "hook", [Queries.use_get_tariff_query, Queries.use_get_own_query, Mutations.use_update_tariff_mutation]
    )
    def test_a_call_that_nobody_can_ask_for_in_advance_is_offered_again(
        self, world: World, user: User, process: Process, hook: Any
    ) -> None:
        process.runtime.gaps.learn(hook.key, status=405, now=world.clock())
        assert user.lacks(hook)
        world.clock.now += ABSENT_S + 1
        assert not user.lacks(hook)
        assert world.background.run() == 0


class TestAnAnswerToAValue:
    @pytest.mark.parametrize("named", [{"cursor": "typed"}, {"name": "typed"}, {"q": "typed"}])
    def test_takes_no_list_from_anybody(self, world: World, backend: RefusingBackend, named: dict[str, Any]) -> None:
        backend.typed = 410
        Queries.use_get_tariffs_query(User(world).request(), **named)
        result = Queries.use_get_tariffs_query(User(world).request())
        assert [row.id for row in result.data.items] == ["t1"]

    @pytest.mark.parametrize("status", [400, 403, 404])
    def test_says_nothing_of_a_read_that_was_seen_to_work(
        self, backend: RefusingBackend, user: User, status: int
    ) -> None:
        assert user.figures() is None
        backend.typed = status
        assert not isinstance(user.figures(since="typed"), ApiAbsentError)
        assert not user.lacks()
        assert user.figures(since="2026-01-01") is None

    @pytest.mark.parametrize("status", [400, 403, 404])
    def test_of_a_read_that_nobody_has_seen_counts_for_the_user_alone(
        self, backend: RefusingBackend, user: User, bob: User, status: int
    ) -> None:
        backend.typed = status
        for _ in range(2):
            assert isinstance(user.figures(since="typed"), ApiAbsentError)
        assert backend.called() == 1
        assert bob.figures(since="2026-01-01") is None

    @pytest.mark.parametrize("status", [405, 501])
    def test_that_there_is_no_such_method_counts_for_all(
        self, backend: RefusingBackend, user: User, bob: User, status: int
    ) -> None:
        assert user.figures() is None
        backend.typed = status
        assert isinstance(user.figures(since="typed"), ApiAbsentError)
        assert bob.lacks()

    def test_of_counts_stays_with_the_value(self, backend: RefusingBackend, user: User, bob: User) -> None:
        backend.typed = 404
        user.counts(city=["typed"])
        assert bob.counts() is None


def test_what_is_refused_with_some_permissions_is_asked_again_with_others(backend: RefusingBackend, user: User) -> None:
    backend.status = 403
    assert isinstance(user.figures(), ApiAbsentError)
    backend.status = None
    assert isinstance(user.figures(), ApiAbsentError)
    backend.permissions["ada"] = ["ENERGY_APP", "FINANCE_APP"]
    UserQueries.use_get_me_query(user.request()).refetch()
    assert user.figures() is None


def test_counts_that_the_backend_lacks_cost_one_call_in_ten_minutes(
    world: World, backend: RefusingBackend, user: User, bob: User
) -> None:
    """What is counted comes from the declaration, so a 404 is about the call."""
    backend.status = 404
    for number in (1, 2):
        for each in (user, bob, user, bob):
            assert isinstance(each.counts(), ApiAbsentError)
        assert backend.called(path=f"{PATH}/counts") == number
        world.clock.now += ABSENT_S + 1


class TestACreate:
    @pytest.mark.parametrize(("status", "for_bob"), [(404, False), (405, True), (501, True)])
    def test_that_is_absent_is_not_sent_again(
        self, world: World, backend: RefusingBackend, bob: User, status: int, for_bob: bool
    ) -> None:
        backend.status = status
        ada = User(world)
        assert isinstance(ada.create(), ApiAbsentError)
        sent = backend.called("POST", PATH)
        assert isinstance(ada.create(), ApiAbsentError)
        assert backend.called("POST", PATH) == sent
        bob.create()
        assert (backend.called("POST", PATH) == sent) is for_bob

    def test_that_was_seen_to_work_is_not_absent_for_a_404_about_a_body(
        self, backend: RefusingBackend, user: User
    ) -> None:
        assert user.create("one") is None
        backend.typed = 404
        refused = user.create("typed")
        assert isinstance(refused, ApiNotFoundError)
        assert not isinstance(refused, ApiAbsentError)
        assert user.create("three") is None

    def test_that_was_not_sent_makes_nothing_stale(self, backend: RefusingBackend, user: User) -> None:
        backend.status = 405
        user.create()
        backend.status = None
        Queries.use_get_tariffs_query(user.request())
        user.create()
        Queries.use_get_tariffs_query(user.request())
        assert backend.called(path=PATH) == 1
