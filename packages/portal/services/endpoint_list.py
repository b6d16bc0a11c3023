"""All endpoints that the services declare, as data: for the command, the reference page and the tests."""

from dataclasses import dataclass
from types import UnionType
from typing import Any, Union, get_args, get_origin

from portal.query import REGISTRY, DeclaredMutation, DeclaredQuery, Endpoint
from portal.services.service_imports import import_services, service_name


@dataclass(frozen=True, slots=True, kw_only=True)
class Entry:
    """One declared endpoint.

    :param hook: module below the package of services, class and attribute.
    :param types: `role: type` for each part of the call and of the response.
    :param effects: what it changes in cached queries.
    """

    method: str
    path: str
    key: str
    hook: str
    types: tuple[str, ...]
    effects: tuple[str, ...] = ()


def declared_hooks() -> list[Endpoint[Any]]:
    """Every hook of the services that can be imported, by domain, path and method."""
    import_services()
    declared: list[Endpoint[Any]] = [*REGISTRY.queries.values(), *REGISTRY.mutations.values()]
    hooks = [hook for hook in declared if service_name(hook.hook_name)]
    return sorted(hooks, key=lambda hook: (hook.key.partition(".")[0], hook.path_shape, _method(hook), hook.key))


def all_entries() -> list[Entry]:
    """Every endpoint of the services, by domain, path and method."""
    return [_entry(hook) for hook in declared_hooks()]


def _entry(hook: Endpoint[Any]) -> Entry:
    effects: tuple[str, ...] = ()
    if isinstance(hook, DeclaredQuery):
        effects = tuple(f"has the tag `{tag}`" for tag in hook.tags)
    if isinstance(hook, DeclaredMutation):
        effects = (
            *(f"{helper.effect} `{helper.target}`" for helper in hook.helpers),
            *(f"sets `{answer.target}`" for answer in hook.answers),
            *(f"invalidates `{invalidation.target}`" for invalidation in hook.invalidations),
            *(f"invalidates the tag `{tag}`" for tag in hook.invalidated_tags),
        )
    return Entry(
        method=_method(hook),
        path=hook.path_shape,
        key=hook.key,
        hook=service_name(hook.hook_name) or hook.hook_name,
        types=tuple(f"{role}: {_type_name(kind)}" for role, kind in hook.declared_types.items()),
        effects=effects,
    )


def _type_name(kind: object) -> str:
    """The name of a type, such as `Client` or `Partial[Client]`. No `|`: it would end the cell of a table."""
    if get_origin(kind) in {Union, UnionType}:
        return " or ".join(map(_type_name, get_args(kind))).replace("NoneType", "None")
    name, parts = getattr(kind, "__name__", str(kind)), get_args(kind)
    return f"{name}[{', '.join(map(_type_name, parts))}]" if parts else name


def _method(hook: Endpoint[Any]) -> str:
    return hook.method if isinstance(hook, DeclaredMutation) else "GET"
