"""Groups: `createQueryGroup` and `createMutationGroup` (contract, section 1).

A group is a class whose attributes are hooks. The attribute's name and the group's domain make the hook's key:
`use_get_clients_query` in the domain `energy` has the key `energy.get_clients`.
"""

import re
import sys
from collections.abc import Mapping
from typing import Any, ClassVar

from portal.errors import UsageError
from portal.query.endpoints import REGISTRY, Endpoint, Registry
from portal.query.hooks.mutations import MutationHook
from portal.query.hooks.queries import ReadHook

_KEY = re.compile(r"(?!use_)[a-z][a-z0-9_]*")


def _domain_of(module: str) -> str:
    """`portal.services.energy.clients` → `energy`; outside `services`: the module's own name."""
    before, _, below = f".{module}".partition(".services.")
    return below.partition(".")[0] or before.rpartition(".")[2]


class _Group:
    """Hooks of one resource.

    :param domain: first part of their keys; by default the folder or module below `services`.
    :raises UsageError: a hook's name does not fit, or it belongs elsewhere.
    """

    kind: ClassVar[str]
    domain: ClassVar[str]

    def __init_subclass__(cls, *, domain: str | None = None, registry: Registry = REGISTRY) -> None:
        super().__init_subclass__()
        cls.domain = domain or _domain_of(cls.__module__)
        for name, hook in list(vars(cls).items()):
            if isinstance(hook, Endpoint):
                if hook.kind != cls.kind:
                    raise UsageError(f"{cls.__qualname__}.{name} belongs in a {hook.kind.title()}Group")
                if (hook.group, hook.name) != (cls, name):
                    raise UsageError(f"{cls.__qualname__}.{name} is {hook.hook_name} already; declare each hook once")
                registry.add(hook)


class QueryGroup(_Group):
    """Queries of one resource."""

    kind = "query"


class MutationGroup(_Group):
    """Mutations of one resource."""

    kind = "mutation"


def create_query_group(
    endpoints: Mapping[str, ReadHook], *, domain: str | None = None, registry: Registry = REGISTRY
) -> Any:
    """Make a group from a mapping: the key `get_clients` gives the hook `use_get_clients_query`.

    A `QueryGroup` class does the same, and an editor knows its hooks. Those of this group are known at run time only.

    :param domain: first part of the keys; by default that of the calling module.
    """
    return _made(QueryGroup, endpoints, domain=domain, registry=registry)


def create_mutation_group(
    endpoints: Mapping[str, MutationHook[Any, Any, Any]], *, domain: str | None = None, registry: Registry = REGISTRY
) -> Any:
    """Make a group from a mapping: the key `create_client` gives the hook `use_create_client_mutation`.

    :param domain: first part of the keys; by default that of the calling module.
    """
    return _made(MutationGroup, endpoints, domain=domain, registry=registry)


def _made(base: Any, endpoints: Mapping[str, Any], *, domain: str | None, registry: Registry) -> Any:
    # As for namedtuple and Enum: a class that is made by a call belongs to the module that calls.
    module = sys._getframe(2).f_globals.get("__name__", "")  # noqa: SLF001  the documented way to find it
    wrong = [key for key in endpoints if not _KEY.fullmatch(key)]
    if wrong:
        raise UsageError(f"{wrong[0]!r} should be a key in lower case such as get_clients")
    body = {f"use_{key}_{base.kind}": endpoint for key, endpoint in endpoints.items()}
    return type(base)(base.__name__, (base,), {**body, "__module__": module}, domain=domain, registry=registry)
