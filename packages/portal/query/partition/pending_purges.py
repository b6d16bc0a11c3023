"""Purges that could not be done while the store was down. They are done before the store is next asked for anything.

The cached data of such a user may lack a write. Without the namespace, every process has a miss. If this process ends
before the store is back, the purge is lost (docs/explanation/store-failures.md).
"""

from __future__ import annotations

import threading
from typing import TYPE_CHECKING, Final

from portal.query.partition.generations import generation_key
from portal.query.partition.token_bindings import binding_key, is_binding_key, namespace_key, parse_binding

if TYPE_CHECKING:
    from portal.query.partition.generations import Generations
    from portal.store import SharedStore

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
            self._generations.advance(_EVERYTHING)
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
