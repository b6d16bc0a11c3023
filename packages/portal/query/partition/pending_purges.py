"""Purges that this process owes: the store could not take them, and gets them before it is asked for anything else.

What is cached may lack a write that could not be logged; taking the namespace away makes a miss of it everywhere.
Where the store is down, so that this can't be done either, the process remembers it. If the process ends before the
store is back, nobody does (docs/explanation/store-failures.md).
"""

from __future__ import annotations

import threading
from typing import TYPE_CHECKING, Final

from portal.query.partition.generations import generation_key
from portal.query.partition.token_bindings import is_proof_key, namespace_key, proof_key, read_proof

if TYPE_CHECKING:
    from portal.query.partition.generations import Generations
    from portal.store import SharedStore

#: Principals and tokens that are remembered; where there are more, all that is cached is cleared instead.
MAX_OWED: Final = 4096


class PendingPurges:
    """What one process owes one store. Safe for threads."""

    def __init__(self, *, store: SharedStore, generations: Generations) -> None:
        self._store = store
        self._generations = generations
        # Keys of namespaces and of proofs, each with an object of its own: what is owed anew while it is being
        # settled stays owed.
        self._owed: dict[str, object] = {}
        self._lock = threading.Lock()

    def owe(self, principal: str) -> None:
        """Remember to purge a principal."""
        self._remember(namespace_key(principal))

    def owe_for(self, token: str) -> None:
        """Remember to purge whom `token` opens a namespace of, by the proof that the store has of it.

        If it has none, nothing has to be done: the next proof begins a generation, which is newer than the write.
        """
        self._remember(proof_key(token))

    def settle(self) -> None:
        """Do all that is owed.

        :raises StoreUnavailableError: it can't be done now, and stays owed.
        """
        if not self._owed:
            return
        with self._lock:
            owed = dict(self._owed)
        everything = generation_key(None)
        if everything in owed:
            self._generations.renew(everything)
        else:
            self._purge(list(owed))
        with self._lock:
            for key, mark in owed.items():
                if self._owed.get(key) is mark:
                    del self._owed[key]

    def _purge(self, owed: list[str]) -> None:
        names = [key for key in owed if is_proof_key(key)]
        found = self._store.get_many(names) if names else {}
        proofs = [read_proof(name, value) for name, value in found.items()]
        keys = {namespace_key(proof.scope.principal) for proof in proofs if proof is not None}
        self._store.delete_many(keys.union(key for key in owed if not is_proof_key(key)))

    def _remember(self, key: str) -> None:
        with self._lock:
            if len(self._owed) >= MAX_OWED:
                # Whoever is settling the others just now finds that this is owed as well.
                self._owed = {}
                key = generation_key(None)
            elif generation_key(None) in self._owed:
                key = generation_key(None)
            self._owed[key] = object()
