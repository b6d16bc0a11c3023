"""The hooks that this process declares, by qualified key: for system checks, commands, and patches of cached lists."""

from collections.abc import Collection
from dataclasses import dataclass, field
from typing import Any

from portal.query.endpoints.declarations import DeclaredQuery, Endpoint
from portal.query.endpoints.effects import Invalidation
from portal.query.endpoints.mutations import DeclaredMutation


@dataclass(slots=True, repr=False)
class Registry:
    """What groups declare. The first hook of a key stays; a system check names the later ones."""

    queries: dict[str, DeclaredQuery[Any]] = field(default_factory=dict)
    mutations: dict[str, DeclaredMutation[Any, Any, Any]] = field(default_factory=dict)
    duplicates: list[Endpoint[Any]] = field(default_factory=list)

    def add(self, hook: Endpoint[Any]) -> None:
        """Add a hook.

        :raises UsageError: its name does not fit its kind.
        """
        known: dict[str, Any] = self.mutations if isinstance(hook, DeclaredMutation) else self.queries
        if known.setdefault(hook.key, hook) is not hook:
            self.duplicates.append(hook)

    def tagged(self, tags: Collection[str]) -> tuple[Invalidation, ...]:
        """The queries that have any of these tags, as what a write invalidates."""
        found = [key for key, hook in self.queries.items() if not set(tags).isdisjoint(hook.tags)]
        return tuple(Invalidation(query=key, target=key) for key in found)

    def forget(self, module: str) -> None:
        """Take out what a module has declared: it could not be imported to its end, and may be imported again."""
        hooks: dict[str, Any]
        for hooks in (self.queries, self.mutations):
            for key in [key for key, hook in hooks.items() if hook.group.__module__ == module]:
                del hooks[key]
        self.duplicates = [hook for hook in self.duplicates if getattr(hook.group, "__module__", "") != module]


#: What this process's services declare.
REGISTRY = Registry()
