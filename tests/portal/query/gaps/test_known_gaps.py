"""What an answer to values says of an optional call: nothing to others, and nothing where it was seen to work."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

import pytest

from portal.config.limits import ABSENT_S
from portal.errors import ApiAbsentError, ApiError, ApiForbiddenError, ApiNotFoundError, ApiValidationError
from portal.query import (
    ListParams,
    MutationGroup,
    Params,
    QueryGroup,
    Row,
    Values,
    is_absent,
    mutation_endpoint,
    query_endpoint,
    resource,
)
from portal.query.endpoints.registry import Registry
from portal.services.user import UserQueries
from tests.portal.query.fakes import FakeBackend, Process, World

if TYPE_CHECKING:
    from portal.api.tokens import TokenStore

REGISTRY = Registry()
COUNTS = "/energy/visits/counts"


class Visit(Row):
    name: str = ""
    city: str | None = None


class VisitsParams(ListParams):
    city: Values | None = None


class FiguresParams(Params):
    since: str | None = None


_visits = resource("/energy/visits", item=Visit, params=VisitsParams)


class Queries(QueryGroup, domain="energy", registry=REGISTRY):
    use_get_visits_query = _visits.list
    use_get_visits_counts_query = _visits.counts
    use_get_figures_query = query_endpoint(data=dict, params=FiguresParams, url="/energy/figures", without="None.")


class Mutations(MutationGroup, domain="energy", registry=REGISTRY):
    use_create_visit_mutation = mutation_endpoint(
        data=Visit, body=dict, url="/energy/visits", method="POST", without="No visit can be added."
    ).add_created_to_paginated_list(list_query_key=Queries.use_get_visits_query)


@dataclass
class RefusingBackend(FakeBackend):
    """Refuses values.

    :param refused: the answer to each value that it does not take; of a call without a value, to the empty text.
    """

    refused: dict[str, ApiError] = field(default_factory=dict)

    def _do(self, token: str | None, method: str, path: str, params: dict[str, Any], body: Any) -> Any:
        if path == "/me":
            return super()._do(token, method, path, params, body)
        value = (body or {}).get("name") or params.get("since") or params.get("city") or ""
        if value in self.refused:
            raise self.refused[value]
        return {} if path == COUNTS else {"id": "v1", "kwh": 1}


NOT_FOUND = ApiNotFoundError("no such station", status=404)
REFUSALS = [ApiValidationError("no", status=400), ApiForbiddenError("no", status=403), NOT_FOUND]


@pytest.fixture
def backend() -> RefusingBackend:
    return RefusingBackend()


@pytest.fixture
def world(backend: RefusingBackend) -> World:
    return World(backend=backend)


def create(process: Process, tokens: TokenStore, name: str) -> ApiError | None:
    client = process.request(tokens, registry=REGISTRY)
    return Mutations.use_create_visit_mutation(client).mutate(body={"name": name}).error


def figures(process: Process, tokens: TokenStore, **named: str) -> ApiError | None:
    return Queries.use_get_figures_query(process.request(tokens, registry=REGISTRY), **named).error


def counts(process: Process, tokens: TokenStore, **named: Any) -> ApiError | None:
    client = process.request(tokens, registry=REGISTRY)
    return Queries.use_get_visits_counts_query(client, by=["city"], **named).error


def test_a_404_about_the_body_of_a_create_takes_nothing_from_who_has_created(
    process: Process, ada: TokenStore, backend: RefusingBackend
) -> None:
    assert create(process, ada, "one") is None
    backend.refused["two"] = NOT_FOUND
    refused = create(process, ada, "two")
    assert isinstance(refused, ApiNotFoundError)
    assert not isinstance(refused, ApiAbsentError)
    assert create(process, ada, "three") is None


@pytest.mark.parametrize("refusal", REFUSALS, ids=lambda error: str(error.status))
def test_an_answer_to_a_value_says_nothing_of_a_read_that_was_seen_to_work(
    process: Process, ada: TokenStore, backend: RefusingBackend, refusal: ApiError
) -> None:
    assert figures(process, ada) is None
    backend.refused["typed"] = refusal
    assert not isinstance(figures(process, ada, since="typed"), ApiAbsentError)
    assert not is_absent(Queries.use_get_figures_query, process.request(ada, registry=REGISTRY))
    assert figures(process, ada, since="2026-01-01") is None


@pytest.mark.parametrize("refusal", REFUSALS, ids=lambda error: str(error.status))
def test_an_answer_to_a_value_of_a_read_that_nobody_has_seen_counts_for_the_user_alone(
    world: World, process: Process, ada: TokenStore, backend: RefusingBackend, refusal: ApiError
) -> None:
    backend.refused["typed"] = refusal
    for _ in range(2):
        assert isinstance(figures(process, ada, since="typed"), ApiAbsentError)
    assert world.backend.reads() == 1
    assert figures(process, world.backend.sign_in("bob"), since="2026-01-01") is None


def test_what_is_refused_with_some_permissions_is_asked_again_with_others(
    process: Process, ada: TokenStore, backend: RefusingBackend
) -> None:
    backend.refused[""] = ApiForbiddenError("no", status=403)
    assert isinstance(figures(process, ada), ApiAbsentError)
    backend.refused.clear()
    assert isinstance(figures(process, ada), ApiAbsentError)
    backend.permissions["ada"] = ["ENERGY_APP", "FINANCE_APP"]
    UserQueries.use_get_me_query(process.request(ada)).refetch()
    assert figures(process, ada) is None


@pytest.mark.parametrize("status", [405, 501])
def test_an_answer_that_there_is_no_such_method_counts_for_all_whatever_the_value(
    world: World, process: Process, ada: TokenStore, backend: RefusingBackend, status: int
) -> None:
    assert figures(process, ada) is None
    backend.refused["typed"] = ApiError("no", status=status)
    assert isinstance(figures(process, ada, since="typed"), ApiAbsentError)
    assert is_absent(Queries.use_get_figures_query, process.request(world.backend.sign_in("bob"), registry=REGISTRY))


def test_counts_that_the_backend_lacks_cost_one_call_in_ten_minutes(
    world: World, process: Process, ada: TokenStore, backend: RefusingBackend
) -> None:
    """What is counted comes from the declaration, so a 404 is about the call."""
    backend.refused[""] = NOT_FOUND
    for tokens in (ada, world.backend.sign_in("bob")):
        for _ in range(2):
            assert isinstance(counts(process, tokens), ApiAbsentError)
    assert world.backend.counted()["GET", COUNTS] == 1
    world.clock.now += ABSENT_S + 1
    counts(process, ada)
    assert world.backend.counted()["GET", COUNTS] == 2


def test_counts_under_a_value_that_is_not_found_stay_for_others(
    world: World, process: Process, ada: TokenStore, backend: RefusingBackend
) -> None:
    backend.refused["Oslo"] = NOT_FOUND
    counts(process, ada, city=["Oslo"])
    assert counts(process, world.backend.sign_in("bob")) is None
