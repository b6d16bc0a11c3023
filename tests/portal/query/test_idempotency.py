"""The key of a write that may come again in another request."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import pytest

from portal.query.calls import derived_key
from tests.support.client_endpoints import Client, ClientMutations

if TYPE_CHECKING:
    from portal.api.tokens import TokenStore
    from tests.portal.query.fakes import Process, World

ADA = Client(name="Ada", email="ada@example.com")


def keys_of(world: World) -> list[str | None]:
    calls = zip(world.backend.calls, world.backend.keys, strict=True)
    return [key for (method, _, _), key in calls if method == "POST"]


def test_a_write_that_comes_again_in_another_request_has_the_same_key(
    world: World, process: Process, ada: TokenStore
) -> None:
    for _ in range(2):
        create = ClientMutations.use_create_client_mutation(process.request(ada), idempotency_key="of this form")
        assert create.mutate(body=ADA).is_success
    first, second = keys_of(world)
    assert first == second


def test_without_one_each_run_has_its_own(world: World, process: Process, ada: TokenStore) -> None:
    create = ClientMutations.use_create_client_mutation(process.request(ada))
    for _ in range(2):
        assert create.mutate(body=ADA).is_success
    first, second = keys_of(world)
    assert first != second


@pytest.mark.parametrize(
    "change",
    [
        {"given": "another"},
        {"endpoint": "energy.create_station"},
        {"params": {"id": "1"}},
        {"body": {**ADA, "name": "Ida"}},
        {"body": None},
    ],
)
def test_any_other_write_has_another_key(change: dict[str, Any]) -> None:
    write: dict[str, Any] = {"given": "a", "endpoint": "energy.create_client", "params": {}, "body": ADA}
    assert derived_key(**write) == derived_key(**write | {"body": dict(reversed(ADA.items()))})
    assert derived_key(**write) != derived_key(**write | change)


def test_a_key_says_nothing_about_the_body_and_fits_a_header() -> None:
    key = derived_key("a", endpoint="e", params={}, body={"name": "Ada \ud800", "odd": object})
    assert len(key) == 64
    assert key.isalnum()
