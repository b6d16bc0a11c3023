"""A delete that is tried again: a 404 says that it was done, if the first try may have done it."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import pytest

from portal.errors import ApiError, ApiNotFoundError, ApiTimeoutError
from tests.portal.query.answering import Mutations
from tests.portal.query.fakes import Process, World, unavailable

if TYPE_CHECKING:
    from portal.api.tokens import TokenStore


def delete(process: Process, tokens: TokenStore) -> Any:
    return Mutations.use_delete_client_mutation(process.request(tokens)).mutate(params={"id": "c1"})


def fail_then_404(world: World, first: ApiError) -> None:
    failures = [first, ApiNotFoundError("no such row", status=404)]

    def refuse(method: str, _path: str) -> None:
        if method == "DELETE":
            raise failures.pop(0)

    world.backend.before = refuse


@pytest.mark.parametrize("first", [unavailable(500), unavailable(504), ApiTimeoutError("no answer")], ids=str)
def test_a_404_after_a_try_that_may_have_done_it_is_a_success(
    world: World, process: Process, ada: TokenStore, first: ApiError
) -> None:
    fail_then_404(world, first)
    assert delete(process, ada).error is None


@pytest.mark.parametrize(
    "first",
    [unavailable(429), unavailable(503), unavailable(408), ApiTimeoutError("no connection", was_sent=False)],
    ids=["429", "503", "408", "never sent"],
)
def test_a_404_after_a_try_that_did_nothing_is_a_404(
    world: World, process: Process, ada: TokenStore, first: ApiError
) -> None:
    fail_then_404(world, first)
    assert isinstance(delete(process, ada).error, ApiNotFoundError)
    assert world.backend.counted()["DELETE", "/energy/clients/c1"] == 2
