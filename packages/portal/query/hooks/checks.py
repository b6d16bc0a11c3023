"""System checks of the declared endpoints. Without them, a wrong key means that a cached list is silently not patched.

Two of the four usage faults (requirements, "Usage faults") are found here, at start: a `list_query_key` that names no
list, and rows that `unique_by` cannot tell apart. The third, a function that returns no full object, is a warning when
it happens. The fourth, helpers that run before `on_success`, is the intended order.
"""

from __future__ import annotations

import difflib
from collections import Counter
from typing import TYPE_CHECKING, Any, is_typeddict

from django.core.checks import Error

from portal.config.wire_names import ME_PATH
from portal.errors import PortalError, UsageError
from portal.query.endpoints import REGISTRY, DeclaredList, ListHelper, Registry, is_path
from portal.query.request_partition import PROFILE_QUERY

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from django.apps import AppConfig
    from django.core.checks import CheckMessage

    from portal.query.endpoints import DeclaredMutation, DeclaredQuery, Effect, Endpoint


def check_endpoints(app_configs: Sequence[AppConfig] | None = None, **_kwargs: object) -> list[CheckMessage]:
    """Check all that this process declares. `portal.checks` registers this check, and imports all services."""
    del app_configs
    profile = REGISTRY.queries.get(PROFILE_QUERY.key.endpoint)
    return [*check_registry(REGISTRY), *_profile_faults(profile)]


def check_registry(registry: Registry) -> list[CheckMessage]:
    """Check the endpoints of one registry."""
    return [
        *_duplicates(registry),
        *(fault for query in registry.queries.values() for fault in _query_faults(query)),
        *(fault for mutation in registry.mutations.values() for fault in _mutation_faults(mutation, registry)),
    ]


def _duplicates(registry: Registry) -> Iterator[CheckMessage]:
    for hook in registry.duplicates:
        yield Error(
            f"{hook.hook_name} has the key {hook.key}, which another hook has already",
            hint="name one of the two hooks differently: keys are made of the domain and the hook's name",
            id="portal.query.E001",
        )


def _query_faults(query: DeclaredQuery[Any]) -> Iterator[CheckMessage]:
    yield from _url_faults(query)
    if not isinstance(query, DeclaredList) or not query.unique_by or not is_typeddict(query.item):
        return
    fields = list(query.item.__annotations__)
    if query.unique_by not in fields:
        yield Error(
            f"{query.hook_name}: rows are told apart by {query.unique_by!r}, which {query.item.__name__} does not have",
            hint=f"give unique_by one of its fields ({', '.join(fields)}), or False to keep duplicates",
            id="portal.query.E002",
        )


def _mutation_faults(mutation: DeclaredMutation[Any, Any, Any], registry: Registry) -> Iterator[CheckMessage]:
    yield from _url_faults(mutation)
    try:
        effects: tuple[Effect, ...] = (*mutation.helpers, *mutation.invalidations)
    except UsageError as error:
        yield Error(
            f"{mutation.hook_name}: a query that it names has no key: {error}",
            hint="make the query's hook an attribute of a QueryGroup",
            id="portal.query.E003",
        )
        return
    yield from _helper_faults(mutation)
    for effect in effects:
        query = registry.queries.get(effect.target)
        if query is None:
            close = difflib.get_close_matches(effect.target, registry.queries, n=1, cutoff=0.4)
            yield Error(
                f"{mutation.hook_name}: the query key {effect.target!r} is not the key of a query",
                hint=f"give the hook itself{f', or its key {close[0]!r}' if close else ''}; otherwise the cached list"
                " is not patched",
                id="portal.query.E003",
            )
        elif not query.is_list and isinstance(effect, ListHelper):
            yield Error(
                f"{mutation.hook_name}: {effect.target!r} is not a paginated list",
                hint="list cache helpers are for lists; mark a one-shot query as stale with .invalidates(query_key=…)",
                id="portal.query.E004",
            )


def _helper_faults(mutation: DeclaredMutation[Any, Any, Any]) -> Iterator[CheckMessage]:
    counted = Counter((helper.kind, helper.target) for helper in mutation.helpers if helper.puts_row)
    for (kind, target), number in counted.items():
        if number > 1:
            yield Error(
                f"{mutation.hook_name}: {number} helpers of one kind ({kind}) change the list {target!r}",
                hint="give one: it is not defined which of their `matches` decides where a row belongs",
                id="portal.query.E008",
            )


def _url_faults(declared: Endpoint[Any]) -> Iterator[CheckMessage]:
    try:
        path = declared.path_shape
    except (PortalError, TypeError, AttributeError, KeyError, ValueError) as error:
        yield Error(
            f"{declared.hook_name}: its url function raises {type(error).__name__} for placeholder parameters",
            hint="it should only put parameters into a path: f\"/energy/clients/{params['id']}\"",
            id="portal.query.E005",
        )
        return
    if not is_path(path):
        yield Error(
            f"{declared.hook_name}: its url {path!r} is not a path below the backend's address",
            hint="it should begin with one slash, and have no `?`, no `#` and no `..`",
            id="portal.query.E006",
        )


def _profile_faults(profile: DeclaredQuery[Any] | None) -> Iterator[CheckMessage]:
    if profile is None or profile.is_list or profile.path_shape != ME_PATH:
        yield Error(
            f"{PROFILE_QUERY.key.endpoint} should be the one-shot query of {ME_PATH}: it names the user",
            hint="declare it in portal.services.user",
            id="portal.query.E007",
        )
