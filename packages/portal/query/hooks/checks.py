"""System checks of the declared endpoints. Without them, a wrong key means that a cached list is silently not patched.

Two of the four usage faults (requirements, "Usage faults") are found here, at start: a `list_query_key` that names no
list, and rows that `unique_by` cannot tell apart. The third, a function that returns no full object, is a warning when
it happens. The fourth, helpers that run before `on_success`, is the intended order.
"""

import difflib
from collections import Counter
from collections.abc import Callable, Collection, Iterable, Iterator
from typing import Any, Final, TypeAlias, is_typeddict

from django.core.checks import CheckMessage, Error

from portal.config.contract_names import ME_PATH
from portal.config.places import place
from portal.errors import PortalError, UsageError
from portal.query.endpoints import (
    REGISTRY,
    DeclaredList,
    DeclaredMutation,
    DeclaredQuery,
    Effect,
    Endpoint,
    ListHelper,
    Registry,
    SetAnswer,
    is_path,
)
from portal.query.request_sign_in import PROFILE_QUERY
from portal.rows import check_decodable, field_types, is_record

#: The number of a check, what is wrong, and a hint.
EndpointFault: TypeAlias = tuple[str, str, str | None]
_ONE_NAME: Final = "name one of the two hooks differently: keys are made of the domain and the hook's name"


def check_endpoints(
    registry: Registry = REGISTRY, *, concerns: Callable[[str], bool] = lambda _: True, incomplete: Collection[str] = ()
) -> list[CheckMessage]:
    """Check the endpoints of this process: `portal_operate.checks` imports all services first.

    :param registry: another one, in tests.
    :param concerns: whether the endpoints of a domain are checked.
    :param incomplete: the domains of which a module could not be imported: not all of their queries are known.
    """
    key = PROFILE_QUERY.key.endpoint
    profile = registry.queries.get(key)
    faults: list[tuple[Endpoint[Any], Iterable[EndpointFault]]] = [
        *(
            (hook, [("E001", f"its key {hook.key} is another hook's already", _ONE_NAME)])
            for hook in registry.duplicates
        ),
        *((query, _query_faults(query)) for query in registry.queries.values()),
        *((write, _mutation_faults(write, registry, incomplete)) for write in registry.mutations.values()),
    ]
    messages: list[CheckMessage] = [
        Error(f"{hook.hook_name}: {says}", hint=hint, obj=place(*hook.declared_at), id=f"portal.query.{number}")
        for hook, found in faults
        if concerns(_domain(hook.key))
        for number, says, hint in found
    ]
    if profile is None or profile.is_list or profile.path_shape != ME_PATH:
        says = f"{key} should be the one-shot query of {ME_PATH}: it names the user"
        messages.append(Error(says, hint="declare it in portal.services.user", id="portal.query.E007"))
    return messages


def _domain(key: str) -> str:
    return key.partition(".")[0]


def _query_faults(query: DeclaredQuery[Any]) -> Iterator[EndpointFault]:
    yield from _endpoint_faults(query)
    if not isinstance(query, DeclaredList) or not query.unique_by:
        return
    fields = _field_names(query.item)
    if fields is not None and query.unique_by not in fields:
        says = f"rows are told apart by {query.unique_by!r}, which {query.item.__name__} does not have"
        yield "E002", says, f"give unique_by one of its fields ({', '.join(fields)}), or False to keep duplicates"


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
) -> Iterator[EndpointFault]:
    yield from _endpoint_faults(mutation)
    try:
        effects: tuple[Effect, ...] = (*mutation.helpers, *mutation.answers, *mutation.invalidations)
    except UsageError as error:
        yield "E003", f"a query that it names has no key: {error}", "make the query's hook an attribute of a QueryGroup"
        return
    yield from _number_faults(mutation)
    if not incomplete:
        yield from _tag_faults(mutation, registry)
    for effect in effects:
        query = registry.queries.get(effect.target)
        if query is None and _domain(effect.target) in incomplete:
            continue
        if query is None:
            is_list, of_any = isinstance(effect, ListHelper), not isinstance(effect, ListHelper | SetAnswer)
            known = [key for key, other in registry.queries.items() if of_any or other.is_list == is_list]
            close = difflib.get_close_matches(effect.target, known, n=1, cutoff=0.4)
            key = f", or its key {close[0]!r}" if close else ""
            hint = f"give the hook itself{key}; otherwise the cached list is not patched"
            yield "E003", f"the query key {effect.target!r} is not the key of a query", hint
        elif isinstance(effect, ListHelper):
            yield from _row_faults(mutation, effect, query)
        elif isinstance(effect, SetAnswer):
            yield from _answer_faults(mutation, query)


