"""The memory of decoded tokens: right at every moment, bounded, and safe for threads."""

from dataclasses import replace

import jwt
import pytest

from portal.config.current import portal_config
from portal.config.portal_config import OidcProvider, TokenVerification
from portal.identity import token_cache
from portal.identity.token_cache import TokenCache, TokenState
from portal.identity.verification import make_verifier, use_key_source
from tests.support.forks import at_once
from tests.support.jwt_keys import FixedKeys, as_jwk, rsa_key

SECRET = "a secret of at least thirty-two bytes"
NOW = 1_000_000.0
LEEWAY = 30


@pytest.fixture(autouse=True)
def no_key_source_is_left():
    yield
    use_key_source(None)


@pytest.fixture
def decoded(monkeypatch) -> list[str]:
    """The tokens that were really decoded, in order."""
    tokens: list[str] = []
    original = token_cache.decode_user

    def noting(token: str, **options: object):
        tokens.append(token)
        return original(token, **options)

    monkeypatch.setattr(token_cache, "decode_user", noting)
    return tokens


def token(**claims: object) -> str:
    return jwt.encode({"permissions": ["ENERGY_APP"], **claims}, SECRET)


def verifying() -> TokenCache:
    return TokenCache(verifier=make_verifier(TokenVerification(key=SECRET, algorithms=("HS256",))))


@pytest.mark.parametrize("known", [TokenCache(), verifying()], ids=["decoding", "verifying"])
def test_a_token_expires_thirty_seconds_after_its_exp_however_well_it_is_known(known) -> None:
    short = token(exp=NOW)
    states = [known.check(short, now=NOW + after).state for after in (-99, 0, LEEWAY - 0.001, LEEWAY, 9_999, -99)]
    assert states == [*[TokenState.VALID] * 3, *[TokenState.EXPIRED] * 2, TokenState.VALID]
    assert known.check(short, now=NOW + LEEWAY).user == known.check(short, now=NOW).user


def test_a_verified_token_is_not_good_before_its_time() -> None:
    early = token(nbf=NOW)
    known = verifying()
    assert known.check(f"{early[:-4]}AAAA", now=NOW).state is TokenState.INVALID, "another signature"
    assert known.check(early, now=NOW - LEEWAY - 1).state is TokenState.INVALID
    assert known.check(early, now=NOW - LEEWAY).state is TokenState.VALID
    assert TokenCache().check(early, now=0).state is TokenState.VALID, "claims are verified only where keys are"


def test_each_token_is_decoded_once_good_or_bad(decoded) -> None:
    known = TokenCache()
    good = token(sub="u")
    for _ in range(3):
        assert known.check(good, now=NOW).state is TokenState.VALID
        assert known.check("garbage", now=NOW).state is TokenState.INVALID
        assert known.check(token(sub="u"), now=NOW).state is TokenState.VALID, "an equal text is the same token"
    assert decoded == [good, "garbage"]


def test_a_flood_of_garbage_pushes_out_no_good_token(decoded) -> None:
    known = TokenCache(good=10, bad=20)
    good = token(sub="u")
    known.check(good, now=NOW)
    assert known.check("x" * 65_536, now=NOW).state is TokenState.INVALID
    assert not known._bad.kept, "a huge one is rejected unread and unremembered"
    for number in range(1_000):
        known.check(f"garbage-{number}", now=NOW)
    known.check(good, now=NOW)
    assert decoded.count(good) == 1
    assert len(known._bad.kept) == 20


def test_good_tokens_are_bounded_the_oldest_goes_first(decoded) -> None:
    known = TokenCache(good=3)
    tokens = [token(sub=str(number)) for number in range(4)]
    for each in tokens:
        known.check(each, now=NOW)
    assert list(known._good.kept) == tokens[1:]
    assert known.check(tokens[0], now=NOW).state is TokenState.VALID, "and is decoded again"
    assert decoded == [*tokens, tokens[0]]


