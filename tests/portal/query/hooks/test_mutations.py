"""Writes: what a hook refuses before it sends."""

from __future__ import annotations

from typing import Any

import pytest

from portal.errors import UsageError
from tests.portal.query.fakes import Process
from tests.support.client_endpoints import ClientMutations


@pytest.mark.parametrize(
    ("call", "shape"),
    [
        (lambda client: ClientMutations.use_create_client_mutation(client).mutate(), "body=…"),
        (lambda client: ClientMutations.use_create_client_mutation(client).mutate(params={"id": "x"}), "body=…"),
        (lambda client: ClientMutations.use_delete_client_mutation(client).mutate(), "params=…"),
        (lambda client: ClientMutations.use_delete_client_mutation(client).mutate({"id": "x"}), "params=…"),
        (lambda client: ClientMutations.use_delete_client_mutation(client, print), "params=…"),
        (lambda client: ClientMutations.use_delete_client_mutation(client).mutate(body={}), "params=…"),
        (lambda client: ClientMutations.use_update_client_mutation(client).mutate(body={}), "body=…, params=…"),
    ],
)
def test_a_write_of_another_shape_is_a_usage_fault_that_names_the_right_one(
    process: Process, ada: Any, call: Any, shape: str
) -> None:
    with pytest.raises(UsageError) as raised:
        call(process.request(ada))
    assert f"mutate({shape})" in str(raised.value)
    assert not process.world.backend.calls


@pytest.mark.parametrize("body", [[], "name=x", 3])
def test_a_body_that_is_not_an_object_is_a_usage_fault(process: Process, ada: Any, body: Any) -> None:
    with pytest.raises(UsageError, match="the body should be a mapping"):
        ClientMutations.use_create_client_mutation(process.request(ada)).mutate(body=body)
    assert not process.world.backend.calls
