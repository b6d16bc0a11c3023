"""What the provider signed, checked claim by claim. The gateway's answers to forgeries stand in the functional tests."""

import base64
import contextlib
import hashlib
import json

import jwt
import pytest
from cryptography.hazmat.primitives.asymmetric import ec, rsa
from hypothesis import given
from hypothesis import strategies as st

from portal_oidc.id_tokens import (
    LOGOUT_EVENT,
    Expected,
    IdTokenClaims,
    InvalidJwtError,
    JwtProblem,
    LogoutTokenClaims,
    check_id_token,
    check_logout_token,
)
from portal_oidc.provider import ALGORITHMS

NOW = 1_700_000_000
ISSUER, CLIENT, NONCE, ACCESS = "https://id.example.com", "portal", "n-1", "an-access-token"
EXPECTED = Expected(issuer=ISSUER, client_id=CLIENT, algorithms=ALGORITHMS)
RSA_KEY = rsa.generate_private_key(public_exponent=65537, key_size=2048)
EC_KEY = ec.generate_private_key(ec.SECP256R1())


def published(key, kid="k"):
    algorithm = jwt.algorithms.RSAAlgorithm if isinstance(key, rsa.RSAPrivateKey) else jwt.algorithms.ECAlgorithm
    return {**json.loads(algorithm.to_jwk(key.public_key())), "kid": kid}


KEYS = {"keys": [published(RSA_KEY), published(EC_KEY, "e")]}


BASE = {"iss": ISSUER, "aud": CLIENT, "iat": NOW, "exp": NOW + 60}


def signed(claims, *, key=RSA_KEY, algorithm="RS256", kid="k", **headers):
    content = {name: value for name, value in claims.items() if value is not None}
    headers = {**({} if kid is None else {"kid": kid}), **headers}
    return jwt.encode(content, key, algorithm=algorithm, headers=headers)


def id_token(*, key=RSA_KEY, algorithm="RS256", kid="k", **changes):
    return signed({**BASE, "sub": "ada", "nonce": NONCE, **changes}, key=key, algorithm=algorithm, kid=kid)


def check(token, *, now=NOW, keys=KEYS):
    return check_id_token(token, keys=keys, expected=EXPECTED, nonce=NONCE, access_token=ACCESS, now=now)


def logout_token(**changes):
    return signed({**BASE, "jti": "j-1", "sid": "s-1", "events": {LOGOUT_EVENT: {}}, **changes}, typ="logout+jwt")


def check_logout(token, *, now=NOW):
    return check_logout_token(token, keys=KEYS, expected=EXPECTED, now=now)


def problem_of(call, *arguments, **options):
    with pytest.raises(InvalidJwtError) as caught:
        call(*arguments, **options)
    return caught.value.problem


@pytest.mark.parametrize(
    ("key", "algorithm", "kid"), [(RSA_KEY, "PS512", "k"), (EC_KEY, "ES256", "e"), (RSA_KEY, "RS256", None)]
)
def test_an_id_token_says_who_signed_in_and_maybe_in_which_session(key, algorithm, kid):
    for sid in ("s-1", None):
        token = id_token(key=key, algorithm=algorithm, kid=kid, sid=sid)
        assert check(token) == IdTokenClaims(subject="ada", sid=sid)


def test_a_hash_of_the_access_token_is_checked_where_there_is_one():
    half = hashlib.sha256(ACCESS.encode()).digest()[:16]
    right = base64.urlsafe_b64encode(half).rstrip(b"=").decode()
    assert check(id_token(at_hash=right)).subject == "ada"
    assert problem_of(check, id_token(at_hash=right[::-1])) is JwtProblem.CLAIMS


def test_clocks_may_differ_a_little():
    assert check(id_token(exp=NOW - 29)).subject == "ada"
    assert problem_of(check, id_token(exp=NOW - 31)) is JwtProblem.EXPIRED


@pytest.mark.parametrize(
    ("changes", "problem"),
    [
        ({"iss": "https://b.test"}, JwtProblem.ISSUER),
        *(({"aud": aud}, JwtProblem.AUDIENCE) for aud in ("another", None)),
    ],
)
def test_a_token_is_for_this_client_and_of_this_issuer(changes, problem):
    assert problem_of(check, id_token(**changes)) is problem
    assert problem_of(check_logout, logout_token(**changes)) is problem


@pytest.mark.parametrize("token", [None, 7, "", "a.b", "....", "é.é.é", "W10.e30.", "e30.e30.e30"])
def test_what_is_no_token_is_refused(token):
    for call in (check, check_logout):
        assert problem_of(call, token) in {JwtProblem.MALFORMED, JwtProblem.ALGORITHM}


