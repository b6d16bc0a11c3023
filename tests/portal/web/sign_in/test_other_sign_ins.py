"""The end of another sign-in of the same user."""

import re

import pytest
import responses
from django.test import RequestFactory

from portal.api import TokenPair, TokenStore, api_session
from portal.query import QueryClient, create_query_client
from portal.services.energy.clients import ClientQueries
from portal.testing import access_token, page_of
from portal.web.sign_in.sign_out import end_sign_in
from tests.portal.web.conftest import BACKEND


@pytest.mark.parametrize("status", [204, 404, 500])
def test_every_browser_proves_its_token_again(backend: responses.RequestsMock, account: str, status: int) -> None:
    """The other sign-in's token is asked of the backend again, whatever was cached for it."""
    asked = backend.get(f"{BACKEND}/energy/clients", json=page_of([{"id": "c1"}]))
    backend.delete(re.compile(f"{BACKEND}/.*"), status=status)
    here, there = access_token(account, "ENERGY_APP"), access_token(account, "ENERGY_APP", jti="another")

    def client(access: str) -> QueryClient:
        return create_query_client(tokens=TokenStore(TokenPair(access=access)), api=api_session())

    for _ in range(2):
        ClientQueries.use_get_clients_query(client(there))
    assert asked.call_count == 1
    request = RequestFactory().post("/en/sign-ins/si_2/end")
    request.query_client = client(here)
    end_sign_in(request, "si_2")
    ClientQueries.use_get_clients_query(client(there))
    assert asked.call_count == 2
