"""Optional calls that the backend does not have: learned from answers, for all processes, for ten minutes."""

from __future__ import annotations

import logging
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
    QueryGroup,
    Row,
    RowParams,
    is_absent,
    mutation_endpoint,
    paginated_query_endpoint,
    query_endpoint,
)
from portal.query.endpoints.registry import Registry
from tests.portal.query.fakes import Process, World, make_token

if TYPE_CHECKING:
    from collections.abc import Callable

REGISTRY = Registry()
PATH = "/energy/tariffs"
LACK = "Pages show no tariffs."


class Tariff(Row):
    name: str = ""


class TariffsParams(ListParams):
    name: str | None = None


class Queries(QueryGroup, domain="energy", registry=REGISTRY):
    use_get_tariffs_query = paginated_query_endpoint(item=Tariff, params=TariffsParams, url=PATH, without=LACK)
    use_get_tariff_query = query_endpoint(data=Tariff, params=RowParams, url=f"{PATH}/{{id}}", without=LACK)
    use_get_figures_query = query_endpoint(data=dict, url="/energy/figures", without=LACK)
    use_get_needed_query = query_endpoint(data=dict, url="/energy/needed")
    use_get_own_query = query_endpoint(data=dict, url="/energy/own", cache=False, without=LACK)


class Mutations(MutationGroup, domain="energy", registry=REGISTRY):
    use_create_tariff_mutation = mutation_endpoint(
        data=Tariff, body=dict, url=PATH, method="POST", without=LACK
    ).add_created_to_paginated_list(list_query_key=Queries.use_get_tariffs_query)
    use_update_tariff_mutation = mutation_endpoint(
        data=Tariff, body=dict, params=RowParams, url=f"{PATH}/{{id}}", method="PATCH", without=LACK
    ).merge_updated_in_paginated_list(list_query_key=Queries.use_get_tariffs_query)


def error_of(status: int) -> ApiError:
    kinds: dict[int, type[ApiError]] = {403: ApiForbiddenError, 404: ApiNotFoundError, 410: ApiNotFoundError}
    kinds |= {400: ApiValidationError, 422: ApiValidationError, 405: ApiClientError, 501: ApiUnavailableError}
    return kinds.get(status, ApiUnavailableError)("no", status=status)


def answer_with(world: World, status: int | None) -> None:
    """From now on the backend answers everything but the profile with this status; None: what it has."""

    def refuse(_method: str, path: str) -> None:
        if status is not None and path != "/me":
            raise error_of(status)

    world.backend.before = refuse
    world.backend.open_paths = {
        "/energy/figures": {"kwh": 1},
        "/energy/needed": {},
        PATH: {"items": [{"id": "t1"}], "hasNext": False},
        f"{PATH}/t1": {"id": "t1"},
    }


def figures(process: Process, tokens: TokenStore) -> Any:
    return Queries.use_get_figures_query(process.request(tokens, registry=REGISTRY))


@pytest.mark.parametrize("status", [404, 405, 410, 501])
def test_a_call_that_is_absent_is_not_made_again_by_any_process_for_any_user(
    world: World, ada: TokenStore, status: int
) -> None:
    answer_with(world, status)
    first = figures(world.process(), ada)
    assert isinstance(first.error, ApiAbsentError)
    assert first.error.status == status
    calls = world.backend.reads()
    for tokens in (ada, world.backend.sign_in("bob")):
        again = figures(world.process(), tokens)
        assert isinstance(again.error, ApiAbsentError)
        assert again.error.__cause__ is None
    assert world.backend.reads() == calls


@pytest.mark.parametrize("status", [400, 403])
def test_a_refusal_counts_for_the_user_alone(world: World, ada: TokenStore, status: int) -> None:
    answer_with(world, status)
    figures(world.process(), ada)
    reads = world.backend.reads()
    assert isinstance(figures(world.process(), ada).error, ApiAbsentError)
    assert world.backend.reads() == reads
    answer_with(world, None)
    assert figures(world.process(), world.backend.sign_in("bob")).data == {"kwh": 1}


def test_a_refusal_outlives_a_purge_of_what_is_cached(world: World, process: Process, ada: TokenStore) -> None:
    answer_with(world, 403)
    figures(process, ada)
    reads = world.backend.counted()["GET", "/energy/figures"]
    process.request(ada, registry=REGISTRY).purge()
    assert isinstance(figures(process, ada).error, ApiAbsentError)
    assert world.backend.counted()["GET", "/energy/figures"] == reads


@pytest.mark.parametrize("status", [422, 500, 503, 429])
def test_no_other_answer_says_so(world: World, process: Process, ada: TokenStore, status: int) -> None:
    answer_with(world, status)
    assert not isinstance(figures(process, ada).error, ApiAbsentError)
    answer_with(world, None)
    assert figures(process, ada).data == {"kwh": 1}


