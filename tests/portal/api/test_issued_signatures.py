"""A token fresh from the backend that the edge does not accept: told, at sign-in and at refresh, once a minute."""

import dataclasses
import logging

import jwt
import pytest
from django.conf import settings
from django.test import override_settings

from portal.api import TokenPair, TokenStore, set_tokens
from portal.api.refresh.token_endpoint import TokensIssued, read_token_response
from portal.api.responses import RawResponse
from portal.api.signatures import SignatureWatch
from portal.config.portal_config import TokenVerification
from portal.identity import use_key_source
from tests.support.counts import counted
from tests.support.jwt_keys import FixedKeys, as_jwk, ec_key

KEY, OTHER_KEY = "the key of the portal, of 32 bytes", "the key of the backend, of 32 bytes"
COUNTER = "portal_token_signature_failures_total"
OURS, THEIRS = (jwt.encode({"sub": "u-1"}, key, "HS256") for key in (KEY, OTHER_KEY))


@pytest.fixture(autouse=True)
def portal_with_a_key(embedded_store, monkeypatch):
    monkeypatch.setattr("portal.api.signatures._watch", SignatureWatch())
    with override_settings(PORTAL=verifying(key=KEY, algorithms=("HS256",))):
        yield


def verifying(**options: object):
    return dataclasses.replace(settings.PORTAL, verification=TokenVerification(**options))  # type: ignore[arg-type]


def signs_in(access: str) -> None:
    set_tokens(TokenStore(), TokenPair(access=access, refresh="r"))


def refreshes(access: str) -> None:
    body = f'{{"accessToken": "{access}", "refreshToken": "r"}}'.encode()
    assert isinstance(
        read_token_response(RawResponse(status=200, headers={}, content=body), submitted="r1"), TokensIssued
    )


def told(caplog) -> list[str]:
    return [record.getMessage() for record in caplog.records if record.levelno == logging.WARNING]


@pytest.mark.parametrize("comes", [signs_in, refreshes])
def test_each_is_counted_and_one_is_told(comes, caplog) -> None:
    before = counted(COUNTER)
    comes(OURS)
    assert (counted(COUNTER), told(caplog)) == (before, [])
    comes(THEIRS)
    comes(THEIRS)
    assert counted(COUNTER) == before + 2
    (line,) = told(caplog)
    assert line == "a token fresh from the backend is not accepted: it is not signed with APP_JWT_KEY"


def test_it_is_told_again_after_a_minute(caplog) -> None:
    times = iter([0.0, 59.0, 61.0])
    watch = SignatureWatch(clock=lambda: next(times))
    for _ in range(3):
        watch.look_at(THEIRS)
    assert len(told(caplog)) == 2


def test_a_key_set_that_has_not_its_key_is_told_and_one_that_nothing_fetches_is_not(caplog) -> None:
    key_set = {"jwks_url": "https://id.example.com/jwks", "algorithms": ("ES256",)}
    access = jwt.encode({"sub": "u-1"}, ec_key("theirs"), "ES256", headers={"kid": "theirs"})
    with override_settings(PORTAL=verifying(**key_set)):
        refreshes(access)
        assert told(caplog) == []
        use_key_source(FixedKeys({"ours": as_jwk(ec_key("ours"), kid="ours", alg="ES256")}))
        try:
            refreshes(access)
        finally:
            use_key_source(None)
    (line,) = told(caplog)
    assert line.endswith("no key of APP_JWT_JWKS_URL is known under its key id (kid)")
