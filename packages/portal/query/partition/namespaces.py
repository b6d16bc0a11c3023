"""Whose data: namespaces, bound to access tokens by proof.

The store is one for all users. Everything cached lies in a namespace with a random name. A principal has one at a
time; purging is taking it away, which all processes see with their next read, and the next proof makes another.

A token opens a namespace only by proof: a GET `/me` with that very token succeeded, and the profile's `id` is
the principal. A refresh hands the proof on, from a proven token to the one that the backend gave for it, if both name
the same subject. Never from a claim of an unverified token, nor from any other success: an endpoint that
ignores the bearer proves nothing. A proof holds for one namespace: after a purge every token proves itself anew.

Tokens of one user may have different permissions. They share the namespace, and with it the log of writes; the pages of
each lie under its own view (docs/adr/0015-tokens-of-one-user-may-see-different-views.md).

A token that had no proof may have made writes that nobody could log, for nobody knew whose they were. So its first
proof begins a generation of the namespace: pages that were fetched before it are misses. Whoever made a write
without a proof looks for one afterwards: either it is in the store, or one that is made later begins a generation.
"""

from __future__ import annotations

import secrets
import threading
import time
from collections import OrderedDict
from dataclasses import replace
from typing import TYPE_CHECKING, Final

from portal.config.wire_names import PROFILE_PERMISSIONS_FIELD
from portal.identity import get_user_from_token, permission_strings
from portal.query.partition.generations import Generations, namespace_generation_key, new_generation
from portal.query.partition.pending_purges import PendingPurges
from portal.query.partition.token_bindings import (
    Proof,
    Scope,
    namespace_key,
    principal_of,
    proof_key,
    read_namespace,
    read_proof,
    short_hash,
)

if TYPE_CHECKING:
    from collections.abc import Callable

    from portal.store import SharedStore

#: Longer than an access token lives; a token without an end proves itself again after a day.
PROOF_LIFETIME_S: Final = 24 * 60 * 60
NAMESPACE_LIFETIME_S: Final = 7 * 24 * 60 * 60
#: Proofs that a process remembers.
_REMEMBERED: Final = 4096


