"""Generations: random numbers in the store. A page carries the numbers of its time; under other numbers it is a miss.

There is one number for all cached data, one for each endpoint, and one for each namespace. To clear cached data is to
write another number. The first binding of a token does that too (:mod:`portal.query.partition.namespaces`). A missing
number is replaced by a new random one, so a page that carries a lost number never counts again.

Purges that could not be done while the store was down are done before the store is next asked for anything: the cached
data of such a user may lack a write. Without the namespace, every process has a miss. If this process ends before the
store is back, the purge is lost (docs/explanation/store-failures.md).
"""

from __future__ import annotations

import secrets
import threading
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Final

from portal.query.partition.token_bindings import (
    HASH_TAG_CHARS,
    binding_key,
    is_binding_key,
    namespace_key,
    parse_binding,
)
from portal.store import note_unknown

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

    from portal.store import SharedStore

#: Longer than anything else that is cached: a store that evicts by age takes a generation last. Seconds.
GENERATION_LIFETIME_S: Final = 7 * 24 * 60 * 60
_END: Final = 2**60


@dataclass(frozen=True, slots=True, kw_only=True)
class Generations:
    """The generations of one store. Its methods raise `StoreUnavailableError`.

    :param random_below: a random whole number from 0 to below its argument.
    """

    store: SharedStore
    random_below: Callable[[int], int] = secrets.randbelow

    def current(self, keys: tuple[str, ...], found: Mapping[str, Any]) -> str:
        """What a page carries that is fetched now. Makes the generations that are missing.

        :param found: values that were read from the store, those of `keys` among them.
        """
        numbers = [found.get(key) for key in keys]
        if set(map(type, numbers)) != {int}:
            numbers = [self._number(key, number) for key, number in zip(keys, numbers, strict=True)]
        return "/".join(map(str, numbers))

    def keys(self, endpoint: str, *, namespace: str) -> tuple[str, str, str]:
        """The keys of the numbers that a page of an endpoint carries in a namespace.

        In a cluster, those that all users share have a copy beside the users of each hash tag: a read finds it where
        the pages lie, and no node serves all reads.
        """
        tag = f"{namespace[:HASH_TAG_CHARS]}:" if self.store.tags else ""
        shared = (f"{tag}{generation_key(None)}", f"{tag}{generation_key(endpoint)}")
        return (*shared, namespace_generation_key(namespace))

    def advance(self, endpoint: str | None) -> None:
        """Make a miss of every page of an endpoint, or of all that is cached."""
        key = generation_key(endpoint)
        if self.store.tags:
            self.store.delete_many(f"{tag}:{key}" for tag in self.store.tags)
        else:
            self.store.set(key, self.new(), lifetime_s=GENERATION_LIFETIME_S)

    def new(self) -> int:
        """A number that was never used. It is a number, because the embedded store reads numbers without decoding."""
        return self.random_below(_END)

    def _number(self, key: str, found: object) -> int:
        if isinstance(found, int):
            return found
        number = self.new()
        if self.store.add(key, number, lifetime_s=GENERATION_LIFETIME_S):
            return number
        # Another process was first. If its number is lost again at once, ours fits no stored page.
        other = self.store.get_many([key]).get(key)
        if isinstance(other, int):
            return other
        if other is not None:
            note_unknown("a generation of cached data")
            self.store.set(key, number, lifetime_s=GENERATION_LIFETIME_S)
        return number


def generation_key(endpoint: str | None) -> str:
    """Key of an endpoint's generation; None for that of all cached data."""
    return f"generation:{endpoint or ''}"


def namespace_generation_key(namespace: str) -> str:
    """Key of a namespace's generation."""
    return f"{namespace}:generation"


#: Principals and tokens in the queue. When there are more, all cached data is cleared instead.
MAX_PENDING: Final = 4096
_EVERYTHING: Final = generation_key(None)


class PendingPurges:
    """The purges that one process has yet to do in one store. Safe for threads.

    :ivar queue: key of a namespace or of a binding → a new object for each purge, so that a purge which is enqueued
        during a flush stays in the queue.
    """

    def __init__(self, *, store: SharedStore, generations: Generations) -> None:
        self._store = store
        self._generations = generations
        self.queue: dict[str, object] = {}
        self._lock = threading.Lock()

    def enqueue(self, principal: str) -> None:
        """Queue a purge for a principal."""
        self._enqueue(namespace_key(principal))

    def enqueue_token(self, token: str) -> None:
        """Queue a purge for the user this token is bound to in the store.

        A token without a binding needs no purge: its first binding begins a generation.
        """
        self._enqueue(binding_key(token))

    def flush(self) -> None:
        """Do all pending purges. Cached reads call it only if the queue is not empty.

        :raises StoreUnavailableError: the purges stay in the queue.
        """
        with self._lock:
            pending = dict(self.queue)
        if not pending:
            return
        if _EVERYTHING in pending:
            self._generations.advance(None)
        else:
            bindings = [key for key in pending if is_binding_key(key)]
            found = self._store.get_many(bindings) if bindings else {}
            bound = [parse_binding(key, value) for key, value in found.items()]
            keys = {namespace_key(binding.partition.principal) for binding in bound if binding is not None}
            self._store.delete_many(keys.union(key for key in pending if not is_binding_key(key)))
        with self._lock:
            for key, mark in pending.items():
                if self.queue.get(key) is mark:
                    del self.queue[key]

    def _enqueue(self, key: str) -> None:
        with self._lock:
            if len(self.queue) >= MAX_PENDING:
                # A flush of the others that is under way now keeps this one in the queue.
                self.queue = {}
                key = _EVERYTHING
            elif _EVERYTHING in self.queue:
                key = _EVERYTHING
            self.queue[key] = object()
