"""Stored answers are sealed under something that only the caller knows.

Who reads the database sees hashes and ciphertext; who repeats the request brings the key along.
"""

import os

from cryptography.exceptions import InvalidTag
from cryptography.hazmat.primitives.ciphers.aead import AESGCM
from cryptography.hazmat.primitives.hashes import SHA256
from cryptography.hazmat.primitives.kdf.hkdf import HKDF

_LABEL = b"sandbox_api stored answer v1"
_NONCE_LENGTH = 12


def seal(*, secret: bytes, plaintext: bytes) -> bytes:
    """Encrypt with AES-GCM under a key derived from `secret`: nonce, then ciphertext with its tag."""
    nonce = os.urandom(_NONCE_LENGTH)
    return nonce + AESGCM(_key(secret)).encrypt(nonce, plaintext, None)


def unseal(*, secret: bytes, sealed: bytes) -> bytes | None:
    """Give the plaintext, or `None` if it was not sealed under this secret, or was changed."""
    try:
        return AESGCM(_key(secret)).decrypt(sealed[:_NONCE_LENGTH], sealed[_NONCE_LENGTH:], None)
    except InvalidTag:
        return None


def _key(secret: bytes) -> bytes:
    return HKDF(algorithm=SHA256(), length=32, salt=None, info=_LABEL).derive(secret)
