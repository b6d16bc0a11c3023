"""Verification: a fixed list of algorithms, keys by name, issuer and audience exactly; and nothing else passes."""

import base64
import hashlib
import hmac
import json

import jwt
import pytest
from cryptography.hazmat.primitives.serialization import Encoding, NoEncryption, PrivateFormat, PublicFormat

from portal.config.portal_config import TokenVerification
from portal.errors import ConfigurationError
from portal.identity.users import get_user_from_token
from portal.identity.verification import NOT_A_TOKEN, UnknownKeyError, make_verifier, use_key_source
from tests.support.jwt_keys import FixedKeys, as_jwk, ec_key, ed_key, rsa_key

SECRET = "a secret that is long enough even for HS512, so of sixty-four bytes"
CLAIMS = {"sub": "u-1", "permissions": ["ENERGY_APP"], "iss": "https://id.example.com", "aud": "portal", "exp": 9e9}


@pytest.fixture(autouse=True)
def no_key_source_is_left():
    yield
    use_key_source(None)


def with_secret(**changes: object):
    return make_verifier(TokenVerification(**{"key": SECRET, "algorithms": ("HS256",)} | changes))


def with_key_set(source: FixedKeys, *, algorithms: tuple[str, ...] = ("RS256",), **changes: object):
    use_key_source(source)
    return make_verifier(TokenVerification(jwks_url="https://id.example.com/jwks", algorithms=algorithms, **changes))


def pem_of(private) -> str:
    return private.public_key().public_bytes(Encoding.PEM, PublicFormat.SubjectPublicKeyInfo).decode()


def accepted(token: str, verifier) -> bool:
    return get_user_from_token(token, verifier=verifier) is not None


def unsigned(header: dict[str, object], claims: dict[str, object] = CLAIMS, signature: bytes = b"") -> str:
    parts = (json.dumps(header).encode(), json.dumps(claims).encode(), signature)
    return ".".join(base64.urlsafe_b64encode(part).rstrip(b"=").decode() for part in parts)


def test_a_process_in_which_nothing_fetches_the_keys_says_how_it_should_start(caplog) -> None:
    use_key_source(None)
    verifier = make_verifier(TokenVerification(jwks_url="https://id.example.com/jwks", algorithms=("RS256",)))
    private = rsa_key("a")
    assert not accepted(jwt.encode(CLAIMS, private, algorithm="RS256"), verifier)
    assert [record.levelname for record in caplog.records] == ["ERROR"]
    assert "portal_server.startup.wsgi_application" in caplog.text


@pytest.mark.parametrize(
    "forged",
    [
        jwt.encode(CLAIMS, "another secret of thirty-two bytes!!"),
        jwt.encode(CLAIMS, SECRET, algorithm="HS384"),
        jwt.encode(CLAIMS, SECRET)[:-2],
        jwt.encode(CLAIMS, SECRET).rpartition(".")[0] + ".",
        jwt.encode(CLAIMS, None, algorithm="none"),
        unsigned({"alg": "none"}),
        unsigned({"alg": "HS256"}),
    ],
    ids=lambda token: token[-24:],
)
def test_a_forged_token_is_refused(forged) -> None:
    assert not accepted(forged, with_secret())


def test_a_public_key_is_no_hmac_secret() -> None:
    """The classic confusion: a token "signed" by HMAC with the public key, which everybody knows."""
    pem = pem_of(rsa_key("a"))
    body = unsigned({"alg": "HS256", "typ": "JWT"}).rpartition(".")[0]
    mac = hmac.digest(pem.encode(), body.encode(), hashlib.sha256)
    forged = f"{body}.{base64.urlsafe_b64encode(mac).rstrip(b'=').decode()}"
    assert not accepted(forged, make_verifier(TokenVerification(key=pem, algorithms=("RS256",))))
    assert not accepted(forged, with_key_set(FixedKeys({"a": as_jwk(rsa_key("a"), kid="a")})))


@pytest.mark.parametrize("line_break", ["\n", "\\n"], ids=["line breaks", "written as backslash n"])
def test_a_public_key_in_pem_verifies(line_break) -> None:
    pem = pem_of(rsa_key("a")).replace("\n", line_break)
    verifier = make_verifier(TokenVerification(key=pem, algorithms=("RS256", "PS256")))
    for algorithm in ("RS256", "PS256"):
        assert accepted(jwt.encode(CLAIMS, rsa_key("a"), algorithm=algorithm), verifier)
        assert not accepted(jwt.encode(CLAIMS, rsa_key("b"), algorithm=algorithm), verifier)


MISSING = object()


@pytest.mark.parametrize(
    ("change", "good"),
    [
        ({}, True),
        *(({"iss": value}, False) for value in ("https://id.example.com/", ["https://id.example.com"], None, MISSING)),
        ({"aud": ["portal", "other"]}, True),
        *(({"aud": value}, False) for value in (["other"], "portal2", None, {"portal": 1}, MISSING)),
    ],
    ids=lambda value: str(value).replace(str(MISSING), "missing"),
)
def test_issuer_and_audience_are_compared_exactly(change, good) -> None:
    claims = {name: value for name, value in (CLAIMS | change).items() if value is not MISSING}
    assert accepted(signed(claims), with_secret(issuer="https://id.example.com", audience="portal")) is good
    assert MISSING not in change.values() or accepted(signed(claims), with_secret()), "neither is asked for"


