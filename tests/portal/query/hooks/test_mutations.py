"""Writes: what a hook refuses before it sends."""

from __future__ import annotations

from typing import Any

import pytest
from django.http import HttpRequest

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
        call(ada.request())
    assert f"mutate({shape})" in str(raised.value)
    assert not process.world.backend.calls


@pytest.mark.parametrize("body", [[], "name=x", 3])
def test_a_body_that_is_not_an_object_is_a_usage_fault(process: Process, ada: Any, body: Any) -> None:
    with pytest.raises(UsageError, match="the body should be a mapping"):
        ClientMutations.use_create_client_mutation(ada.request()).mutate(body=body)
    assert not process.world.backend.calls


def request_of(process: Process, ada: Any, method: str) -> HttpRequest:
    """A browser's request, as the middleware leaves it."""
    request = HttpRequest()
    request.method = method
    request.query_client = ada.request()
    return request


@pytest.mark.parametrize("method", ["GET", "HEAD", "OPTIONS", "TRACE"])
def test_what_answers_a_safe_method_must_not_write(process: Process, ada: Any, method: str) -> None:
    delete = ClientMutations.use_delete_client_mutation(request_of(process, ada, method))
    with pytest.raises(UsageError, match=f"delete_client: what answers {method} must not write.*@require_POST"):
        delete.mutate(params={"id": "x"})
    assert not process.world.backend.calls


@pytest.mark.parametrize("method", ["POST", "PUT", "PATCH", "DELETE"])
def test_what_answers_another_method_may_write(process: Process, ada: Any, method: str) -> None:
    ClientMutations.use_delete_client_mutation(request_of(process, ada, method)).mutate(params={"id": "x"})
    assert process.world.backend.calls
