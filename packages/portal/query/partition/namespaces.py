"""Whose data: each user has a namespace, and access tokens are bound to it.

All users share one store. Everything that is cached for a user has keys under a random name, the namespace. To purge
is to take the name away: every process sees that with its next read. The next binding makes another name.

A token is bound to a namespace when a GET `/me` with that very token succeeds. The principal is the profile's `id` with
the token's `iss` and `sub`; without any, the sign-in; and where even that is not certain, the token.
A refresh binds the new token to the same namespace, if both tokens name the same subject, or are of the one sign-in
that is the principal. A claim of a token that the backend has not just accepted binds nothing, and no other endpoint's
success does: it may ignore the bearer. After a purge each token is bound again.

Tokens of one user may have different permissions. They share the namespace and its write log, and each reads the pages
of its own view (docs/explanation/query-cache.md, "Whose data").

A token may write before it is bound. Nobody can record that write, because the user is not known. So the first binding
of a token begins a generation of the namespace: pages that were fetched before it are misses. After such a write the
writer looks for a binding: either the store has one, or a later one begins a generation. A sign-in binds the token that
it has just received: nobody has written with it, and no generation begins.
"""

from __future__ import annotations

import secrets
import threading
import time
from collections import OrderedDict
from dataclasses import replace
from functools import lru_cache
from typing import TYPE_CHECKING, Final

from portal.api import current_backend, expires_at
from portal.config.contract_names import PROFILE_PERMISSIONS_FIELD
from portal.config.limits import EXPIRY_LEEWAY_S
from portal.identity import get_user_from_token, permission_strings
from portal.query.partition.generations import Generations, PendingPurges, namespace_generation_key
from portal.query.partition.token_bindings import (
    HASH_TAG_CHARS,
    Partition,
    Subject,
    TokenBinding,
    binding_key,
    namespace_key,
    parse_binding,
    parse_namespace,
    principal_of,
    principal_of_sign_in,
    principal_of_token,
    principal_of_user,
    short_hash,
)
from portal.store import note_unknown

if TYPE_CHECKING:
    from collections.abc import Callable

    from portal.store import SharedStore

#: Longer than an access token lives. A token without an end is bound again after a day. Seconds.
BINDING_LIFETIME_S: Final = 24 * 60 * 60
#: How long the binding of a refreshed token outlives the token, seconds: longer than any page that it has fetched.
USED_TOKEN_KEPT_S: Final = 20 * 60
NAMESPACE_LIFETIME_S: Final = 7 * 24 * 60 * 60
#: Bindings that a process keeps in memory.
_MAX_BINDINGS: Final = 4096
_NAME_BITS: Final = 116


