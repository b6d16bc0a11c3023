"""The refresh at the provider's token endpoint, and the records that go with it."""

from __future__ import annotations

import json

import pytest

from portal.api.refresh.refresher import TokenRefresher
from portal.api.refresh.token_endpoint import InvalidGrant, NoResponse, TokensIssued
from portal.api.responses import RawResponse
from portal.api.tokens import TokenPair, TokenStore
from portal.config.limits import MAX_ANSWER_BYTES
from portal.config.portal_config import OidcProvider
from portal.errors import SignInEndedError, StoreUnavailableError
from portal.oidc.id_tokens import IdTokenClaims, LogoutTokenClaims
from portal.oidc.provider import OidcClient
from portal.oidc.sessions import ProviderSessions
from portal.oidc.token_endpoint import ProviderTokenEndpoint, read_token_response
from portal.process import Deadline
from sqlite_cache import SQLiteCache, close_idle_connections
from tests.support.fake_provider import fake_provider
from tests.support.given_store import StoreOn


class Clock:
    now = 1_000_000.0

    def __call__(self) -> float:
        return self.now


@pytest.fixture
def clock() -> Clock:
    return Clock()


@pytest.fixture
def backend(tmp_path, clock):
    cache = SQLiteCache(str(tmp_path / "store" / "cache.sqlite3"), {})
    cache.clock = clock
    yield cache
    close_idle_connections()


@pytest.fixture
def sessions(backend, clock) -> ProviderSessions:
    return ProviderSessions(store=StoreOn(backend), max_age_s=3600, clock=clock)


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


def reply(status: int, body: object) -> RawResponse:
    content = body if isinstance(body, bytes) else json.dumps(body).encode()
    return RawResponse(status=status, headers={}, content=content)


def pair(number: int) -> TokenPair:
    return TokenPair(access=f"access-{number}", refresh=f"refresh-{number}")


def start(sessions, number=1, *, subject="ada", sid="s-1") -> None:
    sessions.start(pair(number), claims=IdTokenClaims(subject=subject, sid=sid), id_token="an-id-token")


def out(*, sid=None, subject="ada", token_id="j-1") -> LogoutTokenClaims:
    return LogoutTokenClaims(subject=subject, sid=sid, token_id=token_id)


# --- what a response means ---


def test_new_tokens_are_issued():
    outcome = read_token_response(reply(200, {"access_token": "a", "refresh_token": "r"}), submitted="old")
    assert outcome == TokensIssued(pair=TokenPair(access="a", refresh="r"))


def test_without_a_new_refresh_token_the_old_one_stays():
    outcome = read_token_response(reply(200, {"access_token": "a"}), submitted="old")
    assert outcome == TokensIssued(pair=TokenPair(access="a", refresh="old"))


@pytest.mark.parametrize("status", [400, 401, 403, 422])
def test_a_refusal_ends_the_sign_in(status):
    assert isinstance(read_token_response(reply(status, {"error": "invalid_grant"}), submitted="old"), InvalidGrant)
    assert isinstance(read_token_response(reply(status, b"<html>"), submitted="old"), InvalidGrant)


@pytest.mark.parametrize("error", ["invalid_client", "unauthorized_client", "unsupported_grant_type"])
def test_a_fault_of_the_set_up_signs_nobody_out(error):
    outcome = read_token_response(reply(401, {"error": error}), submitted="old")
    assert outcome == NoResponse(reason=error, lost=False)


@pytest.mark.parametrize("error", [None, 5, [], ["invalid_client"], {"invalid_client": 1}])
def test_an_error_that_is_no_text_is_a_refusal_like_any_other(error):
    assert read_token_response(reply(400, {"error": error}), submitted="old") == InvalidGrant(reason="status 400")


@pytest.mark.parametrize(
    ("status", "body"), [(429, {}), (500, {}), (502, b""), (503, {}), (404, {}), (302, b""), (200, b"<html>")]
)
def test_no_usable_answer_signs_nobody_out(status, body):
    assert isinstance(read_token_response(reply(status, body), submitted="old"), NoResponse)


def test_the_providers_json_that_cannot_be_read_is_a_lost_answer():
    outcome = read_token_response(reply(200, b'{"access_token": "a", "refr'), submitted="old")
    assert outcome == NoResponse(reason="JSON that can't be read", lost=True)


def test_a_page_of_a_proxy_is_not_the_provider_and_the_token_may_be_submitted_again():
    outcome = read_token_response(reply(200, b"<html>"), submitted="old")
    assert outcome == NoResponse(reason="no JSON", lost=False)


@pytest.mark.parametrize(("status", "lost"), [(200, True), (503, False), (400, False)])
def test_of_an_answer_that_is_too_large_the_status_says_whether_the_token_may_be_used_up(
    provider, endpoint, status, lost
):
    """Whether a 400 was about the token can't be known without its body: nobody is signed out by it."""
    endpoint.submit(refresh="refresh-0", deadline=Deadline(5), request_id=None)  # discovery
    provider.token_answer = (status, {"error": "invalid_client", "filling": "x" * MAX_ANSWER_BYTES})
    outcome = endpoint.submit(refresh="refresh-1", deadline=Deadline(5), request_id=None)
    assert isinstance(outcome, NoResponse)
    assert outcome.lost is lost


