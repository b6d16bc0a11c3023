"""What the OpenID provider calls by itself."""

import dataclasses
from collections.abc import Iterator

import pytest
from django.conf import settings
from django.test import Client, override_settings

from portal.config.portal_config import OidcProvider
from portal.errors import StoreUnavailableError
from portal_oidc.provider import OidcClient
from portal_oidc.sessions import ProviderSessions
from tests.support.fake_provider import CLIENT_ID, FakeProvider

ADDRESS = "/oidc/backchannel-logout"
PROVIDER = FakeProvider("https://id.test")


@pytest.fixture
def gateway(signed_out: Client, monkeypatch: pytest.MonkeyPatch) -> Iterator[Client]:
    """A browser at the gateway, for which a provider is configured."""
    oidc = OidcProvider(issuer=PROVIDER.issuer, client_id=CLIENT_ID)
    monkeypatch.setattr(OidcClient, "metadata", lambda *_, **__: _Metadata)
    monkeypatch.setattr(OidcClient, "keys", lambda *_, **__: PROVIDER.key_set())
    # Not by monkeypatch: what that puts back stays in force after this project's settings are gone.
    with override_settings(PORTAL=dataclasses.replace(settings.PORTAL, oidc=oidc)):
        yield signed_out


class _Metadata:
    issuer, algorithms = PROVIDER.issuer, ("RS256",)


class TestSignOutByTheProvider:
    def test_a_token_that_is_none_is_refused(self, gateway: Client) -> None:
        response = gateway.post(ADDRESS, {"logout_token": "a.b.c"})
        assert response.status_code == 400
        assert response.json() == {"error": "invalid_request"}

    def test_lost_one_may_be_sent_again(self, gateway: Client, monkeypatch: pytest.MonkeyPatch) -> None:
        def end(*_: object) -> bool:
            raise StoreUnavailableError("down")

        monkeypatch.setattr(ProviderSessions, "end", end)
        token = PROVIDER.logout_token()
        response = gateway.post(ADDRESS, {"logout_token": token}, headers={"accept": "*/*"})
        assert response.status_code == 503
        assert response["Retry-After"] == "1"
        assert "no-store" in response["Cache-Control"]