def test_a_required_call_is_asked_each_time(world: World, process: Process, ada: TokenStore) -> None:
    answer_with(world, 404)
    for _ in range(2):
        error = Queries.use_get_needed_query(process.request(ada, registry=REGISTRY)).error
        assert isinstance(error, ApiNotFoundError)
        assert not isinstance(error, ApiAbsentError)
    assert world.backend.reads() == 2


@pytest.mark.parametrize(("status", "absent"), [(404, False), (410, False), (403, False), (405, True), (501, True)])
def test_a_row_that_is_not_there_is_no_absent_call(
    world: World, process: Process, ada: TokenStore, status: int, absent: bool
) -> None:
    answer_with(world, status)
    for _ in range(2):
        result = Queries.use_get_tariff_query(process.request(ada, registry=REGISTRY), id="t1")
        assert isinstance(result.error, ApiAbsentError) is absent


@pytest.mark.parametrize("named", [{"cursor": "old"}, {"name": "typed"}, {"q": "typed"}])
def test_an_answer_to_what_a_user_typed_takes_no_list_from_anybody(
    world: World, ada: TokenStore, named: dict[str, Any]
) -> None:
    answer_with(world, 410)
    client = world.process().request(ada, registry=REGISTRY)
    world.backend.before = lambda *_: fail_with_parameters(world)
    Queries.use_get_tariffs_query(client, **named)
    answer_with(world, None)
    result = Queries.use_get_tariffs_query(world.process().request(ada, registry=REGISTRY))
    assert [row.id for row in result.data.items] == ["t1"]


def fail_with_parameters(world: World) -> None:
    _, path, params = world.backend.calls[-1]
    if path == PATH and set(params) - {"limit"}:
        raise error_of(410)


def test_after_ten_minutes_it_is_asked_once_more_and_a_success_counts_for_all(world: World, ada: TokenStore) -> None:
    answer_with(world, 404)
    one, other = world.process(), world.process()
    figures(one, ada)
    figures(other, ada)
    world.clock.now += ABSENT_S + 1
    answer_with(world, None)
    assert figures(one, ada).data == {"kwh": 1}
    for process in (one, world.process()):
        assert not is_absent(Queries.use_get_figures_query, process.request(ada, registry=REGISTRY))


ASKABLE = [Queries.use_get_figures_query, Queries.use_get_tariffs_query]


@pytest.mark.parametrize("hook", ASKABLE)
def test_what_nothing_offers_is_asked_for_behind_a_request_after_ten_minutes(
    world: World, process: Process, ada: TokenStore, hook: Any
) -> None:
    answer_with(world, 404)
    hook(process.request(ada, registry=REGISTRY))
    answer_with(world, None)
    assert is_absent(hook, process.request(ada, registry=REGISTRY))
    assert world.background.run() == 0, "within the ten minutes nothing is asked"
    world.clock.now += ABSENT_S + 1
    asked = world.backend.reads()
    for _ in range(2):
        assert is_absent(hook, process.request(ada, registry=REGISTRY)), "no answer yet"
    assert world.backend.reads() == asked, "the request waits for nothing"
    assert world.background.run() == 1
    assert not is_absent(hook, process.request(ada, registry=REGISTRY))
    hook(process.request(ada, registry=REGISTRY)).unwrap()
    assert world.backend.reads() == asked + 1, "the answer is cached for the page"


def test_what_is_still_absent_stays_so_for_ten_minutes_more(world: World, process: Process, ada: TokenStore) -> None:
    hook = Queries.use_get_figures_query
    answer_with(world, 404)
    figures(process, ada)
    for _ in range(2):
        world.clock.now += ABSENT_S + 1
        assert is_absent(hook, process.request(ada, registry=REGISTRY))
        world.background.run()
        asked = world.backend.reads()
        assert is_absent(hook, process.request(ada, registry=REGISTRY))
        world.background.run()
        assert world.backend.reads() == asked


def test_a_token_that_is_not_bound_asks_for_nothing_behind_a_request(world: World, ada: TokenStore) -> None:
    answer_with(world, 404)
    process = world.process()
    figures(process, ada)
    world.clock.now += ABSENT_S + 1
    unbound = TokenStore(TokenPair(access=make_token("eve")))
    assert is_absent(Queries.use_get_figures_query, process.request(unbound, registry=REGISTRY))
    assert world.background.run() == 0


@pytest.mark.parametrize(
    "hook", [Queries.use_get_tariff_query, Queries.use_get_own_query, Mutations.use_update_tariff_mutation]
)
def test_a_call_that_nobody_can_ask_for_in_advance_is_offered_again_after_ten_minutes(
    world: World, process: Process, ada: TokenStore, hook: Any
) -> None:
    process.runtime.gaps.learn(hook.key, status=405, now=world.clock())
    assert is_absent(hook, process.request(ada, registry=REGISTRY))
    world.clock.now += ABSENT_S + 1
    assert not is_absent(hook, process.request(ada, registry=REGISTRY))
    assert world.background.run() == 0