@pytest.mark.parametrize("body", [{}, [], {"access_token": ""}, {"access_token": "a", "refresh_token": 1}])
def test_json_without_tokens_is_no_verdict(body):
    outcome = read_token_response(reply(200, body), submitted="old")
    assert outcome == NoResponse(reason="JSON without tokens", lost=False)


@pytest.mark.parametrize("tokens", [("a b", "r"), ("a", "r;"), ("a", "x" * 5000)])
def test_tokens_that_nothing_can_carry_end_the_sign_in_and_the_operator_is_told(tokens, caplog):
    access, refresh = tokens
    outcome = read_token_response(reply(200, {"access_token": access, "refresh_token": refresh}), submitted="old")
    assert outcome == InvalidGrant(reason="JSON without usable tokens")
    assert [record.levelname for record in caplog.records] == ["ERROR"]


# --- the exchange ---


def test_a_refresh_is_submitted_once_and_moves_the_record(provider, endpoint, sessions):
    start(sessions)
    outcome = endpoint.submit(refresh="refresh-1", deadline=Deadline(5), request_id="r")
    assert isinstance(outcome, TokensIssued)
    assert provider.forms == [{"grant_type": "refresh_token", "refresh_token": "refresh-1", "client_id": "portal"}]
    assert sessions.id_token(outcome.pair) == "an-id-token"
    sessions.end(out(sid="s-1"))
    assert sessions.has_ended(outcome.pair)


def test_nothing_is_submitted_for_a_sign_in_that_the_provider_has_ended(provider, endpoint, sessions):
    start(sessions)
    sessions.end(out(sid="s-1"))
    assert isinstance(endpoint.submit(refresh="refresh-1", deadline=Deadline(5), request_id=None), InvalidGrant)
    assert provider.forms == []


def test_a_provider_that_is_down_has_not_taken_the_token(provider, endpoint):
    provider.take_down()
    outcome = endpoint.submit(refresh="refresh-1", deadline=Deadline(5), request_id=None)
    assert isinstance(outcome, NoResponse)
    assert outcome.lost is False


def test_a_token_whose_answer_was_lost_is_never_submitted_to_a_provider_again(provider, endpoint, backend):
    """A token endpoint knows no Idempotency-Key: a second use would be theft to it."""
    refresher = TokenRefresher(token_endpoint=endpoint, store=StoreOn(backend), max_age_s=3600)
    endpoint.submit(refresh="refresh-0", deadline=Deadline(5), request_id=None)  # discovery
    provider.token_answer = (200, {"access_token": "x" * MAX_ANSWER_BYTES})
    for _ in range(2):
        tokens = TokenStore(pair(1))
        with pytest.raises(SignInEndedError):
            refresher.refresh(tokens, deadline=Deadline(20))
        assert tokens.lost
    assert [form["refresh_token"] for form in provider.forms] == ["refresh-0", "refresh-1"]


def test_a_revocation_that_fails_is_no_error(provider, endpoint):
    provider.take_down()
    endpoint.revoke(refresh="refresh-1", bearer="access-1", deadline=Deadline(1))


def test_a_sign_out_frees_the_record_also_where_the_provider_can_t_be_told(provider, endpoint, sessions, backend):
    """It holds the ID token, and would stay for as long as the sign-in might have lasted."""
    start(sessions)
    provider.take_down()
    endpoint.revoke(refresh="refresh-1", bearer=None, deadline=Deadline(1))
    assert sessions.id_token(pair(1)) is None
    assert backend.database.run("SELECT key FROM entries")[0] == []


def test_without_the_store_a_revocation_is_no_error(provider):
    class Broken:
        def __getattr__(self, name):
            raise OSError("gone")

    client = OidcClient(
        provider=OidcProvider(issuer=provider.issuer, client_id="portal"), connect_timeout_s=1, read_timeout_s=1
    )
    endpoint = ProviderTokenEndpoint(
        client=lambda: client, sessions=ProviderSessions(store=StoreOn(Broken()), max_age_s=60)
    )
    endpoint.revoke(refresh="refresh-1", bearer=None, deadline=Deadline(5))


def test_without_the_store_nothing_is_submitted(provider):
    class Broken:
        def __getattr__(self, name):
            raise OSError("gone")

    endpoint = ProviderTokenEndpoint(
        client=lambda: pytest.fail("asked"), sessions=ProviderSessions(store=StoreOn(Broken()), max_age_s=60)
    )
    with pytest.raises(StoreUnavailableError):
        endpoint.submit(refresh="refresh-1", deadline=Deadline(5), request_id=None)
