"""Names and seals of what the shared store keeps about tokens. Pure.

What is kept about a token is sealed with AES-GCM under a key that is derived from that token. It lies under a hash made
with another label, so that whoever reads the store sees hashes and ciphertext. No project's `SECRET_KEY` takes part:
projects share the store, not their keys. A refresh token is random enough for a plain hash; it is no password.
"""

import base64
import hashlib
import json
import os
import zlib
from functools import lru_cache
from typing import Any, Final

from cryptography.exceptions import InvalidTag
from cryptography.hazmat.primitives.ciphers.aead import AESGCM
from cryptography.hazmat.primitives.hashes import SHA256
from cryptography.hazmat.primitives.kdf.hkdf import HKDF

_NAME_LABEL: Final = b"portal refresh record, version 2: name"
_SEAL_LABEL: Final = b"portal refresh record, version 2: seal"
_FAMILY_LABEL: Final = b"portal refresh record, version 2: family"
_IDEMPOTENCY_LABEL: Final = b"portal refresh call, version 1: idempotency key"
_REVOCATION_LABEL: Final = b"portal sign-out call, version 1: idempotency key"
_NONCE_BYTES: Final = 12
_KEY_BYTES: Final = 32
#: Size of a name: 128 bits, so that a sign-in takes little room in the store.
_SHORT_BYTES: Final = 16


class UnreadableRecordError(ValueError):
    """A record that was sealed under another secret, or changed."""


@lru_cache(maxsize=1024)
def record_name(secret: str) -> str:
    """Return the name under which the record of a token lies: 32 hexadecimal digits."""
    return _labelled_hash(_NAME_LABEL, secret)[: 2 * _SHORT_BYTES]


def log_name(token: str) -> str:
    """What a log line calls a token: the first digits of its record's name."""
    return record_name(token)[:8]


def sign_in_id(secret: str) -> str:
    """Return a sign-in's name in the audit log, from its family's secret: 16 digits, the same through all refreshes."""
    return record_name(secret)[:16]


@lru_cache(maxsize=1024)
def family_secret(refresh: str) -> str:
    """The secret of the sign-in that begins with this token, 32 digits. Each process derives the same."""
    return _derive(_FAMILY_LABEL, refresh, _SHORT_BYTES).hex()


def idempotency_key(refresh: str) -> str:
    """The key of the refresh call: the same each time this token is submitted."""
    return _labelled_hash(_IDEMPOTENCY_LABEL, refresh)


def revocation_key(refresh: str) -> str:
    """The key of the sign-out call: the same each time this token is revoked, and not that of its refresh."""
    return _labelled_hash(_REVOCATION_LABEL, refresh)


def seal(content: object, *, under: str) -> str:
    """Encrypt a JSON value, so that only a holder of the secret `under` can open it.

    The text is compressed first: tokens are base64, which wastes a quarter of its size.
    """
    nonce = os.urandom(_NONCE_BYTES)
    packed = zlib.compress(json.dumps(content, separators=(",", ":")).encode())
    sealed = AESGCM(_derive(_SEAL_LABEL, under, _KEY_BYTES)).encrypt(nonce, packed, record_name(under).encode())
    return base64.b64encode(nonce + sealed).decode()


def unseal(record: object, *, under: str) -> Any:
    """Open what :func:`seal` made under the same secret.

    :raises UnreadableRecordError: it was made under another one, or was changed.
    """
    try:
        raw = base64.b64decode(str(record), validate=True)
        key = AESGCM(_derive(_SEAL_LABEL, under, _KEY_BYTES))
        return json.loads(
            zlib.decompress(key.decrypt(raw[:_NONCE_BYTES], raw[_NONCE_BYTES:], record_name(under).encode()))
        )
    except (InvalidTag, ValueError, zlib.error) as error:
        raise UnreadableRecordError("a sealed record does not open") from error


def _derive(label: bytes, secret: str, length: int) -> bytes:
    return HKDF(algorithm=SHA256(), length=length, salt=None, info=label).derive(
        secret.encode("utf-8", "surrogatepass")
    )


def _labelled_hash(label: bytes, secret: str) -> str:
    return hashlib.sha256(label + b"\0" + secret.encode("utf-8", "surrogatepass")).hexdigest()