class Namespaces:
    """The namespaces and token bindings of one store. Safe for threads; its methods raise `StoreUnavailableError`.

    :param clock: seconds since the epoch.
    :param random_below: a random whole number from 0 to below its argument.
    """

    def __init__(
        self,
        *,
        store: SharedStore,
        clock: Callable[[], float] = time.time,
        random_below: Callable[[int], int] = secrets.randbelow,
    ) -> None:
        self.generations = Generations(store=store, random_below=random_below)
        self.pending_purges = PendingPurges(store=store, generations=self.generations)
        self._store = store
        self._clock = clock
        self._random_below = random_below
        self._bindings: OrderedDict[str, TokenBinding] = OrderedDict()
        self._lock = threading.Lock()

    def partition_of(self, token: str) -> Partition | None:
        """The partition that `token` opens; None for a token that is not bound, or has expired."""
        binding = self._binding_of(token)
        return binding.partition if binding is not None and binding.is_valid(self._clock()) else None

    def principal_of(self, token: str) -> str | None:
        """The user this token is bound to, expired or not; None if unbound."""
        binding = self._binding_of(token)
        return None if binding is None else binding.partition.principal

    def bind(
        self,
        token: str,
        profile: object,
        *,
        sign_in: Callable[[], str | None] = lambda: None,
        has_written: bool = True,
    ) -> Partition | None:
        """Bind `token` to the user that a successful GET `/me` with it named.

        If the permissions of the token have changed, the user gets a new namespace. Two tokens that had different
        permissions from the first have different views of one namespace.

        :param sign_in: gives the name of the sign-in, if the portal itself received the token with its refresh token.
        :param has_written: whether a write may have left with the token; no for one that a sign-in has just received.
        :returns: None for an answer that is no profile.
        """
        if not isinstance(profile, dict):
            return None
        name = binding_key(token)
        principal = principal_of(profile, subject=subject_of(token)) or self._unnamed(token, sign_in)
        key = namespace_key(principal)
        found = self._store.get_many([key, name])
        before, view = parse_binding(name, found.get(name)), _permissions_digest(profile)
        # A binding without a namespace was announced by a process that did not come to begin the generation.
        is_first = before is None or before.partition.principal != principal or not before.partition.namespace
        has_changed = before is not None and not is_first and before.partition.view != view
        namespace = self._replace_namespace(key) if has_changed else self._namespace(key, found.get(key))
        partition = Partition(principal=principal, namespace=namespace, view=view, binding=name)
        return self._bind(
            token,
            partition,
            begin_generation=is_first and has_written,
            lifetime_s=BINDING_LIFETIME_S if is_first else None,
        )

    def expected(self, token: str, *, sign_in: Callable[[], str | None]) -> list[str]:
        """The namespaces to one of which :meth:`bind` will probably bind a token: the profile decides. Makes them.

        They open nothing. They serve for the version stamp of a `/me` that leaves before its user is known.

        :param sign_in: as of :meth:`bind`.
        """
        subject, principals = subject_of(token), [self._unnamed(token, sign_in)]
        if subject is not None:
            principals = [principal_of_user(name, subject) for name in (subject.name, None)]
        keys = [namespace_key(principal) for principal in principals]
        found = self._store.get_many(keys)
        return [self._namespace(key, found.get(key)) for key in keys]

    def _unnamed(self, token: str, sign_in: Callable[[], str | None]) -> str:
        """The principal of a token whose user nothing names: as it was bound before, else its sign-in, else itself."""
        known = self.principal_of(token)
        if known is not None:
            return known
        name = sign_in()
        return principal_of_token(token) if name is None else principal_of_sign_in(name)

    def rebind(self, *, old: str, new: str) -> Partition | None:
        """Bind `new`, which a refresh returned, to the partition of `old`. The caller knows that both are one user's.

        The binding of `old` is read from the store: one that only this process remembers opens nothing
        (:meth:`Partition.is_current`).
        """
        old_name, new_name = binding_key(old), binding_key(new)
        found = self._store.get_many([old_name, new_name])
        known = parse_binding(new_name, found.get(new_name))
        if known is not None:
            return known.partition
        binding = parse_binding(old_name, found.get(old_name))
        return None if binding is None else self._bind(new, replace(binding.partition, binding=new_name))

    def unbind(self, token: str, partition: Partition) -> None:
        """Discard the binding of `token` to `partition`, because that namespace was purged.

        Another process may have bound the token again meanwhile: a binding to another partition stays.
        """
        name = binding_key(token)
        with self._lock:
            binding = self._bindings.get(name)
            if binding is not None and binding.partition == partition:
                del self._bindings[name]
        binding = parse_binding(name, self._store.get_many([name]).get(name))
        if binding is not None and binding.partition == partition:
            self._store.delete(name)

    def namespace_of(self, principal: str) -> str | None:
        """The principal's present namespace; None where there is none, so nothing is cached."""
        key = namespace_key(principal)
        return parse_namespace(self._store.get_many([key]).get(key))

    def purge(self, principal: str) -> None:
        """Drop all that is cached for the principal, in all processes at once.

        If the store is down, this process does it before it next asks the store for cached data.
        """
        # There is no namespace then, and no token opens anything, until the next binding makes a namespace.
        self.pending_purges.enqueue(principal)
        self.pending_purges.flush()

    def purge_token(self, token: str) -> None:
        """Purge the cache of the user this token is bound to, expired or not; later, if the store is down."""
        with self._lock:
            known = self._bindings.get(binding_key(token))
        if known is not None:
            self.pending_purges.enqueue(known.partition.principal)
        else:
            self.pending_purges.enqueue_token(token)
        self.pending_purges.flush()

    def _binding_of(self, token: str) -> TokenBinding | None:
        name = binding_key(token)
        with self._lock:
            binding = self._bindings.get(name)
            if binding is not None:
                self._bindings.move_to_end(name)
                return binding
        binding = parse_binding(name, self._store.get_many([name]).get(name))
        if binding is not None:
            self._remember(name, binding)
        return binding

    def _namespace(self, key: str, stored: object) -> str:
        """The present namespace; a new one where there is none."""
        name = parse_namespace(stored)
        if name is None:
            fresh = self._new_name(key)
            if self._store.add(key, [fresh], lifetime_s=NAMESPACE_LIFETIME_S):
                return fresh
            stored = self._store.get_many([key]).get(key)
            name = parse_namespace(stored)
            if name is None and stored is not None:
                note_unknown("a namespace of cached data")
        return self._replace_namespace(key) if name is None else name

    def _replace_namespace(self, key: str) -> str:
        """A new namespace in place of the present one, whose pages nobody can reach from now on."""
        fresh = self._new_name(key)
        self._store.set(key, [fresh], lifetime_s=NAMESPACE_LIFETIME_S)
        return fresh

    def _new_name(self, key: str) -> str:
        return f"{key.removeprefix(namespace_key(''))[:HASH_TAG_CHARS]}{self._random_below(2**_NAME_BITS):029x}"

    def _bind(
        self, token: str, partition: Partition, *, begin_generation: bool = False, lifetime_s: float | None = None
    ) -> Partition:
        binding = TokenBinding(partition=partition, expires_at=expires_at(token))
        if lifetime_s is None:
            lifetime_s = self._refreshed_binding_lifetime(binding)
        # In one operation. A write that ends before it finds no binding, and every cached page is older than the
        # generation. A write that ends after it finds the binding.
        numbers = {namespace_generation_key(partition.namespace): self.generations.new()} if begin_generation else {}
        values = {**numbers, partition.binding: binding.stored()}
        if numbers and len(self._store.steps(values)) > 1:
            # On a cluster these are two operations. A write that ends before this one finds no binding, as above.
            self._store.set(partition.binding, binding.announced().stored(), lifetime_s=lifetime_s)
        self._store.set_many(values, lifetime_s=lifetime_s)
        self._remember(partition.binding, binding)
        return partition

    def _refreshed_binding_lifetime(self, binding: TokenBinding) -> float:
        """How long the binding of a refreshed token stays: until no page is left that was fetched with the token.

        Each refresh makes a binding. If each lasted a day, they would be most of what a user takes of the store.
        """
        if binding.expires_at is None:
            return BINDING_LIFETIME_S
        left = binding.expires_at - self._clock() + EXPIRY_LEEWAY_S
        return min(BINDING_LIFETIME_S, max(0.0, left) + USED_TOKEN_KEPT_S)

    def _remember(self, name: str, binding: TokenBinding) -> None:
        with self._lock:
            self._bindings[name] = binding
            self._bindings.move_to_end(name)
            while len(self._bindings) > _MAX_BINDINGS:
                self._bindings.popitem(last=False)


def same_subject(one: str, other: str) -> bool:
    """Whether two tokens name the same subject."""
    subject = subject_of(one)
    return subject is not None and subject == subject_of(other)


def different_subjects(one: str, other: str) -> bool:
    """Whether both tokens name a subject, and not the same one."""
    subjects = subject_of(one), subject_of(other)
    return None not in subjects and subjects[0] != subjects[1]


@lru_cache(maxsize=1024)
def subject_of(token: str) -> Subject | None:
    """Whom a token names; None where it names nobody."""
    # One refresh compares the same two tokens several times.
    user = get_user_from_token(token, backend=current_backend())
    return None if user is None or not user.subject else Subject(user.subject, user.issuer)


def _permissions_digest(profile: object) -> str:
    granted = profile.get(PROFILE_PERMISSIONS_FIELD) if isinstance(profile, dict) else None
    return short_hash("permissions", "\n".join(sorted(permission_strings(granted))))