@pytest.mark.parametrize(
    ("key", "algorithms", "message"),
    [
        ("-----BEGIN PUBLIC KEY-----\nnonsense\n-----END PUBLIC KEY-----", ("RS256",), "a key for RS256"),
        ("x" * 32, ("HS256", "HS512"), "longer for HS512: at least 64 bytes"),
        (
            rsa_key("a").private_bytes(Encoding.PEM, PrivateFormat.PKCS8, NoEncryption()).decode(),
            ("RS256",),
            "the public",
        ),
    ],
)
def test_a_key_that_does_not_fit_the_algorithm_stops_the_start_with_one_line(key, algorithms, message) -> None:
    with pytest.raises(ConfigurationError, match=rf"^APP_JWT_KEY should be {message}"):
        make_verifier(TokenVerification(key=key, algorithms=algorithms))


def signed(claims: dict[str, object]) -> str:
    """Signed rightly, with claims that PyJWT's own encoder refuses to write."""
    body = unsigned({"alg": "HS256", "typ": "JWT"}, claims).rpartition(".")[0]
    mac = hmac.digest(SECRET.encode(), body.encode(), hashlib.sha256)
    return f"{body}.{base64.urlsafe_b64encode(mac).rstrip(b'=').decode()}"


def test_key_set_may_hold_keys_of_several_kinds() -> None:
    """Each is found by its name; without a name any counts."""
    keys = {"r": rsa_key("a"), "e": ec_key("a"), "d": ed_key("a")}
    verifier = with_key_set(
        FixedKeys({kid: as_jwk(key, kid=kid) for kid, key in keys.items()}), algorithms=("RS256", "ES256", "EdDSA")
    )
    for kid, algorithm in (("r", "RS256"), ("e", "ES256"), ("d", "EdDSA")):
        assert accepted(jwt.encode(CLAIMS, keys[kid], algorithm=algorithm, headers={"kid": kid}), verifier)
        assert accepted(jwt.encode(CLAIMS, keys[kid], algorithm=algorithm), verifier)
    wrong_kind = jwt.encode(CLAIMS, ec_key("a"), algorithm="ES256", headers={"kid": "r"})
    wrong_key = jwt.encode(CLAIMS, rsa_key("b"), algorithm="RS256", headers={"kid": "r"})
    unknown = jwt.encode(CLAIMS, rsa_key("c"), algorithm="RS256")
    assert not any(accepted(each, verifier) for each in (wrong_kind, wrong_key, unknown))


def test_published_secret_private_or_encryption_key_verifies_nothing() -> None:
    leaked = jwt.PyJWK({"kty": "oct", "k": base64.urlsafe_b64encode(SECRET.encode()).decode(), "alg": "HS256"})
    private = jwt.PyJWK(jwt.algorithms.RSAAlgorithm.to_jwk(rsa_key("c"), as_dict=True))
    keys = {"a": as_jwk(rsa_key("a"), kid="a", use="enc"), "b": leaked, "c": private}
    verifier = with_key_set(FixedKeys(keys), algorithms=("RS256", "HS256"))
    assert not accepted(jwt.encode(CLAIMS, rsa_key("a"), algorithm="RS256", headers={"kid": "a"}), verifier)
    assert not accepted(jwt.encode(CLAIMS, SECRET, headers={"kid": "b"}), verifier)
    assert not accepted(jwt.encode(CLAIMS, rsa_key("c"), algorithm="RS256", headers={"kid": "c"}), verifier)


def test_numbers_name_a_user() -> None:
    user = get_user_from_token(signed(CLAIMS | {"sub": 7, "jti": 8}), verifier=with_secret())
    assert user is not None
    assert user.subject == "7"


def test_an_unknown_key_is_told_apart_from_a_wrong_one() -> None:
    source = FixedKeys({"a": as_jwk(rsa_key("a"), kid="a")})
    verifier = with_key_set(source)
    with pytest.raises(UnknownKeyError):
        verifier.verified_claims(jwt.encode(CLAIMS, rsa_key("b"), algorithm="RS256", headers={"kid": "new"}))
    assert source.asked_in_vain == ["new"]
    with pytest.raises(jwt.InvalidSignatureError):
        verifier.verified_claims(jwt.encode(CLAIMS, rsa_key("b"), algorithm="RS256", headers={"kid": "a"}))
    assert issubclass(UnknownKeyError, NOT_A_TOKEN)
    # A disallowed algorithm does not even ask for a key, so garbage does not make anybody fetch.
    assert not accepted(jwt.encode(CLAIMS, SECRET, headers={"kid": "x"}), verifier)
    assert source.asked_in_vain == ["new"]
