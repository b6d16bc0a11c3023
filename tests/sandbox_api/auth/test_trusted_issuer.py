"""Tokens of an issuer that the sandbox was told to trust, and those that only look like them."""

import json
import time

import jwt
import pytest
import responses
from cryptography.hazmat.primitives.asymmetric import rsa

from sandbox_api.auth import trusted_issuer

ISSUER = "https://provider.test"
KEY = rsa.generate_private_key(public_exponent=65537, key_size=2048)
OTHER_KEY = rsa.generate_private_key(public_exponent=65537, key_size=2048)


def published(key):
    return {"keys": [{**json.loads(jwt.algorithms.RSAAlgorithm.to_jwk(key.public_key())), "kid": "one", "use": "sig"}]}


@pytest.fixture
def provider(configure, monkeypatch):
    trusted_issuer._keys_of.cache_clear()
    trusted_issuer._discovered.cache_clear()
    configure(trusted_issuer=ISSUER)
    monkeypatch.setattr(jwt.PyJWKClient, "fetch_data", lambda self: published(KEY))
    with responses.RequestsMock(assert_all_requests_are_fired=False) as http:
        http.get(f"{ISSUER}/.well-known/openid-configuration", json={"issuer": ISSUER, "jwks_uri": f"{ISSUER}/jwks"})
        yield http
    trusted_issuer._keys_of.cache_clear()
    trusted_issuer._discovered.cache_clear()


def token_for(account, *, key=KEY, algorithm="RS256", headers=None, **claims):
    now = int(time.time())
    content = {"iss": ISSUER, "sub": "somebody", "email": account.email, "iat": now, "exp": now + 60, **claims}
    content = {name: value for name, value in content.items() if value is not None}
    return jwt.encode(content, key, algorithm=algorithm, headers={"kid": "one", **(headers or {})})


def me(anyone, token):
    return anyone.get("/me", headers={"Authorization": f"Bearer {token}"})


def test_the_account_is_found_by_its_address_or_else_by_its_subject(provider, anyone, make_account):
    account = make_account("ENERGY_APP", email="ada@example.com")
    answer = me(anyone, token_for(account, email="Ada@Example.com", permissions=["FINANCE_APP"]))
    assert answer.status_code == 200
    # What it may do is kept here, whatever the token says.
    assert answer.json() == {
        "id": account.id,
        "email": "ada@example.com",
        "name": account.name,
        "permissions": ["ENERGY_APP"],
    }
    assert me(anyone, token_for(account, email=None, sub=account.id)).json()["id"] == account.id


@pytest.mark.parametrize(
    "forgery",
    [
        {"key": OTHER_KEY},
        {"iss": "https://other.test"},
        {"exp": int(time.time()) - 3600},
        {"sub": None},
        {"exp": None},
        {"email": "nobody@example.com"},
        {"nonce": "of an ID token"},
        {"headers": {"kid": "two"}},
        {"algorithm": "HS256", "key": "k" * 32},
        {"algorithm": "none", "key": None},
    ],
    ids=",".join,
)
def test_what_only_looks_like_one_is_401(provider, anyone, make_account, problem, forgery):
    account = make_account()
    assert problem(me(anyone, token_for(account, **forgery)), 401)


def test_an_issuer_that_does_not_answer_or_is_not_trusted_is_401(provider, configure, anyone, make_account, problem):
    token = token_for(make_account())
    provider.replace(responses.GET, f"{ISSUER}/.well-known/openid-configuration", status=503)
    assert problem(me(anyone, token), 401)
    for issuer, status in (("https://other.test", 401), (ISSUER, 200)):
        said = {"issuer": issuer, "jwks_uri": f"{ISSUER}/jwks"}
        provider.replace(responses.GET, f"{ISSUER}/.well-known/openid-configuration", json=said)
        assert me(anyone, token).status_code == status
    configure(trusted_issuer="")
    assert problem(me(anyone, token), 401)


def test_of_an_opaque_token_the_issuer_says_whose_it_is_each_time(provider, anyone, make_account, problem):
    account = make_account("ENERGY_APP", email="ada@example.com")
    said = {"issuer": ISSUER, "jwks_uri": f"{ISSUER}/jwks", "userinfo_endpoint": f"{ISSUER}/me"}
    provider.replace(responses.GET, f"{ISSUER}/.well-known/openid-configuration", json=said)
    bearer = [responses.matchers.header_matcher({"Authorization": "Bearer opaque"})]
    provider.get(f"{ISSUER}/me", json={"sub": "somebody", "email": "Ada@Example.com"}, match=bearer)
    assert me(anyone, "opaque").json()["id"] == account.id
    assert problem(me(anyone, "another"), 401)
    for answer in ({"status": 401}, {"body": "no JSON"}, {"json": []}, {"json": {"email": account.email}}):
        provider.replace(responses.GET, f"{ISSUER}/me", **answer)
        assert problem(me(anyone, "opaque"), 401)
