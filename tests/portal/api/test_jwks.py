"""The keys of a JWKS address: in the background, never waited for, never lost."""

import dataclasses
import json
import threading

import jwt
import pytest

from portal.api.jwks import FORCED_PAUSE_S, JwksKeys, jwks_keys
from portal.config.current import portal_config
from portal.config.portal_config import TokenVerification
from portal.errors import ApiUnavailableError
from portal.identity.verification import UnknownKeyError, make_verifier, use_key_source
from tests.portal_server.processes import until
from tests.support.http_server import reply, scripted_server
from tests.support.jwt_keys import as_jwk, rsa_key


def document(*kids: str) -> bytes:
    return json.dumps({"keys": [as_jwk(rsa_key(kid), kid=kid)._jwk_data for kid in kids]}).encode()


def signed(kid: str) -> str:
    return jwt.encode({"sub": "ada"}, rsa_key(kid), algorithm="RS256", headers={"kid": kid})


class GaugeOfThisThread:
    """The threads of earlier tests go on fetching."""

    def __init__(self) -> None:
        self.states: list[float] = []
        self._thread = threading.get_ident()

    def set(self, state: float) -> None:
        if threading.get_ident() == self._thread:
            self.states.append(state)


class Address:
    """A JWKS address under control."""

    def __init__(self, answer: bytes | Exception) -> None:
        self.answer = answer
        self.asked = threading.Semaphore(0)
        self.count = 0

    def __call__(self) -> bytes:
        self.count += 1
        try:
            if isinstance(self.answer, Exception):
                raise self.answer
            return self.answer
        finally:
            self.asked.release()


def kids(keys) -> list[str | None]:
    return [key.key_id for key in keys]


@pytest.fixture
def verifier_of():
    """Makes a verifier with the keys of a source, for the time of a test."""

    def make(source: JwksKeys):
        use_key_source(source)
        return make_verifier(TokenVerification(jwks_url="http://keys.test/", algorithms=("RS256",)))

    yield make
    use_key_source(None)


def test_a_process_that_gets_no_thread_for_a_moment_fetches_later(monkeypatch, caplog):
    def no_thread(_: threading.Thread) -> None:
        raise RuntimeError("can't start new thread")

    source = JwksKeys(fetch=Address(document("one")))
    with monkeypatch.context() as patched:
        patched.setattr("threading.Thread.start", no_thread)
        assert source.keys_for("one") == ()
    assert "no keys are fetched for now" in caplog.text
    assert source.wait_until_fetched(timeout_s=30)
    assert kids(source.keys_for("one")) == ["one"]


def test_fetches_are_counted_when_they_begin_and_succeed_and_the_generation_changes_with_the_set_alone():
    address = Address(document("one"))
    source = JwksKeys(fetch=lambda: seen.append((source.begun, source.succeeded)) or address())
    seen: list[tuple[int, int]] = []
    assert (source.generation, source.begun, source.succeeded) == (0, 0, 0)
    source.fetch_now()
    source.fetch_now()
    assert (source.generation, source.begun, source.succeeded) == (1, 2, 2)
    address.answer = document("one", "two")
    source.fetch_now()
    address.answer = ApiUnavailableError("down")
    source.fetch_now()
    assert (source.generation, source.begun, source.succeeded) == (2, 4, 3)
    assert seen == [(1, 0), (2, 1), (3, 2), (4, 3)]


@pytest.mark.parametrize(
    "answer",
    [
        ApiUnavailableError("down"),
        *(b"<html>", b"[]", b"{}", b'{"keys": []}', b'{"keys": 7}', b'{"keys": [7]}'),
        *(b'{"keys": [{"kty": "nonsense"}]}', b'{"keys": [{"kty": "RSA", "n": "!", "e": "!"}]}'),
    ],
    ids=str,
)
def test_known_keys_stay_in_use_when_the_address_fails(answer, caplog, monkeypatch):
    gauge = GaugeOfThisThread()
    monkeypatch.setattr("portal.api.jwks.keys_missed", gauge)
    address = Address(document("one"))
    source = JwksKeys(fetch=address)
    source.fetch_now()
    address.answer = answer
    assert source.fetch_now() is False
    assert kids(source.keys_for("one")) == ["one"]
    assert source.generation == 1
    assert "keeping the 1 known keys" in caplog.text
    address.answer = document("one")
    assert source.fetch_now()
    assert gauge.states == [0, 1, 0]


