"""`APP_API_CA_FILE`: a private authority is trusted beside the public ones, for every call, and for nothing else."""

import dataclasses
import json
from collections.abc import Callable

import pytest
from django.conf import settings

from portal.api.jwks import jwks_keys
from portal.api.session import make_session
from portal.api.tokens import TokenPair, TokenStore
from portal.config.portal_config import OidcProvider, TokenVerification
from portal.errors import ApiUnavailableError
from portal.process.deadline import Deadline
from portal_oidc.provider import OidcClient
from tests.portal.api.sessions import send
from tests.support.authority import Authority
from tests.support.http_server import reply, scripted_server
from tests.support.jwt_keys import as_jwk, rsa_key


@pytest.fixture(scope="module")
def authority(tmp_path_factory) -> Authority:
    return Authority(tmp_path_factory.mktemp("authority"))


@pytest.fixture(scope="module")
def another(tmp_path_factory) -> Authority:
    return Authority(tmp_path_factory.mktemp("another"), "another")


def serve(authority: Authority, body: bytes = b'{"a": 1}', *, name: str = "127.0.0.1"):
    return scripted_server(lambda _, out: out.sendall(reply(body)), tls=authority.server_context(name=name))


@pytest.fixture
def ask(connect) -> Callable[..., int]:
    """Asks a server whose certificate one of the authorities in a file has signed; gives the status."""
    return lambda url, ca_file, **options: send(connect(url, ca_file=ca_file), token=None, **options).status


@pytest.mark.parametrize("new_connection", [False, True], ids=["kept connection", "new connection"])
def test_server_of_this_authority_needs_its_name_alone(authority, another, ask, new_connection):
    with serve(authority) as server, serve(authority, name="api.example.com") as of_another_name:
        assert ask(server.url, authority.file, new_connection=new_connection) == 200
        for url, trusted in ((server.url, None), (server.url, another.file), (of_another_name.url, authority.file)):
            with pytest.raises(ApiUnavailableError) as caught:
                ask(url, trusted, new_connection=new_connection)
            assert not caught.value.was_sent
        assert len(server.received + of_another_name.received) == 1


def test_public_authorities_are_trusted_as_before(authority, another, ask, monkeypatch):
    """What stands for the public ones here is a file that `requests` takes for them."""
    monkeypatch.setattr("requests.adapters.DEFAULT_CA_BUNDLE_PATH", str(another.file))
    with serve(another) as server:
        assert ask(server.url, authority.file) == 200


def test_the_session_the_keys_and_the_provider_trust_it_too(authority):
    document = json.dumps({"keys": [as_jwk(rsa_key("one"))._jwk_data]}).encode()
    with serve(authority, document) as server:
        config = dataclasses.replace(
            settings.PORTAL,
            api_base_url=server.url,
            api_ca_file=authority.file,
            verification=TokenVerification(jwks_url=f"{server.url}/keys", algorithms=("RS256",)),
        )
        session = make_session(config)
        assert session.call(tokens=TokenStore(TokenPair()), method="GET", path="/me").data["keys"]
        session.close()
        assert jwks_keys(config).fetch_now()
        # It answers discovery with what is none, and so has answered.
        client = OidcClient(
            provider=OidcProvider(issuer=server.url, client_id="energy"),
            connect_timeout_s=5,
            read_timeout_s=5,
            ca_file=authority.file,
        )
        with pytest.raises(ApiUnavailableError, match="another issuer"):
            client.metadata(deadline=Deadline(10))
        paths = [request.line.split()[1] for request in server.received]
    assert paths == ["/me", "/keys", "/.well-known/openid-configuration"]
