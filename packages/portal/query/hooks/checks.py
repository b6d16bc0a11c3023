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

from portal.config.contract_names import ME_PATH
from portal.config.places import place
from portal.errors import PortalError, UsageError
from portal.query.endpoints import (
    ID_PARAM,
    REGISTRY,
    DeclaredList,
    ListHelper,
    Registry,
    SetAnswer,
    check_template,
    is_path,
    parameter_names,
)
from portal.query.request_partition import PROFILE_QUERY
from portal.rows import check_decodable, field_types, is_record

if TYPE_CHECKING:
    from collections.abc import Callable, Collection, Iterator

    from django.core.checks import CheckMessage

    from portal.query.endpoints import DeclaredMutation, DeclaredQuery, Effect, Endpoint


def check_endpoints(
    *, concerns: Callable[[str], bool] = lambda _: True, incomplete: Collection[str] = ()
) -> list[CheckMessage]:
    """Check what this process declares: `portal.operate.checks` imports all services first.

    :param concerns: as of :func:`check_registry`, with `incomplete`.
    """
    profile = REGISTRY.queries.get(PROFILE_QUERY.key.endpoint)
    return [*check_registry(REGISTRY, concerns=concerns, incomplete=incomplete), *_profile_faults(profile)]


def check_registry(
    registry: Registry, *, concerns: Callable[[str], bool] = lambda _: True, incomplete: Collection[str] = ()
) -> list[CheckMessage]:
    """Check the endpoints of one registry.

    :param concerns: whether the endpoints of a domain are checked.
    :param incomplete: the domains of which a module could not be imported: not all of their queries are known.
    """
    duplicates = [hook for hook in registry.duplicates if concerns(_domain(hook.key))]
    queries = [hook for key, hook in registry.queries.items() if concerns(_domain(key))]
    mutations = [hook for key, hook in registry.mutations.items() if concerns(_domain(key))]
    return [
        *map(_duplicate_fault, duplicates),
        *(fault for query in queries for fault in _query_faults(query)),
        *(fault for mutation in mutations for fault in _mutation_faults(mutation, registry, incomplete)),
    ]


def _domain(key: str) -> str:
    return key.partition(".")[0]


def _duplicate_fault(hook: Endpoint[Any]) -> CheckMessage:
    return Error(
        f"{hook.hook_name} has the key {hook.key}, which another hook has already",
        hint="name one of the two hooks differently: keys are made of the domain and the hook's name",
        obj=place(*hook.declared_at),
        id="portal.query.E001",
    )


def _query_faults(query: DeclaredQuery[Any]) -> Iterator[CheckMessage]:
    yield from _url_faults(query)
    yield from _type_faults(query)
    yield from _placeholder_faults(query)
    if not isinstance(query, DeclaredList) or not query.unique_by:
        return
    fields = _field_names(query.item)
    if fields is not None and query.unique_by not in fields:
        yield Error(
            f"{query.hook_name}: rows are told apart by {query.unique_by!r}, which {query.item.__name__} does not have",
            hint=f"give unique_by one of its fields ({', '.join(fields)}), or False to keep duplicates",
            obj=place(*query.declared_at),
            id="portal.query.E002",
        )


def _placeholder_faults(query: DeclaredQuery[Any]) -> Iterator[CheckMessage]:
    listed: DeclaredQuery[Any] | None = getattr(query, "placeholder", None)
    if listed is None or (query.resource and listed.group is None):
        # A resource whose list no group names has none.
        return
    known, fault = parameter_names(query.params), ""
    if known is not None and ID_PARAM not in known:
        fault = f"it is the row with the same {ID_PARAM}, and this query has no such parameter"
    try:
        listed.query_key()
    except UsageError as error:
        fault = str(error)
    if fault:
        yield Error(
            f"{query.hook_name}: no row can be its placeholder: {fault}",
            hint="give the hook of a list that is the attribute of a QueryGroup and needs no parameters",
            obj=place(*query.declared_at),
            id="portal.query.E013",
        )


def _type_faults(declared: Endpoint[Any]) -> Iterator[CheckMessage]:
    for role in ("data", "item"):
        try:
            check_decodable(declared.declared_types.get(role))
        except UsageError as error:
            yield Error(
                f"{declared.hook_name}: {role} can't be decoded: {error}",
                hint="a field may be of one class of records; import its type at run time, not below TYPE_CHECKING",
                obj=place(*declared.declared_at),
                id="portal.query.E010",
            )


def _field_names(kind: Any) -> list[str] | None:
    """The names on the wire of an object's fields; None where they are not declared."""
    if is_typeddict(kind):
        return list(kind.__annotations__)
    try:
        return list(field_types(kind)) if is_record(kind) else None
    except UsageError:
        # Told by itself.
        return None


def _mutation_faults(
    mutation: DeclaredMutation[Any, Any, Any], registry: Registry, incomplete: Collection[str]
) -> Iterator[CheckMessage]:
    yield from _url_faults(mutation)
    yield from _type_faults(mutation)
    try:
        effects: tuple[Effect, ...] = (*mutation.helpers, *mutation.answers, *mutation.invalidations)
    except UsageError as error:
        yield Error(
            f"{mutation.hook_name}: a query that it names has no key: {error}",
            hint="make the query's hook an attribute of a QueryGroup",
            obj=place(*mutation.declared_at),
            id="portal.query.E003",
        )
        return
    yield from _helper_faults(mutation)
    yield from _tag_faults(mutation, registry, incomplete)
    for effect in effects:
        query = registry.queries.get(effect.target)
        if query is None and _domain(effect.target) in incomplete:
            continue
        if query is None:
            close = difflib.get_close_matches(effect.target, registry.queries, n=1, cutoff=0.4)
            yield Error(
                f"{mutation.hook_name}: the query key {effect.target!r} is not the key of a query",
                hint=f"give the hook itself{f', or its key {close[0]!r}' if close else ''}; otherwise the cached list"
                " is not patched",
                obj=place(*mutation.declared_at),
                id="portal.query.E003",
            )
        elif isinstance(effect, ListHelper):
            yield from _row_faults(mutation, effect, query)
        elif isinstance(effect, SetAnswer):
            yield from _answer_faults(mutation, query)


