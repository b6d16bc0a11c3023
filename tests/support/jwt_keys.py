"""Keys, and a key source as the background fetch hands it over: for tests of verification."""

import json
from collections.abc import Mapping
from functools import cache

import jwt
from cryptography.hazmat.primitives.asymmetric import ec, ed25519, rsa
from jwt.algorithms import ECAlgorithm, OKPAlgorithm, RSAAlgorithm


@cache
def rsa_key(name: str):
    """A private RSA key, made once for each name."""
    return rsa.generate_private_key(public_exponent=65537, key_size=2048)


@cache
def ec_key(name: str):
    return ec.generate_private_key(ec.SECP256R1())


@cache
def ed_key(name: str):
    return ed25519.Ed25519PrivateKey.generate()


def as_jwk(private, **fields: str) -> jwt.PyJWK:
    """The public half as a provider publishes it."""
    kind = {rsa.RSAPrivateKey: RSAAlgorithm, ec.EllipticCurvePrivateKey: ECAlgorithm}
    algorithm = next((a for key_type, a in kind.items() if isinstance(private, key_type)), OKPAlgorithm)
    return jwt.PyJWK({**json.loads(algorithm.to_jwk(private.public_key())), **fields})


class FixedKeys:
    """A key source whose set of keys a test changes."""

    def __init__(self, keys: Mapping[str, jwt.PyJWK] | None = None) -> None:
        self.keys = dict(keys or {})
        self.generation = 1
        self.begun = 1
        self.succeeded = 1
        self.asked_in_vain: list[str | None] = []

    def change(self, keys: Mapping[str, jwt.PyJWK]) -> None:
        self.keys = dict(keys)
        self.generation += 1

    def keys_for(self, kid: str | None) -> tuple[jwt.PyJWK, ...]:
        found = tuple(self.keys.values()) if kid is None else tuple(filter(None, [self.keys.get(kid)]))
        if not found:
            self.asked_in_vain.append(kid)
        return found
