"""The refresh at the provider's token endpoint, and the records that go with it."""

import json

import pytest

from portal.api.refresh.refresher import TokenRefresher
from portal.api.refresh.token_endpoint import InvalidGrant, NoResponse, TokensIssued
from portal.api.responses import RawResponse
from portal.api.tokens import TokenPair, TokenStore
from portal.config.limits import MAX_ANSWER_BYTES
from portal.config.portal_config import OidcProvider
from portal.errors import SignInEndedError, StoreUnavailableError
from portal.process import Deadline
from portal_oidc.provider import OidcClient
from portal_oidc.sessions import ProviderSessions
from portal_oidc.token_endpoint import ProviderTokenEndpoint, read_token_response
from tests.portal_oidc.test_sessions import out, pair, start
from tests.support.fake_provider import fake_provider
from tests.support.given_store import LostBackend, StoreOn


@pytest.fixture
def provider():
    with fake_provider() as (provider, take_down):
        provider.take_down = take_down
        yield provider


@pytest.fixture
def endpoint(provider, sessions) -> ProviderTokenEndpoint:
    client = OidcClient(
        provider=OidcProvider(issuer=provider.issuer, client_id="portal"), connect_timeout_s=1, read_timeout_s=1
    )
    return ProviderTokenEndpoint(client=lambda: client, sessions=sessions)


def submit(endpoint: ProviderTokenEndpoint, refresh: str):
    return endpoint.submit(refresh=refresh, deadline=Deadline(5), request_id=None)


def issued(access: str, refresh: str) -> TokensIssued:
    return TokensIssued(pair=TokenPair(access=access, refresh=refresh))


NO_TOKENS = NoResponse(reason="JSON without tokens", lost=False)
UNUSABLE = InvalidGrant(reason="JSON without usable tokens")


@pytest.mark.parametrize(
    ("status", "body", "outcome"),
    [
        (200, {"access_token": "a", "refresh_token": "r"}, issued("a", "r")),
        (200, {"access_token": "a"}, issued("a", "old")),
        # A refusal ends the sign-in, whatever it says; a fault of the set-up does not.
        *(
            (status, body, InvalidGrant(reason=f"status {status}"))
            for status in (400, 401, 403, 422)
            for body in ({"error": "invalid_grant"}, b"<html>")
        ),
        *(
            (401, {"error": error}, NoResponse(reason=error, lost=False))
            for error in ("invalid_client", "unauthorized_client", "unsupported_grant_type")
        ),
        *(
            (400, {"error": error}, InvalidGrant(reason="status 400"))
            for error in (None, ["invalid_client"], {"invalid_client": 1})
        ),
        # No usable answer signs nobody out; only JSON that came damaged was the provider's own.
        *((status, {}, NoResponse(reason=f"status {status}", lost=False)) for status in (302, 404, 503)),
        (200, b'{"access_token": "a", "refr', NoResponse(reason="JSON that can't be read", lost=True)),
        (200, b"<html>", NoResponse(reason="no JSON", lost=False)),
        *((200, body, NO_TOKENS) for body in ({}, [], {"access_token": ""}, {"access_token": "a", "refresh_token": 1})),
        *(
            (200, {"access_token": access, "refresh_token": refresh}, UNUSABLE)
            for access, refresh in (("a b", "r"), ("a", "r;"), ("a", "x" * 5000))
        ),
    ],
)
def test_what_a_response_means(status, body, outcome, caplog):
    content = body if isinstance(body, bytes) else json.dumps(body).encode()
    assert read_token_response(RawResponse(status=status, headers={}, content=content), submitted="old") == outcome
    if outcome is UNUSABLE:
        assert [record.levelname for record in caplog.records] == ["ERROR"], "the operator is told"


@pytest.mark.parametrize(("status", "lost"), [(200, True), (503, False), (400, False)])
def test_status_of_too_large_answer_decides_loss(provider, endpoint, status, lost):
    """Whether a 400 was about the token can't be known without its body: nobody is signed out by it."""
    submit(endpoint, "refresh-0")  # discovery
    provider.token_answer = (status, {"error": "invalid_client", "filling": "x" * MAX_ANSWER_BYTES})
    outcome = submit(endpoint, "refresh-1")
    assert isinstance(outcome, NoResponse)
    assert outcome.lost is lost


def test_refresh_moves_the_record_while_signed_in(provider, endpoint, sessions):
    start(sessions)
    outcome = submit(endpoint, "refresh-1")
    assert isinstance(outcome, TokensIssued)
    assert provider.forms == [{"grant_type": "refresh_token", "refresh_token": "refresh-1", "client_id": "portal"}]
    assert sessions.id_token(outcome.pair) == "an-id-token"
    sessions.end(out(sid="s-1"))
    assert sessions.has_ended(outcome.pair)
    assert isinstance(submit(endpoint, outcome.pair.refresh), InvalidGrant)
    assert len(provider.forms) == 1


def test_a_token_whose_answer_was_lost_is_never_submitted_to_a_provider_again(provider, endpoint, store):
    """A token endpoint knows no Idempotency-Key: a second use would be theft to it."""
    refresher = TokenRefresher(token_endpoint=endpoint, store=store, max_age_s=3600)
    submit(endpoint, "refresh-0")  # discovery
    provider.token_answer = (200, {"access_token": "x" * MAX_ANSWER_BYTES})
    for _ in range(2):
        tokens = TokenStore(pair(1))
        with pytest.raises(SignInEndedError):
            refresher.refresh(tokens, deadline=Deadline(20))
        assert tokens.lost
    assert [form["refresh_token"] for form in provider.forms] == ["refresh-0", "refresh-1"]


def test_sign_out_frees_the_record_without_the_provider(provider, endpoint, sessions, store):
    """It holds the ID token, and would stay for as long as the sign-in might have lasted."""
    start(sessions)
    provider.take_down()
    outcome = submit(endpoint, "refresh-1")
    assert isinstance(outcome, NoResponse)
    assert outcome.lost is False
    endpoint.revoke(refresh="refresh-1", bearer="access-1", deadline=Deadline(1))
    assert sessions.id_token(pair(1)) is None
    assert store.backend().database.run("SELECT key FROM entries")[0] == []


def test_without_the_store_nothing_is_submitted_and_a_revocation_is_no_error(provider, endpoint):
    sessions = ProviderSessions(store=StoreOn(LostBackend()), max_age_s=60)
    endpoint = ProviderTokenEndpoint(client=endpoint._client, sessions=sessions)
    with pytest.raises(StoreUnavailableError):
        submit(endpoint, "refresh-1")
    endpoint.revoke(refresh="refresh-1", bearer=None, deadline=Deadline(5))
    assert provider.forms == []