def _tag_faults(
    mutation: DeclaredMutation[Any, Any, Any], registry: Registry, incomplete: Collection[str]
) -> Iterator[CheckMessage]:
    known = {tag for query in registry.queries.values() for tag in query.tags}
    for tag in mutation.invalidated_tags:
        if tag in known or incomplete:
            continue
        close = difflib.get_close_matches(tag, known, n=1, cutoff=0.4)
        yield Error(
            f"{mutation.hook_name}: no query has the tag {tag!r}",
            hint=f"did you mean {close[0]!r}?" if close else f"give the queries that it makes stale tags=({tag!r},)",
            obj=place(*mutation.declared_at),
            id="portal.query.E012",
        )


def _row_faults(
    mutation: DeclaredMutation[Any, Any, Any], helper: ListHelper, query: DeclaredQuery[Any]
) -> Iterator[CheckMessage]:
    if not isinstance(query, DeclaredList):
        yield Error(
            f"{mutation.hook_name}: {helper.target!r} is not a paginated list",
            hint="list cache helpers are for lists; mark a one-shot query as stale with .invalidates(query_key=…)",
            obj=place(*mutation.declared_at),
            id="portal.query.E004",
        )
        return
    shown, sent = _field_names(query.item), _field_names(mutation.data)
    missing = set(shown or ()) - set(sent or ())
    if helper.puts_row and helper.select is None and sent is not None and missing:
        yield Error(
            f"{mutation.hook_name}: its response is no whole row of the list {helper.target!r}:"
            f" {getattr(mutation.data, '__name__', '')} lacks {', '.join(sorted(missing))}",
            hint="name the list of that resource, or give select_list_item=… that returns a whole row",
            obj=place(*mutation.declared_at),
            id="portal.query.E011",
        )


def _answer_faults(mutation: DeclaredMutation[Any, Any, Any], query: DeclaredQuery[Any]) -> Iterator[CheckMessage]:
    if query.is_list:
        yield Error(
            f"{mutation.hook_name}: {query.key!r} is a paginated list, and set_answer is for a one-shot query",
            hint="put the row into the list with a list cache helper",
            obj=place(*mutation.declared_at),
            id="portal.query.E004",
        )
        return
    shown, sent = _field_names(getattr(query, "data", None)), _field_names(mutation.data)
    missing = set(shown or ()) - set(sent or ())
    if sent is not None and missing:
        yield Error(
            f"{mutation.hook_name}: its response is not that of {query.key!r}:"
            f" {getattr(mutation.data, '__name__', '')} lacks {', '.join(sorted(missing))}",
            hint="a part must not stand for the whole: use .invalidates(query_key=…, get_params=same_params)",
            obj=place(*mutation.declared_at),
            id="portal.query.E014",
        )
    if query.key == PROFILE_QUERY.key.endpoint:
        yield Error(
            f"{mutation.hook_name}: set_answer can't set {query.key!r}, which decides about access",
            hint="use .invalidates(query_key=…): then the next page asks for it",
            obj=place(*mutation.declared_at),
            id="portal.query.E014",
        )


def _helper_faults(mutation: DeclaredMutation[Any, Any, Any]) -> Iterator[CheckMessage]:
    counted = Counter((helper.kind, helper.target) for helper in mutation.helpers if helper.puts_row)
    for (kind, target), number in counted.items():
        if number > 1:
            yield Error(
                f"{mutation.hook_name}: {number} helpers of one kind ({kind}) change the list {target!r}",
                hint="give one: it is not defined which of their `matches` decides where a row belongs",
                obj=place(*mutation.declared_at),
                id="portal.query.E008",
            )


def _url_faults(declared: Endpoint[Any]) -> Iterator[CheckMessage]:
    try:
        path = declared.path_shape
    except (PortalError, TypeError, AttributeError, KeyError, ValueError) as error:
        yield Error(
            f"{declared.hook_name}: its url function raises {type(error).__name__} for placeholder parameters",
            hint="it should only put parameters into a path: f\"/energy/clients/{params['id']}\"",
            obj=place(*declared.declared_at),
            id="portal.query.E005",
        )
        return
    if not is_path(path):
        yield Error(
            f"{declared.hook_name}: its url {path!r} is not a path below the backend's address",
            hint="it should begin with one slash, and have no `?`, no `#` and no `..`",
            obj=place(*declared.declared_at),
            id="portal.query.E006",
        )
        return
    try:
        # What a function reads; a template was checked when it was declared.
        check_template(path, endpoint=declared.hook_name, known=parameter_names(declared.params))
    except UsageError as error:
        yield Error(str(error), obj=place(*declared.declared_at), id="portal.query.E009")


def _profile_faults(profile: DeclaredQuery[Any] | None) -> Iterator[CheckMessage]:
    if profile is None or profile.is_list or profile.path_shape != ME_PATH:
        yield Error(
            f"{PROFILE_QUERY.key.endpoint} should be the one-shot query of {ME_PATH}: it names the user",
            hint="declare it in portal.services.user",
            id="portal.query.E007",
        )
