"""Proofs as they lie in the store: what a token was proven to open, and the names of it all. Pure.

In the store there are hashes of tokens and principals only.
"""

from __future__ import annotations

import hashlib
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, Final

from portal.config.limits import EXPIRY_LEEWAY_S
from portal.config.wire_names import PROFILE_ID_FIELD

if TYPE_CHECKING:
    from collections.abc import Mapping

_HASH_CHARS: Final = 40
#: Members of a stored namespace: its name.
_NAMESPACE_MEMBERS: Final = 1
_PROOF_MEMBERS: Final = 4
_PROOF_PREFIX: Final = "proof:"


@dataclass(frozen=True, slots=True, kw_only=True)
class Scope:
    """A principal's namespace, as a token opens it. Two tokens that open the same one have equal scopes.

    :param principal: hash of the profile's id.
    :param namespace: its random name.
    :param view: digest of the permissions that the profile named for this token. Tokens of one user may have different
        ones (scopes): they share the log of writes, and each sees pages of its own view.
    :param proof: where the token's proof stands in the store.
    """

    principal: str
    namespace: str
    view: str
    proof: str = field(compare=False)

    @property
    def pages(self) -> str:
        """The beginning of the names of its pages."""
        return f"{self.namespace}:{self.view}"

    @property
    def keys(self) -> tuple[str, str]:
        """What has to be read with anything that the scope opens, for :meth:`stands`."""
        return namespace_key(self.principal), self.proof

    def stands(self, found: Mapping[str, Any]) -> bool:
        """Whether, among values that were read, this is the principal's present namespace, and the proof is there.

        A process may remember a proof that the store has lost. It opens nothing any more: another process, for which
        the token is unproven, may have made a write under it that no log tells of.
        """
        # As they lie there, without reading them out: this is on the way of every cached read.
        key, name = self.keys
        stored, proof = found.get(key), found.get(name)
        return (
            isinstance(stored, list)
            and isinstance(proof, list)
            and stored[:1] == [self.namespace]
            and proof[:2] == [self.principal, self.namespace]
        )


@dataclass(frozen=True, slots=True, kw_only=True)
class Proof:
    """What a token was proven to open, and until when: its own `exp`, None for one that does not expire."""

    scope: Scope
    expires_at: float | None

    def stored(self) -> list[Any]:
        """The proof as JSON for the store."""
        return [self.scope.principal, self.scope.namespace, self.expires_at, self.scope.view]

    def holds(self, now: float) -> bool:
        """Whether the token has not expired."""
        return self.expires_at is None or now < self.expires_at + EXPIRY_LEEWAY_S


def read_proof(name: str, value: object) -> Proof | None:
    """The proof that the store gave for the key `name`; None for what is none."""
    if not isinstance(value, list) or len(value) != _PROOF_MEMBERS:
        return None
    principal, namespace, expires_at, view = value
    if not isinstance(principal, str) or not isinstance(namespace, str) or not isinstance(view, str):
        return None
    if expires_at is not None and not isinstance(expires_at, int | float):
        return None
    scope = Scope(principal=principal, namespace=namespace, view=view, proof=name)
    return Proof(scope=scope, expires_at=expires_at)


def read_namespace(value: object) -> str | None:
    """The name of a namespace as the store gave it; None for what is none."""
    if not isinstance(value, list) or len(value) != _NAMESPACE_MEMBERS or not isinstance(value[0], str):
        return None
    return value[0]


def principal_of(profile: object) -> str | None:
    """The hash of the profile's id; None for a profile without one."""
    value = profile.get(PROFILE_ID_FIELD) if isinstance(profile, dict) else None
    if isinstance(value, bool) or not isinstance(value, str | int) or value == "":
        return None
    return principal_of_id(str(value))


def principal_of_id(user_id: str) -> str:
    """The hash under which a user's data lies."""
    return short_hash("principal", user_id)


def namespace_key(principal: str) -> str:
    """Where a principal's namespace stands in the store."""
    return f"ns:{principal}"


def proof_key(token: str) -> str:
    """Where a token's proof stands in the store."""
    return f"{_PROOF_PREFIX}{hashlib.sha256(token.encode(errors='surrogatepass')).hexdigest()}"


def is_proof_key(key: str) -> bool:
    """Whether :func:`proof_key` made it."""
    return key.startswith(_PROOF_PREFIX)


def short_hash(label: str, text: str) -> str:
    """A hash of a text; another label is another hash."""
    return hashlib.sha256(f"{label}:{text}".encode(errors="surrogatepass")).hexdigest()[:_HASH_CHARS]
