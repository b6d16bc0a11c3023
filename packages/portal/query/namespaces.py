"""Whose data: namespaces, bound to access tokens by proof.

The store is one for all users. Everything cached lies in a namespace with a random name. A principal has one at a
time; purging is taking it away, which all processes see with their next read, and the next proof makes another.

A token opens a namespace only by proof: a GET `/me` with that very token succeeded, and the profile's `id` is
the principal. A refresh hands the proof on, from a proven token to the one that the backend gave for it, if both name
the same subject. Never from a claim of an unverified token, nor from any other success: an endpoint that
ignores the bearer proves nothing. A proof holds for one namespace: after a purge every token proves itself anew.

In the store there are hashes of tokens and principals only.
"""

from __future__ import annotations

import hashlib
import secrets
import threading
import time
from collections import OrderedDict
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Final

from portal.config.contract import PROFILE_ID_FIELD, PROFILE_PERMISSIONS_FIELD
from portal.config.limits import EXPIRY_LEEWAY_S
from portal.identity.permissions import permission_strings
from portal.identity.users import get_user_from_token

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

    from portal.store.aliases import SharedStore

#: Longer than an access token lives; a token without an end proves itself again after a day.
PROOF_LIFETIME_S: Final = 24 * 60 * 60
NAMESPACE_LIFETIME_S: Final = 7 * 24 * 60 * 60
#: Proofs that a process remembers.
_REMEMBERED: Final = 4096
_HASH_CHARS: Final = 40
#: Members of a stored namespace: its name, and the digest of the permissions that it was made under.
_NAMESPACE_MEMBERS: Final = 2
_PROOF_MEMBERS: Final = 3


@dataclass(frozen=True, slots=True, kw_only=True)
class Scope:
    """A principal's namespace, as a token opens it.

    :param principal: hash of the profile's id.
    :param namespace: its random name. Whether it still stands is seen when it is read.
    """

    principal: str
    namespace: str

    @property
    def key(self) -> str:
        """Where the principal's present namespace stands in the store."""
        return namespace_key(self.principal)

    def stands(self, found: Mapping[str, Any]) -> bool:
        """Whether, among values that were read, this is the principal's present namespace."""
        stored = _read_namespace(found.get(self.key))
        return stored is not None and stored[0] == self.namespace


@dataclass(frozen=True, slots=True, kw_only=True)
class _Proof:
    """What a token was proven to open, and until when: its own `exp`, None for one that does not expire."""

    scope: Scope
    expires_at: float | None

    def stored(self) -> list[Any]:
        return [self.scope.principal, self.scope.namespace, self.expires_at]

    def holds(self, now: float) -> bool:
        return self.expires_at is None or now < self.expires_at + EXPIRY_LEEWAY_S


