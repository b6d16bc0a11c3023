"""What a page learns of a write: its 404, and a GET that finds the row."""

from __future__ import annotations

import time
from typing import TYPE_CHECKING, Any

import pytest

from portal.api.tokens import TokenPair, TokenStore
from portal.config.limits import ABSENT_S
from portal.errors import ApiClientError
from portal.query import MutationGroup, Row, RowParams, is_absent, mutation_endpoint, note_absent
from portal.query.endpoints.registry import Registry
from portal.query.gaps import param_name
from portal.query.hooks import forget_gaps, ignores
from portal.query.process_state import process_runtime
from tests.portal.query.fakes import Process, World, make_token
from tests.support.client_endpoints import ClientQueries

if TYPE_CHECKING:
    from portal.errors import ApiError
    from portal.query import QueryClient

REGISTRY = Registry()


class Tariff(Row):
    name: str = ""


class Mutations(MutationGroup, domain="energy", registry=REGISTRY):
    use_update_tariff_mutation = mutation_endpoint(
        data=Tariff, body=dict, params=RowParams, url="/energy/tariffs/{id}", method="PATCH", without="No edits."
    )
    use_needed_mutation = mutation_endpoint(params=RowParams, url="/energy/tariffs/{id}", method="DELETE")


UPDATE = Mutations.use_update_tariff_mutation


def bound(process: Process, tokens: TokenStore) -> QueryClient:
    """The client of a request of a user who has been here before."""
    client = process.request(tokens, registry=REGISTRY)
    client.reads.bound_partition()
    return client


@pytest.fixture
def answer(world: World) -> dict[str, Any]:
    """The answer to each write, under "now"."""
    answers: dict[str, Any] = {"now": None}

    def refuse(method: str, _path: str) -> None:
        if method != "GET" and answers["now"] is not None:
            raise answers["now"]

    world.backend.before = refuse
    world.backend.open_paths = {"/energy/tariffs/t1": {"id": "t1"}}
    return answers


def update(client: QueryClient) -> ApiError | None:
    return UPDATE(client).mutate(body={"name": "night"}, params={"id": "t1"}).error


def test_a_write_whose_row_a_get_finds_is_absent_for_that_user_alone(world: World, ada: TokenStore) -> None:
    one, other = world.process(), world.process()
    note_absent(UPDATE, bound(one, ada), status=404)
    bob = world.backend.sign_in("bob")
    assert is_absent(UPDATE, bound(one, ada))
    for process in (one, other):
        assert not is_absent(UPDATE, bound(process, bob))
    assert not is_absent(UPDATE, None)


@pytest.mark.usefixtures("answer")
def test_a_process_that_sees_edits_work_keeps_them_whatever_another_meets(world: World, ada: TokenStore) -> None:
    one, other = world.process(), world.process()
    assert update(bound(other, ada)) is None
    note_absent(UPDATE, bound(one, world.backend.sign_in("bob")), status=404)
    assert not is_absent(UPDATE, bound(other, ada))
    assert update(bound(other, ada)) is None


def test_a_write_that_was_seen_to_work_is_not_taken_for_absent_by_what_a_get_says(
    process: Process, ada: TokenStore, answer: dict[str, Any]
) -> None:
    """A GET may be behind a write, and show a row that was deleted just before."""
    update(bound(process, ada))
    note_absent(UPDATE, bound(process, ada), status=404)
    assert not is_absent(UPDATE, bound(process, ada))
    answer["now"] = ApiClientError("no", status=405)
    update(bound(process, ada))
    assert is_absent(UPDATE, bound(process, ada)), "that is said of the call"


def test_nothing_is_learned_of_a_required_write_or_of_nobody(process: Process, ada: TokenStore) -> None:
    unbound = TokenStore(TokenPair(access=make_token("eve")))
    note_absent(Mutations.use_needed_mutation, bound(process, ada), status=404)
    note_absent(UPDATE, process.request(unbound, registry=REGISTRY), status=404)
    assert not is_absent(Mutations.use_needed_mutation, bound(process, ada))
    assert not any(key.startswith("gap:") for key in process.world.store.values)


@pytest.mark.parametrize(("ago_s", "is_ignored"), [(ABSENT_S - 60, True), (ABSENT_S + 60, False)])
def test_a_parameter_that_was_ignored_is_relied_on_again_after_ten_minutes(ago_s: float, is_ignored: bool) -> None:
    clients = ClientQueries.use_get_clients_query
    process_runtime().gaps.learn(param_name(clients.key, "city"), status=200, now=time.time() - ago_s)
    assert ignores(clients, "city") is is_ignored
    forget_gaps()
    assert not ignores(clients, "city")