@pytest.mark.parametrize("kid", [{}, ["k"], 5])
def test_a_key_id_that_is_no_text_is_malformed_and_that_of_a_published_key_hides_no_other(kid):
    _, claims, signature = id_token().split(".")
    header = base64.urlsafe_b64encode(json.dumps({"alg": "RS256", "kid": kid}).encode()).rstrip(b"=").decode()
    for call in (check, check_logout):
        assert problem_of(call, f"{header}.{claims}.{signature}") is JwtProblem.MALFORMED
    keys = {"keys": [published(EC_KEY, kid), *KEYS["keys"]]}
    assert check(id_token(), keys=keys).subject == "ada"
    assert check(id_token(kid=None), keys=keys).subject == "ada"
    assert problem_of(check, id_token(kid="other"), keys=keys) is JwtProblem.UNKNOWN_KEY


def test_a_public_key_is_never_taken_as_a_shared_secret():
    secret = "what everybody can read, and forty bytes long"
    forged = jwt.encode({"iss": ISSUER, "aud": CLIENT}, secret, algorithm="HS256", headers={"kid": "k"})
    assert problem_of(check, forged) is JwtProblem.ALGORITHM
    permissive = Expected(issuer=ISSUER, client_id=CLIENT, algorithms=("HS256",))
    symmetric = {"keys": [{"kty": "oct", "kid": "k", "k": base64.urlsafe_b64encode(secret.encode()).decode()}]}
    found = problem_of(
        check_id_token, forged, keys=symmetric, expected=permissive, nonce=NONCE, access_token=ACCESS, now=NOW
    )
    assert found is JwtProblem.UNKNOWN_KEY


#: What a key set may hold, by mistake or by malice.
ODD_KEYS = [
    {"kty": "EC", "crv": "P-256", "x": "AA", "y": "AA"},
    {"kty": "OKP", "crv": "X25519", "x": "A" * 43},
    *({"kty": "RSA", "n": modulus, "e": "AQAB"} for modulus in ("AQ", "%%%", "A" * 100_000, "\ud800", [1])),
    {"kty": "RSA", "alg": "RS999", "use": "enc", "key_ops": "verify", "n": "AQAB", "e": "AQAB"},
    *({"kty": kind} for kind in ("RSA", ["EC"], None)),
    *({}, None, "x"),
]


@pytest.mark.parametrize("member", ODD_KEYS, ids=lambda member: json.dumps(member)[:40])
def test_a_published_key_that_cannot_be_used_is_as_if_it_were_not_there(member):
    """RFC 7517, section 5. It hides no other, and breaks nothing, whether or not the token names it."""
    odd = {"keys": [{**member, "kid": "k"} if isinstance(member, dict) else member]}
    for token in (id_token(), id_token(kid=None)):
        assert problem_of(check, token, keys=odd) in {JwtProblem.UNKNOWN_KEY, JwtProblem.SIGNATURE}
        assert check(token, keys={"keys": odd["keys"] + KEYS["keys"]}).subject == "ada"


json_values = st.recursive(
    st.none() | st.integers() | st.text(max_size=8) | st.sampled_from(["P-256", "P-999", "RSA", "AQAB"]),
    lambda inner: st.lists(inner, max_size=2) | st.dictionaries(st.text(max_size=4), inner, max_size=2),
    max_leaves=4,
)
key_members = st.sampled_from(["crv", "x", "y", "n", "e", "d", "alg", "use", "key_ops", "x5c", "x5t", "p", "q"])


@given(
    kty=st.sampled_from(["RSA", "EC", "OKP"]) | json_values,
    members=st.dictionaries(key_members, json_values, max_size=5),
    base=st.sampled_from([*KEYS["keys"], {}]),
)
def test_no_key_set_is_a_fault_of_ours(kty, members, base):
    odd = {**base, "kty": kty, **members, "kid": "k"}
    with contextlib.suppress(InvalidJwtError):
        assert check(id_token(), keys={"keys": [odd]}).subject == "ada", "members that change nothing of the key"


def test_a_logout_token_names_a_session_or_a_user():
    assert check_logout(logout_token()) == LogoutTokenClaims(subject=None, sid="s-1", token_id="j-1")
    assert check_logout(logout_token(sid=None, sub="ada")) == LogoutTokenClaims(subject="ada", sid=None, token_id="j-1")


@pytest.mark.parametrize(
    "changes",
    [
        *({"events": events} for events in ({}, [LOGOUT_EVENT], {LOGOUT_EVENT: "x"})),
        *({"nonce": "n"}, {"jti": None}, {"jti": 7}, {"sid": None}, {"sid": ""}, {"sub": 7}),
    ],
)
def test_a_logout_token_that_lacks_something_is_refused(changes):
    assert problem_of(check_logout, logout_token(**changes)) is JwtProblem.CLAIMS


@pytest.mark.parametrize(
    "changes",
    [*({"iat": issued} for issued in (None, "now", True, NOW - 151, NOW + 31)), {"exp": NOW - 30}, {"exp": "later"}],
)
def test_a_logout_token_is_for_now(changes):
    assert problem_of(check_logout, logout_token(**changes)) is JwtProblem.EXPIRED


def test_an_id_token_is_no_logout_token():
    assert problem_of(check_logout, id_token(sid="s-1")) is JwtProblem.CLAIMS
    assert problem_of(check, logout_token(sub="ada")) is JwtProblem.NONCE