class Namespaces:
    """The proofs and namespaces of one store. Safe for threads; raises `StoreUnavailableError`.

    :param clock: seconds since the epoch.
    """

    def __init__(self, *, store: SharedStore, clock: Callable[[], float] = time.time) -> None:
        self._store = store
        self._clock = clock
        self._proofs: OrderedDict[str, _Proof] = OrderedDict()
        self._lock = threading.Lock()

    def scope_of(self, token: str) -> Scope | None:
        """What `token` was proven to open; None without a proof, and for a token that has expired since."""
        name = _proof_key(token)
        with self._lock:
            proof = self._proofs.get(name)
            if proof is not None:
                self._proofs.move_to_end(name)
        if proof is None:
            proof = _read_proof(self._store.get_many([name]).get(name))
            if proof is not None:
                self._remember(name, proof)
        return proof.scope if proof is not None and proof.holds(self._clock()) else None

    def prove(self, token: str, profile: object) -> Scope | None:
        """Bind `token` to the principal that a successful GET `/me` with it named.

        A change of permissions purges: the principal gets another namespace.

        :returns: None for a profile without an id.
        """
        principal = principal_of(profile)
        if principal is None:
            return None
        name = self._namespace(principal, permissions=_permissions_digest(profile))
        return self._bind(token, Scope(principal=principal, namespace=name))

    def inherit(self, *, old: str, new: str) -> Scope | None:
        """Hand the proof of `old` on to `new`, which a refresh gave for it.

        Both tokens are the backend's own: it accepted one with GET `/me`, and answered with the other. So their
        subjects can be compared, and must be the same: a browser may send tokens of two sign-ins.
        """
        scope = self.scope_of(old)
        if scope is None or not same_subject(old, new):
            return None
        return self._bind(new, scope)

    def present(self, principal: str) -> Scope | None:
        """The principal's present namespace; None where there is none, and so nothing cached."""
        key = namespace_key(principal)
        stored = _read_namespace(self._store.get_many([key]).get(key))
        return None if stored is None else Scope(principal=principal, namespace=stored[0])

    def purge(self, principal: str) -> None:
        """Drop all that is cached for the principal, in all processes at once."""
        # The next proof makes another one; until then there is none, and no token opens anything.
        self._store.delete(namespace_key(principal))

    def refute(self, token: str, scope: Scope) -> None:
        """`scope` does not stand any more: drop it as what `token` was proven to open.

        Another process may know better by now: only this very proof goes.
        """
        name = _proof_key(token)
        with self._lock:
            proof = self._proofs.get(name)
            if proof is not None and proof.scope == scope:
                del self._proofs[name]
        proof = _read_proof(self._store.get_many([name]).get(name))
        if proof is not None and proof.scope == scope:
            self._store.delete(name)

    def _namespace(self, principal: str, *, permissions: str) -> str:
        """The name of the present namespace; another one where the permissions are not those it was made under."""
        key = namespace_key(principal)
        fresh = [_new_name(), permissions]
        stored = _read_namespace(self._store.get_many([key]).get(key))
        if stored is None:
            if self._store.add(key, fresh, lifetime_s=NAMESPACE_LIFETIME_S):
                return fresh[0]
            stored = _read_namespace(self._store.get_many([key]).get(key))
        if stored is not None and stored[1] == permissions:
            return stored[0]
        self._store.set(key, fresh, lifetime_s=NAMESPACE_LIFETIME_S)
        return fresh[0]

    def _bind(self, token: str, scope: Scope) -> Scope:
        user = get_user_from_token(token)
        proof = _Proof(scope=scope, expires_at=user.expires_at if user else None)
        name = _proof_key(token)
        self._store.set(name, proof.stored(), lifetime_s=PROOF_LIFETIME_S)
        self._remember(name, proof)
        return scope

    def _remember(self, name: str, proof: _Proof) -> None:
        with self._lock:
            self._proofs[name] = proof
            self._proofs.move_to_end(name)
            while len(self._proofs) > _REMEMBERED:
                self._proofs.popitem(last=False)


def principal_of(profile: object) -> str | None:
    """The hash of the profile's id; None for a profile without one."""
    value = profile.get(PROFILE_ID_FIELD) if isinstance(profile, dict) else None
    if isinstance(value, bool) or not isinstance(value, str | int) or value == "":
        return None
    return principal_of_id(str(value))


def principal_of_id(user_id: str) -> str:
    """The hash under which a user's data lies."""
    return _hash("principal", user_id)


def namespace_key(principal: str) -> str:
    """Where a principal's namespace stands in the store."""
    return f"ns:{principal}"


def same_subject(one: str, other: str) -> bool:
    """Whether two tokens name the same subject."""
    users = get_user_from_token(one), get_user_from_token(other)
    subjects = [user.subject if user else None for user in users]
    return subjects[0] is not None and subjects[0] == subjects[1]


def _proof_key(token: str) -> str:
    return f"proof:{hashlib.sha256(token.encode()).hexdigest()}"


def _permissions_digest(profile: object) -> str:
    granted = profile.get(PROFILE_PERMISSIONS_FIELD) if isinstance(profile, dict) else None
    return _hash("permissions", "\n".join(sorted(permission_strings(granted))))


def _read_proof(value: object) -> _Proof | None:
    if not isinstance(value, list) or len(value) != _PROOF_MEMBERS:
        return None
    principal, namespace, expires_at = value
    if not isinstance(principal, str) or not isinstance(namespace, str):
        return None
    if expires_at is not None and not isinstance(expires_at, int | float):
        return None
    return _Proof(scope=Scope(principal=principal, namespace=namespace), expires_at=expires_at)


def _read_namespace(value: object) -> tuple[str, str] | None:
    if not isinstance(value, list) or len(value) != _NAMESPACE_MEMBERS or not isinstance(value[0], str):
        return None
    return value[0], value[1]


def _new_name() -> str:
    return secrets.token_hex(16)


def _hash(label: str, text: str) -> str:
    return hashlib.sha256(f"{label}:{text}".encode()).hexdigest()[:_HASH_CHARS]