def _number_faults(mutation: DeclaredMutation[Any, Any, Any]) -> Iterator[EndpointFault]:
    """Too few effects, or too many."""
    if not (mutation.effects or mutation.invalidated_tags or mutation.is_without_effect):
        says = "it changes no cached query: pages would show what was there before the write"
        yield "E015", says, "say what it changes, such as .invalidates(query_key=…); or that it .changes_nothing()"
    counted = Counter((helper.kind, helper.target) for helper in mutation.helpers if helper.puts_row)
    for (kind, target), number in counted.items():
        if number > 1:
            hint = "give one: it is not defined which of their `matches` decides where a row belongs"
            yield "E008", f"{number} helpers of one kind ({kind}) change the list {target!r}", hint


def _tag_faults(mutation: DeclaredMutation[Any, Any, Any], registry: Registry) -> Iterator[EndpointFault]:
    known = {tag for query in registry.queries.values() for tag in query.tags}
    for tag in mutation.invalidated_tags:
        if tag not in known:
            close = difflib.get_close_matches(tag, known, n=1, cutoff=0.4)
            usual = f"give the queries that it makes stale tags=({tag!r},)"
            yield "E012", f"no query has the tag {tag!r}", f"did you mean {close[0]!r}?" if close else usual


def _row_faults(
    mutation: DeclaredMutation[Any, Any, Any], helper: ListHelper, query: DeclaredQuery[Any]
) -> Iterator[EndpointFault]:
    if not isinstance(query, DeclaredList):
        hint = "list cache helpers are for lists; mark a one-shot query as stale with .invalidates(query_key=…)"
        yield "E004", f"{helper.target!r} is not a paginated list", hint
    elif helper.puts_row and helper.select is None and (missing := _missing_fields(mutation, query.item)):
        hint = "name the list of that resource, or give select_list_item=… that returns a whole row"
        yield "E011", f"its response is no whole row of the list {helper.target!r}: {missing}", hint


def _answer_faults(mutation: DeclaredMutation[Any, Any, Any], query: DeclaredQuery[Any]) -> Iterator[EndpointFault]:
    if query.is_list:
        says = f"{query.key!r} is a paginated list, and set_answer is for a one-shot query"
        yield "E004", says, "put the row into the list with a list cache helper"
        return
    if missing := _missing_fields(mutation, getattr(query, "data", None)):
        hint = "a part must not stand for the whole: use .invalidates(query_key=…, get_params=same_params)"
        yield "E014", f"its response is not that of {query.key!r}: {missing}", hint
    if query.key == PROFILE_QUERY.key.endpoint:
        says = f"set_answer can't set {query.key!r}, which decides about access"
        yield "E014", says, "use .invalidates(query_key=…): then the next page asks for it"


def _missing_fields(mutation: DeclaredMutation[Any, Any, Any], shown: object) -> str:
    """What the response of a write lacks of what is shown, in words; empty for nothing."""
    sent = _field_names(mutation.data)
    missing = set(_field_names(shown) or ()) - set(sent or ())
    if sent is None or not missing:
        return ""
    return f"{getattr(mutation.data, '__name__', '')} lacks {', '.join(sorted(missing))}"


def _endpoint_faults(declared: Endpoint[Any]) -> Iterator[EndpointFault]:
    yield from _url_faults(declared)
    for role in ("data", "item"):
        try:
            check_decodable(declared.declared_types.get(role))
        except UsageError as error:
            hint = "a field may be of one class of records; import its type at run time, not below TYPE_CHECKING"
            yield "E010", f"{role} can't be decoded: {error}", hint


def _url_faults(declared: Endpoint[Any]) -> Iterator[EndpointFault]:
    try:
        path = declared.path_shape
    except (PortalError, TypeError, AttributeError, KeyError, ValueError) as error:
        hint = "it should only put parameters into a path: f\"/energy/clients/{params['id']}\""
        yield "E005", f"its url function raises {type(error).__name__} for placeholder parameters", hint
        return
    if not is_path(path):
        hint = "it should begin with one slash, and have no `?`, no `#` and no `..`"
        yield "E006", f"its url {path!r} is not a path below the backend's address", hint
        return
    try:
        # What a function reads; a template was checked when it was declared.
        declared.check_braces(path)
    except UsageError as error:
        yield "E009", str(error).removeprefix(f"{declared.declared_with}: "), None