class Namespaces:
    """The proofs and namespaces of one store. Safe for threads; raises `StoreUnavailableError`.

    :param clock: seconds since the epoch.
    """

    def __init__(self, *, store: SharedStore, clock: Callable[[], float] = time.time) -> None:
        self._store = store
        self._clock = clock
        self._proofs: OrderedDict[str, Proof] = OrderedDict()
        self._owed = PendingPurges(store=store, generations=Generations(store=store))
        self._lock = threading.Lock()

    def scope_of(self, token: str) -> Scope | None:
        """What `token` was proven to open; None without a proof, and for a token that has expired since."""
        proof = self._proof_of(token)
        return proof.scope if proof is not None and proof.holds(self._clock()) else None

    def principal_of(self, token: str) -> str | None:
        """Whom `token` was proven to be of, also after it has expired; None without a proof."""
        proof = self._proof_of(token)
        return None if proof is None else proof.scope.principal

    def prove(self, token: str, profile: object) -> Scope | None:
        """Bind `token` to the principal that a successful GET `/me` with it named.

        A change of a token's permissions purges: the principal gets another namespace. Two tokens that have had
        different ones from the first see different views of one namespace.

        :returns: None for a profile without an id.
        """
        principal = principal_of(profile)
        if principal is None:
            return None
        key, name = namespace_key(principal), proof_key(token)
        found = self._store.get_many([key, name])
        before, view = read_proof(name, found.get(name)), _permissions_digest(profile)
        is_first = before is None or before.scope.principal != principal
        has_changed = before is not None and not is_first and before.scope.view != view
        namespace = self._new_namespace(key) if has_changed else self._namespace(key, found.get(key))
        scope = Scope(principal=principal, namespace=namespace, view=view, proof=name)
        return self._bind(token, scope, begin_generation=is_first)

    def inherit(self, *, old: str, new: str) -> Scope | None:
        """Hand the proof of `old` on to `new`, which a refresh gave for it.

        Both tokens are the backend's own: it accepted one with GET `/me`, and answered with the other. So their
        subjects can be compared, and must be the same: a browser may send tokens of two sign-ins. The proof is the
        store's: one that only this process remembers opens nothing any more (:meth:`Scope.stands`).
        """
        if not same_subject(old, new):
            return None
        old_name, new_name = proof_key(old), proof_key(new)
        found = self._store.get_many([old_name, new_name])
        known = read_proof(new_name, found.get(new_name))
        if known is not None:
            return known.scope
        proof = read_proof(old_name, found.get(old_name))
        if proof is None:
            return None
        return self._bind(new, replace(proof.scope, proof=new_name))

    def present(self, principal: str) -> str | None:
        """The name of the principal's present namespace; None where there is none, and so nothing cached."""
        key = namespace_key(principal)
        return read_namespace(self._store.get_many([key]).get(key))

    def purge(self, principal: str) -> None:
        """Drop all that is cached for the principal, in all processes at once.

        If it can't be done now, it is done before this process next asks the store for what is cached.
        """
        # The next proof makes another one; until then there is none, and no token opens anything.
        self._owed.owe(principal)
        self.settle()

    def purge_for(self, token: str) -> None:
        """Drop all that is cached for whom `token` was proven to be of, also after it has expired; likewise."""
        with self._lock:
            known = self._proofs.get(proof_key(token))
        if known is not None:
            self._owed.owe(known.scope.principal)
        else:
            self._owed.owe_for(token)
        self.settle()

    def settle(self) -> None:
        """Do the purges that could not be done before."""
        self._owed.settle()

    def refute(self, token: str, scope: Scope) -> None:
        """`scope` does not stand any more: drop it as what `token` was proven to open.

        Another process may know better by now: only this very proof goes.
        """
        name = proof_key(token)
        with self._lock:
            proof = self._proofs.get(name)
            if proof is not None and proof.scope == scope:
                del self._proofs[name]
        proof = read_proof(name, self._store.get_many([name]).get(name))
        if proof is not None and proof.scope == scope:
            self._store.delete(name)

    def _proof_of(self, token: str) -> Proof | None:
        name = proof_key(token)
        with self._lock:
            proof = self._proofs.get(name)
            if proof is not None:
                self._proofs.move_to_end(name)
        if proof is None:
            proof = read_proof(name, self._store.get_many([name]).get(name))
            if proof is not None:
                self._remember(name, proof)
        return proof

    def _namespace(self, key: str, stored: object) -> str:
        """The name of the present namespace; a new one where there is none."""
        name = read_namespace(stored)
        if name is None:
            fresh = _new_name()
            if self._store.add(key, [fresh], lifetime_s=NAMESPACE_LIFETIME_S):
                return fresh
            name = read_namespace(self._store.get_many([key]).get(key))
        return self._new_namespace(key) if name is None else name

    def _new_namespace(self, key: str) -> str:
        """Another one in place of the present one, whose pages are out of reach from now on."""
        fresh = _new_name()
        self._store.set(key, [fresh], lifetime_s=NAMESPACE_LIFETIME_S)
        return fresh

    def _bind(self, token: str, scope: Scope, *, begin_generation: bool = False) -> Scope:
        user = get_user_from_token(token)
        proof = Proof(scope=scope, expires_at=user.expires_at if user else None)
        # Both at once: a write that ends before finds no proof, and everything cached is older than the generation;
        # one that ends afterwards finds the proof.
        numbers = {namespace_generation_key(scope.namespace): new_generation()} if begin_generation else {}
        self._store.set_many({**numbers, scope.proof: proof.stored()}, lifetime_s=PROOF_LIFETIME_S)
        self._remember(scope.proof, proof)
        return scope

    def _remember(self, name: str, proof: Proof) -> None:
        with self._lock:
            self._proofs[name] = proof
            self._proofs.move_to_end(name)
            while len(self._proofs) > _REMEMBERED:
                self._proofs.popitem(last=False)


def same_subject(one: str, other: str) -> bool:
    """Whether two tokens name the same subject."""
    users = get_user_from_token(one), get_user_from_token(other)
    subjects = [user.subject if user else None for user in users]
    return subjects[0] is not None and subjects[0] == subjects[1]


def _permissions_digest(profile: object) -> str:
    granted = profile.get(PROFILE_PERMISSIONS_FIELD) if isinstance(profile, dict) else None
    return short_hash("permissions", "\n".join(sorted(permission_strings(granted))))


def _new_name() -> str:
    return secrets.token_hex(16)