def test_cached_data_needs_nothing_and_costs_no_trip_more(world: World, process: Process, ada: TokenStore) -> None:
    answer_with(world, None)
    figures(process, ada)
    Queries.use_get_needed_query(process.request(ada, registry=REGISTRY))

    def trips(read: Callable[[], object]) -> int:
        before = world.store.trips
        read()
        return int(world.store.trips - before)

    needed = trips(lambda: Queries.use_get_needed_query(process.request(ada, registry=REGISTRY)))
    assert trips(lambda: figures(process, ada)) == needed == 1


def test_an_absent_call_costs_no_trip_more_than_a_cached_one(world: World, process: Process, ada: TokenStore) -> None:
    answer_with(world, 404)
    figures(process, ada)
    before = world.store.trips
    figures(process, ada)
    assert is_absent(Queries.use_get_figures_query, process.request(ada, registry=REGISTRY))
    assert world.store.trips - before == 1


def test_a_store_that_is_down_leaves_the_memory_of_the_process(world: World, process: Process, ada: TokenStore) -> None:
    answer_with(world, 404)
    world.store.down = True
    for _ in range(3):
        assert isinstance(figures(process, ada).error, ApiAbsentError)
    assert world.backend.reads() == 1


def test_it_is_told_once_with_what_pages_do_without(
    world: World, process: Process, ada: TokenStore, caplog: pytest.LogCaptureFixture
) -> None:
    answer_with(world, 404)
    with caplog.at_level(logging.INFO, logger="portal.query"):
        for _ in range(3):
            figures(process, ada)
            world.clock.now += ABSENT_S + 1
    [told] = [record.getMessage() for record in caplog.records if "does not have" in record.getMessage()]
    assert told.startswith("energy.get_figures: the backend does not have this call (404)")
    assert told.endswith(LACK)


def test_a_403_still_asks_whether_the_permissions_have_changed(world: World, process: Process, ada: TokenStore) -> None:
    answer_with(world, None)
    figures(process, ada)
    world.backend.permissions["ada"] = []
    answer_with(world, 403)
    world.clock.now += 16 * 60
    assert figures(process, ada).error.page_status == 403
    assert world.backend.counted()["GET", "/me"] == 2


@pytest.mark.parametrize(("status", "for_bob"), [(404, False), (405, True), (501, True)])
def test_an_absent_create_is_not_sent_again(world: World, ada: TokenStore, status: int, for_bob: bool) -> None:
    answer_with(world, status)

    def create(tokens: TokenStore) -> Any:
        client = world.process().request(tokens, registry=REGISTRY)
        return Mutations.use_create_tariff_mutation(client).mutate(body={"name": "night"}).error

    assert isinstance(create(ada), ApiAbsentError)
    sent = world.backend.counted()["POST", PATH]
    assert isinstance(create(ada), ApiAbsentError)
    assert world.backend.counted()["POST", PATH] == sent
    create(world.backend.sign_in("bob"))
    assert (world.backend.counted()["POST", PATH] == sent) is for_bob


@pytest.mark.parametrize(("status", "absent"), [(404, False), (400, False), (403, False), (405, True)])
def test_an_update_of_a_row_is_absent_only_where_the_method_is(
    world: World, process: Process, ada: TokenStore, status: int, absent: bool
) -> None:
    answer_with(world, status)
    for _ in range(2):
        client = process.request(ada, registry=REGISTRY)
        result = Mutations.use_update_tariff_mutation(client).mutate(body={"name": "night"}, params={"id": "t1"})
        assert isinstance(result.error, ApiAbsentError) is absent
    assert world.backend.counted()["PATCH", f"{PATH}/t1"] == (1 if absent else 2)


def test_a_write_that_was_not_sent_makes_nothing_stale(world: World, process: Process, ada: TokenStore) -> None:
    answer_with(world, 405)
    client = process.request(ada, registry=REGISTRY)
    Mutations.use_create_tariff_mutation(client).mutate(body={"name": "night"})
    answer_with(world, None)
    Queries.use_get_tariffs_query(process.request(ada, registry=REGISTRY))
    Mutations.use_create_tariff_mutation(process.request(ada, registry=REGISTRY)).mutate(body={"name": "night"})
    Queries.use_get_tariffs_query(process.request(ada, registry=REGISTRY))
    assert world.backend.counted()["GET", PATH] == 1


def test_a_token_that_nobody_is_bound_by_learns_what_holds_for_all_alone(world: World) -> None:
    world.backend.open_paths = {"/me": None}
    tokens = TokenStore(TokenPair(access=make_token("eve")))
    answer_with(world, 403)
    world.backend.open_paths["/me"] = None
    assert not isinstance(figures(world.process(), tokens).error, ApiAbsentError)
