"""Writes that the backend refused: some say that the cached lists are not what it has."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from portal.errors import ApiConflictError, ApiNotFoundError, ApiValidationError
from tests.portal.query.invariants.clients_list import listed
from tests.support.client_endpoints import ClientMutations

if TYPE_CHECKING:
    from portal.api.tokens import TokenStore
    from tests.portal.query.fakes import Process, World


def test_a_row_that_someone_else_deleted_leaves_the_list(world: World, process: Process, ada: TokenStore) -> None:
    assert listed(process.request(ada)) == ["c5", "c4"]
    world.backend.rows.pop(0)
    result = ClientMutations.use_delete_client_mutation(process.request(ada)).mutate(params={"id": "c5"})
    assert isinstance(result.error, ApiNotFoundError)
    assert listed(process.request(ada)) == ["c4", "c3"]


@pytest.mark.parametrize("error", [ApiNotFoundError(status=410), ApiConflictError(status=409)])
def test_a_changed_row_that_is_gone_or_in_another_state_too(
    world: World, process: Process, ada: TokenStore, error: Exception
) -> None:
    listed(process.request(ada))
    world.backend.rows.pop(0)
    world.backend.failures = [error]
    mutation = ClientMutations.use_update_client_mutation(process.request(ada))
    assert mutation.mutate(body={"name": "new"}, params={"id": "c5"}).error is error
    assert listed(process.request(ada)) == ["c4", "c3"]


def test_a_write_that_is_just_not_acceptable_leaves_the_list_alone(
    world: World, process: Process, ada: TokenStore
) -> None:
    listed(process.request(ada))
    reads = world.backend.reads()
    world.backend.failures = [ApiValidationError(status=422)]
    mutation = ClientMutations.use_update_client_mutation(process.request(ada))
    assert not mutation.mutate(body={"name": ""}, params={"id": "c5"}).is_success
    listed(process.request(ada))
    assert world.backend.reads() == reads


def test_so_does_an_id_that_no_address_can_carry(world: World, process: Process, ada: TokenStore) -> None:
    listed(process.request(ada))
    reads = world.backend.reads()
    result = ClientMutations.use_delete_client_mutation(process.request(ada)).mutate(params={"id": ".."})
    assert isinstance(result.error, ApiNotFoundError)
    listed(process.request(ada))
    assert world.backend.reads() == reads
