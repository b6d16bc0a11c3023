"""The query layer in a project that is not the portal's."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest
import responses

from portal.api.tokens import TokenPair, TokenStore
from portal.errors import UsageError
from portal.query import MutationGroup, QueryLayer, Record, mutation_endpoint
from portal.query.endpoints.registry import Registry
from tests.portal.query.fakes import make_token
from tests.support.given_store import stores_on

if TYPE_CHECKING:
    from decimal import Decimal

URL = "http://127.0.0.1:9"


class Approval(Record):
    """Its module lacks the type at run time. Where the system checks of the portal do not run, nobody has said so."""

    amount: Decimal | None = None


class Mutations(MutationGroup, domain="shop", registry=Registry()):
    use_approve_orders_mutation = mutation_endpoint(data=Approval, url="/orders/approve", method="POST")


def test_a_write_whose_answer_could_not_be_read_is_not_sent() -> None:
    """Its store does not answer."""
    with stores_on("redis://127.0.0.1:1/0"), responses.RequestsMock(assert_all_requests_are_fired=False) as http:
        client = QueryLayer(base_url=URL).client(TokenStore(TokenPair(access=make_token("eve"))), principal="eve")
        approved = http.post(f"{URL}/orders/approve", json={"amount": "2.00"})
        with pytest.raises(UsageError, match="import the type of a field at run time"):
            Mutations.use_approve_orders_mutation(client).mutate()
    assert approved.call_count == 0
