"""Groups: `createQueryGroup` and `createMutationGroup` (contract, section 1).

A group is a class. Its attributes are declarations; when the class is made, each becomes the hook of that
name, under a key that is derived from it: `use_get_clients_query` in the domain `energy` has the key
`energy.get_clients`.
"""

from __future__ import annotations

import re
import sys
from typing import TYPE_CHECKING, Any, ClassVar, cast

from portal.errors import UsageError
from portal.query.endpoints.registry import REGISTRY, Registry
from portal.query.hooks.lists import PaginatedQueryEndpoint
from portal.query.hooks.mutations import MutationEndpoint
from portal.query.hooks.queries import QueryEndpoint

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

_QUERY_NAME = re.compile(r"use_(?P<name>[a-z][a-z0-9_]*)_query")
_MUTATION_NAME = re.compile(r"use_(?P<name>[a-z][a-z0-9_]*)_mutation")
_KEY = re.compile(r"[a-z][a-z0-9_]*")

_QUERIES = (QueryEndpoint, PaginatedQueryEndpoint)
_SERVICES = "services"


def _declarations(cls: type, *, wrong: Any, belongs: str) -> Iterator[tuple[str, Any]]:
    for name, value in list(vars(cls).items()):
        if isinstance(value, wrong):
            raise UsageError(f"{cls.__qualname__}.{name} belongs in {belongs}")
        if isinstance(value, QueryEndpoint | PaginatedQueryEndpoint | MutationEndpoint):
            yield name, value


def _matched(pattern: re.Pattern[str], name: str, *, cls: type, example: str) -> str:
    match = pattern.fullmatch(name)
    if match is None:
        raise UsageError(f"{cls.__qualname__}.{name} should be named like {example}")
    return match["name"]


def _domain_of(module: str) -> str:
    """`portal.services.energy.clients` → `energy`; outside `services`: the module's own name."""
    parts = module.split(".")
    following = parts[parts.index(_SERVICES) + 1 :] if _SERVICES in parts else []
    return (following or parts[-1:])[0]


class _HookNames(type):
    """Lets a type checker accept any hook of a group that was made from a mapping."""

    if TYPE_CHECKING:

        def __getattr__(cls, name: str) -> Any: ...


class QueryGroup:
    """Queries of one resource.

    :param domain: first part of their keys; by default the folder or module below `services`.
    """

    domain: ClassVar[str]

    def __init_subclass__(cls, *, domain: str | None = None, registry: Registry = REGISTRY) -> None:
        """Make the hooks.

        :raises UsageError: a name or an attribute that does not fit.
        """
        super().__init_subclass__()
        cls.domain = domain or _domain_of(cls.__module__)
        for name, endpoint in _declarations(cls, wrong=MutationEndpoint, belongs="a MutationGroup"):
            match = _matched(_QUERY_NAME, name, cls=cls, example="use_get_clients_query")
            hook = endpoint.hook(key=f"{cls.domain}.{match}", hook_name=f"{cls.__module__}.{cls.__qualname__}.{name}")
            setattr(cls, name, hook)
            registry.add_query(hook)


class MutationGroup:
    """Mutations of one resource.

    :param domain: first part of their keys; by default the folder or module below `services`.
    """

    domain: ClassVar[str]

    def __init_subclass__(cls, *, domain: str | None = None, registry: Registry = REGISTRY) -> None:
        """Make the hooks.

        :raises UsageError: a name or an attribute that does not fit.
        """
        super().__init_subclass__()
        cls.domain = domain or _domain_of(cls.__module__)
        for name, endpoint in _declarations(cls, wrong=_QUERIES, belongs="a QueryGroup"):
            match = _matched(_MUTATION_NAME, name, cls=cls, example="use_create_client_mutation")
            hook = endpoint.hook(
                key=f"{cls.domain}.{match}",
                hook_name=f"{cls.__module__}.{cls.__qualname__}.{name}",
                qualify=lambda key: key if "." in key else f"{cls.domain}.{key}",
            )
            setattr(cls, name, hook)
            registry.add_mutation(hook)


class DynamicQueryGroup(QueryGroup, metaclass=_HookNames, domain="dynamic"):
    """What :func:`create_query_group` gives: its hooks are known at run time only."""


class DynamicMutationGroup(MutationGroup, metaclass=_HookNames, domain="dynamic"):
    """What :func:`create_mutation_group` gives: its hooks are known at run time only."""


def create_query_group(
    endpoints: Mapping[str, QueryEndpoint[Any, Any] | PaginatedQueryEndpoint[Any, Any]],
    *,
    domain: str | None = None,
    registry: Registry = REGISTRY,
) -> type[DynamicQueryGroup]:
    """Make a group from a mapping: the key `get_clients` gives the hook `use_get_clients_query`.

    A `QueryGroup` class does the same, and an editor knows its hooks.

    :param domain: first part of the keys; by default that of the calling module.
    """
    group = _made(DynamicQueryGroup, endpoints, suffix="query", domain=domain, registry=registry)
    return cast("type[DynamicQueryGroup]", group)


def create_mutation_group(
    endpoints: Mapping[str, MutationEndpoint[Any, Any, Any]],
    *,
    domain: str | None = None,
    registry: Registry = REGISTRY,
) -> type[DynamicMutationGroup]:
    """Make a group from a mapping: the key `create_client` gives the hook `use_create_client_mutation`.

    :param domain: first part of the keys; by default that of the calling module.
    """
    group = _made(DynamicMutationGroup, endpoints, suffix="mutation", domain=domain, registry=registry)
    return cast("type[DynamicMutationGroup]", group)


def _made(base: Any, endpoints: Mapping[str, Any], *, suffix: str, domain: str | None, registry: Registry) -> Any:
    # As for namedtuple and Enum: a class that is made by a call belongs to the module that calls.
    module = sys._getframe(2).f_globals.get("__name__", "")  # noqa: SLF001  the documented way to find it
    wrong = [key for key in endpoints if not _KEY.fullmatch(key)]
    if wrong:
        raise UsageError(f"{wrong[0]!r} should be a key in lower case such as get_clients")
    body = {f"use_{key}_{suffix}": endpoint for key, endpoint in endpoints.items()}
    return type(base)(base.__name__, (base,), {**body, "__module__": module}, domain=domain, registry=registry)
