"""Hand-over records: how the loser of a race receives the winner's tokens, and nobody else does. Pure.

The record of a spent refresh token R holds the pair that replaced it, sealed with AES-GCM under a key derived
from R. It is stored under a hash of R made with another label, so that whoever reads the store sees hashes and
ciphertext; only a holder of R can open it. No project's `SECRET_KEY` takes part: projects share the store, not
their keys. Refresh tokens carry enough randomness for a plain hash; they are no passwords.
"""

from __future__ import annotations

import base64
import hashlib
import json
import os
from typing import Final

from cryptography.exceptions import InvalidTag
from cryptography.hazmat.primitives.ciphers.aead import AESGCM
from cryptography.hazmat.primitives.hashes import SHA256
from cryptography.hazmat.primitives.kdf.hkdf import HKDF

from portal.api.tokens import TokenPair

_NAME_LABEL: Final = b"portal refresh record, version 1: name"
_SEAL_LABEL: Final = b"portal refresh record, version 1: seal"
_IDEMPOTENCY_LABEL: Final = b"portal refresh call, version 1: idempotency key"
_REVOCATION_LABEL: Final = b"portal sign-out call, version 1: idempotency key"
_NONCE_BYTES: Final = 12
_KEY_BYTES: Final = 32


class UnreadableRecordError(ValueError):
    """A record that is not what was written for this token."""


def record_name(refresh: str) -> str:
    """Where the record of this refresh token lies: 64 hexadecimal digits."""
    return _labelled_hash(_NAME_LABEL, refresh)


def idempotency_key(refresh: str) -> str:
    """The same for every presentation of this token, so that a backend that honours it answers the same."""
    return _labelled_hash(_IDEMPOTENCY_LABEL, refresh)


def revocation_key(refresh: str) -> str:
    """The same for every sign-out of this token, and another than that of its presentation."""
    return _labelled_hash(_REVOCATION_LABEL, refresh)


def seal(pair: TokenPair, *, under: str) -> str:
    """Seal `pair` so that only a holder of the refresh token `under` can open it."""
    nonce = os.urandom(_NONCE_BYTES)
    content = json.dumps([pair.access, pair.refresh]).encode()
    sealed = AESGCM(_key(under)).encrypt(nonce, content, record_name(under).encode())
    return base64.b64encode(nonce + sealed).decode()


def unseal(record: object, *, under: str) -> TokenPair:
    """Open what :func:`seal` made for the same token.

    :raises UnreadableRecordError: it was made for another token, or was changed.
    """
    try:
        raw = base64.b64decode(str(record), validate=True)
        content = AESGCM(_key(under)).decrypt(raw[:_NONCE_BYTES], raw[_NONCE_BYTES:], record_name(under).encode())
        access, refresh = json.loads(content)
    except (InvalidTag, ValueError) as error:
        raise UnreadableRecordError("a hand-over record does not open") from error
    return TokenPair(access=access, refresh=refresh)


def _key(refresh: str) -> bytes:
    return HKDF(algorithm=SHA256(), length=_KEY_BYTES, salt=None, info=_SEAL_LABEL).derive(
        refresh.encode("utf-8", "surrogatepass")
    )


def _labelled_hash(label: bytes, refresh: str) -> str:
    return hashlib.sha256(label + b"\0" + refresh.encode("utf-8", "surrogatepass")).hexdigest()
