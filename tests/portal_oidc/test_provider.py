"""The client of the provider: discovery, keys, and the addresses that it makes."""

from urllib.parse import parse_qs, urlsplit

import pytest

from portal.config.portal_config import OidcProvider
from portal.errors import ApiMalformedError, ApiUnavailableError
from portal.process import Deadline
from portal_oidc.login_attempts import LoginAttempt
from portal_oidc.provider import KEYS_REFETCH_AFTER_S, METADATA_MAX_AGE_S, OidcClient, read_metadata
from tests.support.fake_provider import fake_provider

ISSUER = "https://id.example.com"
PROVIDER = OidcProvider(issuer=ISSUER, client_id="portal", client_secret="secret")
DOCUMENT = {
    "issuer": ISSUER,
    "authorization_endpoint": f"{ISSUER}/auth",
    "token_endpoint": f"{ISSUER}/token",
    "jwks_uri": f"{ISSUER}/jwks",
}


@pytest.fixture
def served(clock):
    with fake_provider() as (provider, take_down):
        client = OidcClient(
            provider=OidcProvider(
                issuer=provider.issuer,
                client_id="portal",
                scopes=("openid", "offline_access"),
                authorize_params=(("acr_values", "mfa"), ("audience", "https://api.example.com/")),
                token_params=(("resource", "urn:api"),),
            ),
            connect_timeout_s=1,
            read_timeout_s=1,
            clock=clock,
        )
        yield provider, client, take_down


def soon() -> Deadline:
    return Deadline(5)


def test_a_plain_document_is_read_with_the_defaults_of_the_standard():
    metadata = read_metadata(DOCUMENT, provider=PROVIDER)
    assert (metadata.algorithms, metadata.auth_method) == (("RS256",), "client_secret_basic")
    assert (metadata.end_session_endpoint, metadata.revocation_endpoint, metadata.names_itself) == ("", "", False)


@pytest.mark.parametrize(
    ("methods", "secret", "method"),
    [
        (["client_secret_post"], "secret", "client_secret_post"),
        (["private_key_jwt"], "secret", "client_secret_basic"),
        (["client_secret_basic"], "", "none"),
    ],
)
def test_the_client_names_itself_as_the_provider_wants(methods, secret, method):
    provider = OidcProvider(issuer=ISSUER, client_id="portal", client_secret=secret)
    document = DOCUMENT | {"token_endpoint_auth_methods_supported": methods}
    assert read_metadata(document, provider=provider).auth_method == method


@pytest.mark.parametrize(
    "document",
    [
        *(None, [], {}),
        DOCUMENT | {"issuer": "https://id.example.com.evil.example"},
        DOCUMENT | {"require_pushed_authorization_requests": True},
        DOCUMENT | {"token_endpoint": "/token"},
        DOCUMENT | {"jwks_uri": "http://id.example.com/jwks"},
        DOCUMENT | {"end_session_endpoint": "http://id.example.com/end"},
        DOCUMENT | {"id_token_signing_alg_values_supported": ["none", "HS256"]},
        *(
            DOCUMENT | {"authorization_endpoint": address}
            for address in (
                "javascript:alert(1)",
                "https://[x/",
                "https://id.test:99999/t",
                "https://id.test/a\r\nX: y",
            )
        ),
    ],
)
def test_a_document_that_can_not_be_right_is_refused(document):
    with pytest.raises(ApiMalformedError):
        read_metadata(document, provider=PROVIDER)


def test_an_issuer_may_have_a_slash_at_its_end_and_signatures_that_prove_nothing_are_left_out():
    document = DOCUMENT | {"issuer": f"{ISSUER}/"}
    document["id_token_signing_alg_values_supported"] = ["none", "HS256", "ES256", "PS256"]
    metadata = read_metadata(document, provider=PROVIDER)
    assert (metadata.issuer, metadata.algorithms) == (f"{ISSUER}/", ("PS256", "ES256"))


def test_discovery_is_asked_once_an_hour_and_serves_on_while_the_provider_is_down(served, clock):
    provider, client, take_down = served
    provider.metadata["issuer"] = "https://other.example"
    with pytest.raises(ApiMalformedError):
        client.metadata(deadline=soon())
    provider.metadata.clear()
    first = client.metadata(deadline=soon())
    provider.metadata["token_endpoint"] = f"{provider.issuer}/elsewhere"
    assert client.metadata(deadline=soon()) == first
    clock.now += METADATA_MAX_AGE_S
    assert client.metadata(deadline=soon()).token_endpoint == f"{provider.issuer}/elsewhere"
    take_down()
    clock.now += METADATA_MAX_AGE_S
    assert client.metadata(deadline=soon()).token_endpoint == f"{provider.issuer}/elsewhere"
    with pytest.raises(ApiUnavailableError):
        client.keys(deadline=soon())


def test_keys_are_asked_for_again_when_one_is_not_known_but_not_at_once(served, clock):
    provider, client, _ = served
    assert client.keys(deadline=soon())["keys"][0]["kid"] == "one"
    provider.kid = "two"
    assert client.keys(deadline=soon(), refetch=True)["keys"][0]["kid"] == "one"
    clock.now += KEYS_REFETCH_AFTER_S
    assert client.keys(deadline=soon())["keys"][0]["kid"] == "one"
    assert client.keys(deadline=soon(), refetch=True)["keys"][0]["kid"] == "two"


def test_the_way_to_the_provider_carries_a_challenge_and_not_its_answer(served):
    provider, client, _ = served
    verifier = "a-verifier-that-is-long-enough-to-be-one-0123456789"
    attempt = LoginAttempt(state="a-state", nonce="a-nonce", verifier=verifier, wanted="", locale="tr")
    callback = "http://localhost:8000/login/oidc/callback"
    url = client.authorization_url(client.metadata(deadline=soon()), attempt, redirect_uri=callback)
    asked = parse_qs(urlsplit(url).query)
    assert verifier not in url
    assert asked["code_challenge_method"] == ["S256"]
    assert (asked["state"], asked["nonce"], asked["ui_locales"]) == (["a-state"], ["a-nonce"], ["tr"])
    assert (asked["acr_values"], asked["audience"]) == (["mfa"], ["https://api.example.com/"])
    # Who needs consent asks for it in APP_OIDC_AUTHORIZE_PARAMS.
    assert "prompt" not in asked
    assert "resource" not in asked
    # A refresh token can only be revoked where the provider offers it.
    assert client.revoke(client.metadata(deadline=soon()), refresh="r", deadline=soon()) is None
    assert provider.forms == []


def test_what_the_provider_wants_goes_with_each_request_for_tokens_and_with_no_other(served):
    provider, client, _ = served
    metadata = client.metadata(deadline=soon())
    client.redeem(metadata, code="c", verifier="v", redirect_uri="http://localhost/back", deadline=soon())
    client.refresh(metadata, refresh="r", deadline=soon())
    provider.metadata["revocation_endpoint"] = f"{provider.issuer}/revoke"
    metadata = read_metadata(provider.discovery(), provider=client.provider)
    client.revoke(metadata, refresh="r", deadline=soon())
    assert [form.get("resource") for form in provider.forms] == ["urn:api", "urn:api", None]
    assert [form.get("audience") for form in provider.forms] == [None] * 3