def test_keys_that_changed_make_cached_tokens_be_verified_again(decoded) -> None:
    source = FixedKeys()
    use_key_source(source)
    known = TokenCache(verifier=make_verifier(TokenVerification(jwks_url="https://id.test", algorithms=("RS256",))))
    signed = jwt.encode({"sub": "u"}, rsa_key("a"), algorithm="RS256", headers={"kid": "a"})
    assert known.check(signed, now=NOW).state is TokenState.UNVERIFIABLE, "its key may be on its way"
    assert known.check(signed, now=NOW).state is TokenState.UNVERIFIABLE
    source.change({"a": as_jwk(rsa_key("a"), kid="a")})
    assert known.check(signed, now=NOW).state is TokenState.VALID
    assert known.check(signed, now=NOW).state is TokenState.VALID
    assert len(decoded) == 3
    source.change({"a": as_jwk(rsa_key("b"), kid="a")})
    assert known.check(signed, now=NOW).state is TokenState.INVALID, "the key was replaced under its name"
    source.change({"a": as_jwk(rsa_key("a"), kid="a")})
    assert known.check(signed, now=NOW).state is TokenState.VALID, "a bad judgement is no older than the keys"


def test_a_token_whose_key_a_later_fetch_does_not_bring_is_rejected() -> None:
    source = FixedKeys({"a": as_jwk(rsa_key("a"), kid="a")})
    use_key_source(source)
    known = TokenCache(verifier=make_verifier(TokenVerification(jwks_url="https://id.test", algorithms=("RS256",))))
    signed, newer = (
        jwt.encode({"sub": subject}, rsa_key("b"), algorithm="RS256", headers={"kid": "b"}) for subject in "uv"
    )
    source.begun = 2
    assert known.check(signed, now=NOW).state is TokenState.UNVERIFIABLE
    source.succeeded = 2
    assert known.check(signed, now=NOW).state is TokenState.UNVERIFIABLE, "that fetch had begun before"
    source.begun = 3
    assert known.check(signed, now=NOW).state is TokenState.UNVERIFIABLE, "it has not come to anything"
    source.succeeded = 3
    assert known.check(signed, now=NOW).state is TokenState.INVALID
    assert known.check(newer, now=NOW).state is TokenState.UNVERIFIABLE, "its key may be newer than the fetch"
    source.change({"a": as_jwk(rsa_key("a"), kid="a"), "b": as_jwk(rsa_key("b"), kid="b")})
    assert known.check(signed, now=NOW).state is TokenState.VALID
    assert known.check(newer, now=NOW).state is TokenState.VALID


def test_many_threads_read_the_same_truth_and_the_bounds_hold() -> None:
    known = TokenCache(good=8, bad=8)
    good = [token(sub=str(number)) for number in range(24)]

    def read(seed: int) -> bool:
        numbers = [(seed * 7 + step * 5) % 24 for step in range(400)]
        users = [known.check(good[number], now=NOW).user for number in numbers]
        states = {known.check(f"bad-{number}", now=NOW).state for number in numbers}
        return [user.subject for user in users] == [*map(str, numbers)] and states == {TokenState.INVALID}

    assert all(at_once(8, read))
    assert len(known._good.kept) <= 8
    assert len(known._bad.kept) <= 8


def test_nothing_is_read_of_tokens_that_are_opaque_and_they_are_sent_all_the_same(decoded) -> None:
    config = replace(portal_config(), oidc=OidcProvider(issuer="https://id.example.com", opaque_access_tokens=True))
    known = token_cache.make_token_cache(config)
    for text in ("opaque", token(exp=NOW + 60)):
        check = known.check(text, now=NOW)
        assert (check.state, check.user) == (TokenState.INVALID, None)
        assert check is not token_cache.INVALID, "the edge would not let it pass to the backend"
    assert known.check(None, now=NOW).state is TokenState.ABSENT
    assert decoded == []