@pytest.mark.parametrize("name", ["alg", "kid", "kty", "use", "key_ops", "n", "x5c"])
@pytest.mark.parametrize("value", [5, [], ["RS256"], {"a": 1}, None, "\ufffd"], ids=str)
def test_one_malformed_key_does_not_hide_the_others(verifier_of, name, value):
    (sound,) = json.loads(document("one"))["keys"]
    source = JwksKeys(fetch=Address(json.dumps({"keys": [sound | {"kid": "odd", name: value}, sound]}).encode()))
    assert source.fetch_now()
    assert kids(source.keys_for(None))[-1] == "one"
    unnamed = jwt.encode({"sub": "ada"}, rsa_key("one"), "RS256")
    assert verifier_of(source).verified_claims(unnamed) == {"sub": "ada"}


@pytest.mark.parametrize("failure", [ApiUnavailableError(), TypeError("a malformed key")], ids=repr)
def test_a_fetch_that_failed_is_repeated_soon_whatever_it_met(failure, monkeypatch, caplog):
    monkeypatch.setattr("portal.api.jwks.RETRY_S", 0.01)
    address = Address(failure)
    source = JwksKeys(fetch=address)
    assert source.wait_until_fetched(timeout_s=30)
    for _ in range(3):
        assert address.asked.acquire(timeout=10)
    assert type(failure).__name__ in caplog.text
    address.answer = document("one")
    until(lambda: source.generation == 1, what="the keys are there")
    assert kids(source.keys_for("one")) == ["one"]


def test_an_unknown_id_asks_for_one_fetch_in_half_a_minute():
    now = [1000.0]
    address = Address(document("one"))
    source = JwksKeys(fetch=address, clock=lambda: now[0])
    source.wait_until_fetched(timeout_s=30)
    assert address.asked.acquire(timeout=30)
    for number in range(100):
        source.keys_for(f"made up {number}")
    assert address.asked.acquire(timeout=30)
    now[0] += FORCED_PAUSE_S - 1
    source.keys_for("made up")
    assert not address.asked.acquire(timeout=0.2)
    now[0] += 1
    address.answer = document("one", "two")
    source.keys_for("two")
    assert address.asked.acquire(timeout=30)
    assert address.count == 3
    # The flood has pushed out nothing, and the new key is there once the set is swapped.
    until(lambda: source.generation == 2, what="the set is swapped")
    assert kids(source.keys_for("two")) == ["two"]


def source_of(url: str) -> JwksKeys:
    verification = TokenVerification(jwks_url=url, algorithms=("RS256",))
    return jwks_keys(dataclasses.replace(portal_config(), verification=verification))


@pytest.mark.parametrize(
    ("rest", "asked"),
    [
        ("/keys?p=b2c_1_sign-in&v=2", "/keys?p=b2c_1_sign-in&v=2"),
        ("?tenant=a", "/?tenant=a"),
        ("/keys/", "/keys/"),
        ("", "/"),
    ],
)
def test_tokens_verify_with_keys_from_a_real_address_and_after_a_rotation(verifier_of, rest, asked):
    answers = [reply(document("one"))]
    with scripted_server(lambda _, out: out.sendall(answers[-1])) as server:
        source = source_of(server.url + rest)
        verifier = verifier_of(source)
        assert source.wait_until_fetched(timeout_s=30)
        assert verifier.verified_claims(signed("one")) == {"sub": "ada"}
        with pytest.raises(UnknownKeyError):
            verifier.verified_claims(signed("two"))
        answers.append(reply(document("two")))
        assert source.fetch_now()
        answers.append(reply(document("one"), status="500 Oops"))
        assert not source.fetch_now(), "anything but 200 has no keys"
        assert verifier.verified_claims(signed("two")) == {"sub": "ada"}
    assert {request.line for request in server.received} == {f"GET {asked} HTTP/1.1"}
