"""A server process has the keys of its JWKS address before its first request."""

from __future__ import annotations

import dataclasses
import json

import pytest

from portal.config.current import portal_config
from portal.config.portal_config import PortalConfig, TokenVerification
from portal.identity import verification
from portal.startup import fetch_keys
from tests.support.http_server import reply, scripted_server

KEY = {"kty": "oct", "kid": "one", "alg": "HS256", "k": "c2VjcmV0LXNlY3JldC1zZWNyZXQtc2VjcmV0"}


@pytest.fixture(autouse=True)
def no_key_source():
    verification.use_key_source(None)
    yield
    verification.use_key_source(None)


def config_with(jwks_url: str) -> PortalConfig:
    verified = TokenVerification(jwks_url=jwks_url, algorithms=("HS256",)) if jwks_url else TokenVerification()
    return dataclasses.replace(portal_config(), verification=verified)


def test_the_keys_are_there_when_the_start_is_done():
    document = json.dumps({"keys": [KEY]}).encode()
    with scripted_server(lambda _, out: out.sendall(reply(document))) as server:
        fetch_keys(config_with(f"{server.url}/keys"))
        source = verification._Current.source
        assert source is not None
        assert source.succeeded == 1
        assert [key.key_id for key in source.keys_for("one")] == ["one"]


def test_without_an_address_nothing_is_fetched():
    fetch_keys(config_with(""))
    assert verification._Current.source is None
