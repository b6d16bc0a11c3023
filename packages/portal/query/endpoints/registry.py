"""Every declared hook, by its qualified key: for system checks, commands, and the fold of cached lists."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, Protocol

if TYPE_CHECKING:
    from portal.query.endpoints.requests import ListHelper, Outdate
    from portal.query.endpoints.urls import Url


class DeclaredQuery(Protocol):
    """A query hook, as the registry knows it."""

    @property
    def params(self) -> type[Any] | None:
        """Type of its parameters; None for none."""

    @property
    def url(self) -> Url[Any]:
        """Its path, or the function that gives it."""

    @property
    def key(self) -> str:
        """Qualified endpoint key."""

    @property
    def is_list(self) -> bool:
        """Whether it reads a paginated list."""

    @property
    def path_shape(self) -> str:
        """Address with the parameters' names in braces."""

    @property
    def declared_types(self) -> dict[str, object]:
        """Role (`data`, `item`, `params`) to declared type."""

    @property
    def hook_name(self) -> str:
        """Dotted name under which it is imported: `portal.services.user.UserQueries.use_get_me_query`."""


class DeclaredMutation(Protocol):
    """A mutation hook, as the registry knows it."""

    @property
    def key(self) -> str:
        """Qualified endpoint key."""

    @property
    def method(self) -> str:
        """HTTP method."""

    @property
    def path_shape(self) -> str:
        """Address with the parameters' names in braces."""

    @property
    def declared_types(self) -> dict[str, object]:
        """Role (`data`, `body`, `params`) to declared type."""

    @property
    def hook_name(self) -> str:
        """Dotted name under which it is imported."""

    @property
    def helpers(self) -> tuple[ListHelper, ...]:
        """What it changes in cached lists."""

    @property
    def invalidates(self) -> tuple[Outdate, ...]:
        """Which other queries it invalidates."""


@dataclass(slots=True)
class Registry:
    """What groups declare. The first declaration of a key stays; later ones are kept for the check to name."""

    queries: dict[str, DeclaredQuery] = field(default_factory=dict)
    mutations: dict[str, DeclaredMutation] = field(default_factory=dict)
    duplicates: list[tuple[str, str]] = field(default_factory=list)

    def add_query(self, hook: DeclaredQuery) -> None:
        """Take in a query hook."""
        if self.queries.setdefault(hook.key, hook) is not hook:
            self.duplicates.append((hook.key, hook.hook_name))

    def add_mutation(self, hook: DeclaredMutation) -> None:
        """Take in a mutation hook."""
        if self.mutations.setdefault(hook.key, hook) is not hook:
            self.duplicates.append((hook.key, hook.hook_name))


#: What this process's services declare.
REGISTRY = Registry()
