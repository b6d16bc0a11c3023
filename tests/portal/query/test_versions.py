"""`if_match`: a write that changes the version of a row that the user saw, or nothing."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import pytest

from portal.errors import ApiConflictError, ApiPreconditionFailedError, ApiUnavailableError
from tests.portal.query.invariants.clients_list import listed
from tests.support.client_endpoints import ClientMutations

if TYPE_CHECKING:
    from portal.api.tokens import TokenStore
    from tests.portal.query.fakes import Process, World


def test_the_version_is_sent_with_a_change_and_with_a_deletion(world: World, process: Process, ada: TokenStore) -> None:
    client = process.request(ada)
    ClientMutations.use_update_client_mutation(client).mutate(body={"name": "A"}, params={"id": "c5"}, if_match=3)
    ClientMutations.use_delete_client_mutation(client).mutate(params={"id": "c5"}, if_match="4")
    ClientMutations.use_delete_client_mutation(client).mutate(params={"id": "c4"})
    assert world.backend.versions[-3:] == [3, "4", None]


def test_another_version_is_told_at_once_and_the_list_is_as_the_backend_has_it(
    world: World, process: Process, ada: TokenStore
) -> None:
    listed(process.request(ada))
    world.backend.rows[0]["name"] = "by someone else"
    world.backend.failures = [ApiPreconditionFailedError(status=412)]
    mutation = ClientMutations.use_update_client_mutation(process.request(ada))
    result = mutation.mutate(body={"name": "mine"}, params={"id": "c5"}, if_match=1)
    assert isinstance(result.error, ApiPreconditionFailedError)
    assert isinstance(result.error, ApiConflictError)
    assert [method for method, _, _ in world.backend.calls].count("PATCH") == 1
    assert world.backend.rows[0]["name"] == "by someone else"
    reads = world.backend.reads()
    listed(process.request(ada))
    assert world.backend.reads() > reads


def test_a_further_try_names_the_same_version_under_the_same_key(
    world: World, process: Process, ada: TokenStore
) -> None:
    listed(process.request(ada))
    world.backend.failures = [ApiUnavailableError(status=503)]
    mutation = ClientMutations.use_update_client_mutation(process.request(ada))
    assert mutation.mutate(body={"name": "A"}, params={"id": "c5"}, if_match=3).is_success
    assert world.backend.versions[-2:] == [3, 3]
    assert len(set(world.backend.keys[-2:])) == 1


@pytest.mark.parametrize(
    ("versions", "same"), [((3, 3), True), ((3, "3"), True), ((3, 4), False), ((None, 3), False), ((None, None), True)]
)
def test_a_form_that_is_sent_again_for_another_version_is_another_write(
    world: World, process: Process, ada: TokenStore, versions: tuple[Any, Any], same: bool
) -> None:
    for version in versions:
        mutation = ClientMutations.use_update_client_mutation(process.request(ada), idempotency_key="form")
        mutation.mutate(body={"name": "A"}, params={"id": "c5"}, if_match=version)
    [one, other] = world.backend.keys[-2:]
    assert (one == other) is same
