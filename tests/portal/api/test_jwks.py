"""The keys of a JWKS address: in the background, never waited for, never lost."""

from __future__ import annotations

import dataclasses
import json
import threading
import time

import jwt
import pytest
from cryptography.hazmat.primitives.asymmetric import rsa

from portal.api.jwks import FORCED_PAUSE_S, JwksKeys, jwks_keys
from portal.config.current import portal_config
from portal.config.portal_config import TokenVerification
from portal.errors import ApiUnavailableError
from portal.identity.verification import UnknownKeyError, make_verifier, use_key_source
from tests.support.http_server import reply, scripted_server

PRIVATE = {kid: rsa.generate_private_key(public_exponent=65537, key_size=2048) for kid in ("one", "two")}


def document(*kids: str) -> bytes:
    keys = [
        {**jwt.algorithms.RSAAlgorithm.to_jwk(PRIVATE[kid].public_key(), as_dict=True), "kid": kid, "use": "sig"}
        for kid in kids
    ]
    return json.dumps({"keys": keys}).encode()


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


def test_keys_are_found_by_their_id_and_all_without_one_and_nothing_waits_for_them():
    may_answer = threading.Event()
    source = JwksKeys(fetch=lambda: document("one", "two") if may_answer.wait(30) else b"")
    assert source.keys_for("one") == ()
    may_answer.set()
    assert source.wait_until_fetched(timeout_s=30)
    assert kids(source.keys_for("two")) == ["two"]
    assert kids(source.keys_for(None)) == ["one", "two"]


def test_the_generation_changes_with_the_set_and_only_then():
    address = Address(document("one"))
    source = JwksKeys(fetch=address)
    assert source.generation == 0
    source.fetch_now()
    source.fetch_now()
    assert source.generation == 1
    address.answer = document("one", "two")
    source.fetch_now()
    assert source.generation == 2


def test_fetches_are_counted_when_they_begin_and_when_they_succeed():
    source = JwksKeys(fetch=lambda: seen.append((source.begun, source.succeeded)) or document("one"))
    seen: list[tuple[int, int]] = []
    assert (source.begun, source.succeeded) == (0, 0)
    source.fetch_now()
    assert seen == [(1, 0)]
    assert (source.begun, source.succeeded) == (1, 1)
    failing = JwksKeys(fetch=Address(ApiUnavailableError("down")))
    failing.fetch_now()
    assert (failing.begun, failing.succeeded) == (1, 0)


@pytest.mark.parametrize(
    "answer",
    [
        ApiUnavailableError("down"),
        b"<html>",
        b"[]",
        b"{}",
        b'{"keys": []}',
        b'{"keys": 7}',
        b'{"keys": [7]}',
        b'{"keys": [{"kty": "nonsense"}]}',
        b'{"keys": [{"kty": "RSA", "n": "!", "e": "!"}]}',
    ],
    ids=str,
)
def test_known_keys_stay_in_use_when_the_address_fails(answer, caplog):
    address = Address(document("one"))
    source = JwksKeys(fetch=address)
    source.fetch_now()
    address.answer = answer
    assert source.fetch_now() is False
    assert kids(source.keys_for("one")) == ["one"]
    assert source.generation == 1
    assert "keeping the 1 known keys" in caplog.text


@pytest.mark.parametrize("name", ["alg", "kid", "kty", "use", "key_ops", "n", "x5c"])
@pytest.mark.parametrize("value", [5, [], ["RS256"], {"a": 1}, None, "\ufffd"], ids=str)
def test_one_malformed_key_does_not_hide_the_others(name, value):
    (sound,) = json.loads(document("one"))["keys"]
    source = JwksKeys(fetch=Address(json.dumps({"keys": [sound | {"kid": "odd", name: value}, sound]}).encode()))
    assert source.fetch_now()
    assert kids(source.keys_for(None))[-1] == "one"
    use_key_source(source)
    try:
        verifier = make_verifier(TokenVerification(jwks_url="http://keys.test/", algorithms=("RS256",)))
        assert verifier.verified_claims(jwt.encode({"sub": "ada"}, PRIVATE["one"], "RS256")) == {"sub": "ada"}
    finally:
        use_key_source(None)


def test_a_fetch_that_failed_is_repeated_soon(monkeypatch):
    monkeypatch.setattr("portal.api.jwks.RETRY_S", 0.01)
    address = Address(ApiUnavailableError())
    source = JwksKeys(fetch=address)
    source.start()
    for _ in range(3):
        assert address.asked.acquire(timeout=10)


@pytest.mark.parametrize("failure", [TypeError("a malformed key"), RuntimeError("whatever")], ids=str)
def test_the_thread_that_fetches_outlives_whatever_a_fetch_meets(failure, caplog):
    address = Address(failure)
    source = JwksKeys(fetch=address)
    assert source.wait_until_fetched(timeout_s=30)
    assert address.asked.acquire(timeout=30)
    assert type(failure).__name__ in caplog.text
    address.answer = document("one")
    source.keys_for("one")
    assert address.asked.acquire(timeout=30)
    end = time.monotonic() + 30
    while source.generation == 0 and time.monotonic() < end:
        pass
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
    end = time.monotonic() + 30
    while source.generation == 1 and time.monotonic() < end:
        pass
    assert kids(source.keys_for("two")) == ["two"]


@pytest.mark.usefixtures("no_later_key_fetch")
def test_tokens_verify_with_keys_from_a_real_address_and_after_a_rotation():
    documents = [document("one")]
    with scripted_server(lambda _, out: out.sendall(reply(documents[-1]))) as server:
        url = f"{server.url}/keys.json"
        verification = TokenVerification(jwks_url=url, algorithms=("RS256",))
        source = jwks_keys(_config(verification))
        use_key_source(source)
        try:
            assert source.wait_until_fetched(timeout_s=30)
            verifier = make_verifier(verification)
            assert verifier.verified_claims(_signed("one")) == {"sub": "ada"}
            with pytest.raises(UnknownKeyError):
                verifier.verified_claims(_signed("two"))
            documents.append(document("two"))
            source.fetch_now()
            assert verifier.verified_claims(_signed("two")) == {"sub": "ada"}
        finally:
            use_key_source(None)
    assert server.received[0].line == "GET /keys.json HTTP/1.1"


@pytest.mark.parametrize(
    ("rest", "asked"),
    [
        ("/keys?p=b2c_1_sign-in&v=2", "/keys?p=b2c_1_sign-in&v=2"),
        ("?tenant=a", "/?tenant=a"),
        ("/keys/", "/keys/"),
        ("", "/"),
    ],
)
def test_the_address_is_asked_for_whole_and_anything_but_200_has_no_keys(rest, asked):
    answers = iter([reply(document("one")), reply(document("one"), status="500 Oops")])
    with scripted_server(lambda _, out: out.sendall(next(answers))) as server:
        source = jwks_keys(_config(TokenVerification(jwks_url=server.url + rest, algorithms=("RS256",))))
        assert [source.fetch_now(), source.fetch_now()] == [True, False]
    assert [request.line for request in server.received] == [f"GET {asked} HTTP/1.1"] * 2


def _signed(kid: str) -> str:
    return jwt.encode({"sub": "ada"}, PRIVATE[kid], algorithm="RS256", headers={"kid": kid})


def _config(verification: TokenVerification):
    return dataclasses.replace(portal_config(), verification=verification)
