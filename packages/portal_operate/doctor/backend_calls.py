"""What the backend has of all that pages use: each call that reads is made once, with the token of a user.

The calls go the way of the pages, through the hooks. What they find out is kept for this run alone: neither does an
earlier answer count, nor does a later page see what was tried here.
"""

from __future__ import annotations

from decimal import Decimal
from typing import TYPE_CHECKING, Any, Final, get_args

from portal.api import TokenPair, TokenStore, api_session
from portal.config.contract_names import (
    COUNTS_SEGMENT,
    CREATED_AT_FIELD,
    ITEMS_FIELD,
    NOBODYS_WORD,
    OF_A_LIST,
    PROFILE_ID_FIELD,
    SORT_NEWEST_FIRST,
    SORT_OLDEST_FIRST,
)
from portal.errors import ApiUnauthorizedError, SignInEndedError
from portal.identity import derive_platforms_from_me, get_user_from_token
from portal.query import DeclaredMutation, DeclaredQuery, create_query_client, field_types
from portal.services.endpoint_list import declared_hooks
from portal.services.user import UserQueries
from portal.store import MemoryStore
from portal_operate.doctor.findings import error, ok, warning

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping, Sequence

    from portal.errors import ApiError
    from portal.query import Endpoint, PaginatedRes, QueryClient
    from portal_operate.doctor.findings import Finding, Patient


def look_at_parameters(hook: Any, client: QueryClient, rows: PaginatedRes[Any]) -> Iterator[Finding]:
    """Filters, ranges, search and sort of one list.

    :param hook: the list's.
    :param rows: the list without parameters.
    """
    bodies = _bodies(rows)
    subject = f"GET {hook.path_shape} parameters"
    honoured: list[str] = []
    ignored: list[str] = []
    untold: list[str] = []
    for name, one in hook.filters.items():
        value = _telling_value([body.get(one.field) for body in bodies])
        if value is None:
            untold.append(name)
            continue
        result = hook(client, {name: value})
        # Some row of the list without parameters contradicts the value: the same rows say that nothing was filtered.
        is_same = result.error is None and (_bodies(result.data) == bodies or name in result.data.ignored)
        (ignored if result.error is not None or is_same else honoured).append(name)
    if bodies:
        (honoured if _searches(hook, client) else ignored).append("q")
    sorts = _sorts(hook, client, bodies)
    (untold if sorts is None else honoured if sorts else ignored).append("sort")
    if ignored:
        seen = f"not honoured: {', '.join(ignored)}. Pages then offer no search, no filter and no related rows by these"
        yield warning(subject, seen, "nothing, if users can do without; else the backend should take them")
    if honoured:
        yield ok(subject, f"honoured: {', '.join(honoured)}")
    if untold:
        yield ok(subject, f"not told by the rows that are there: {', '.join(untold)}")


def _telling_value(values: Sequence[Any]) -> str | None:
    """The greatest of the values, if some row has it, and another row has another one; None if no value tells.

    Of a time it tells for both ends of a range: `…From` leaves out what is earlier, and `…To` that row itself.
    """
    texts = {value for value in values if isinstance(value, str) and value}
    return max(texts) if len(texts) > 1 else None


def _searches(hook: Any, client: QueryClient) -> bool:
    result = hook(client, {"q": NOBODYS_WORD})
    return result.error is None and not _bodies(result.data) and "q" not in result.data.ignored


def _sorts(hook: Any, client: QueryClient, bodies: Sequence[Mapping[str, Any]]) -> bool | None:
    """Whether both directions differ; None where the rows can't tell."""
    if len({body.get(CREATED_AT_FIELD) for body in bodies}) <= 1:
        return None
    turned = [hook(client, {"sort": sort}) for sort in (SORT_NEWEST_FIRST, SORT_OLDEST_FIRST)]
    if any(result.error is not None for result in turned):
        return False
    first, second = (_bodies(result.data) for result in turned)
    return first != second


def _bodies(rows: PaginatedRes[Any]) -> list[Any]:
    """The rows as the backend gave them."""
    return [row for page in rows.raw_res for row in page[ITEMS_FIELD]]


#: In a path: one row of the list before it.
_ROW: Final = "/{"
_PAGE: Final = "docs/reference/what-we-ask-of-a-backend.md"
#: What says that an optional call is not there, or not for this user (contract, section 7).
_ABSENT: Final = frozenset({400, 403, 404, 405, 410, 501})


def look_at_calls(patient: Patient) -> Iterator[Finding]:
    """`/me`, then each call that reads, then what lists make of their parameters. Nothing is written."""
    if patient.access is None:
        yield ok("calls", "not tried: --token-file gives the access token of a user")
        return
    tokens = TokenStore(TokenPair(access=patient.access))
    client = create_query_client(tokens=tokens, api=api_session(), store=MemoryStore(alias="doctor"))
    try:
        profile = UserQueries.use_get_me_query(client)
    except SignInEndedError:
        profile = None
    if profile is None or isinstance(profile.error, ApiUnauthorizedError):
        yield error(
            "GET /me", "the backend does not accept this token", "take the token of a user who is signed in now"
        )
        return
    if profile.error is not None:
        yield error("GET /me", _in_words(profile.error), f"nobody can use the portal without it: {_PAGE}")
        return
    yield from _look_at_profile(profile.data, patient.access)
    hooks = [hook for hook in declared_hooks() if hook.key != UserQueries.use_get_me_query.key]
    yield from _look_at_reads([hook for hook in hooks if isinstance(hook, DeclaredQuery)], client)
    writes = sorted({f"{hook.method} {hook.path_shape}" for hook in hooks if isinstance(hook, DeclaredMutation)})
    yield ok("calls that write", f"{len(writes)} are declared, and none is tried: {', '.join(writes)}")


def _look_at_profile(profile: Any, access: str) -> Iterator[Finding]:
    platforms = derive_platforms_from_me(profile)
    if not platforms:
        seen = "it permits no platform: permissions should be an array of exact strings such as ENERGY_APP"
        yield warning("GET /me", seen, "send the permissions, or try the token of a user who has some")
    else:
        yield ok("GET /me", f"permits {', '.join(platforms)}")
    if profile.get(PROFILE_ID_FIELD):
        yield ok("owner of cached data", f"the {PROFILE_ID_FIELD} that /me names")
        return
    user = get_user_from_token(access)
    if user is not None and user.subject:
        seen = f"/me names no {PROFILE_ID_FIELD}: it follows from the token's sub, with its iss"
        yield warning("owner of cached data", seen, f"send {PROFILE_ID_FIELD} with /me, unless each person has one sub")
    else:
        seen = f"/me names no {PROFILE_ID_FIELD}, and the token no sub: each sign-in has a cache of its own"
        yield warning("owner of cached data", seen, f"send {PROFILE_ID_FIELD} with /me: a person then has one cache")


def _look_at_reads(hooks: Iterable[DeclaredQuery[Any]], client: QueryClient) -> Iterator[Finding]:
    """Lists first, since their rows give the ids for the other calls."""
    known = sorted(hooks, key=lambda hook: (_ROW in hook.path_shape, not getattr(hook, "is_list", False)))
    lists: dict[str, PaginatedRes[Any]] = {}
    declared: dict[str, Any] = {}
    for hook in known:
        path, is_list = hook.path_shape, getattr(hook, "is_list", False)
        base, _, ending = path.rpartition("/")
        subject, params = f"GET {path}", {}
        if _ROW in path:
            rows = lists.get(path.partition(_ROW)[0])
            if rows is None or not rows.items:
                yield ok(subject, "not tried: no row is known")
                continue
            params = {path.partition("{")[2].partition("}")[0]: rows.items[0].id}
        elif is_list:
            declared[path] = hook
        elif ending in OF_A_LIST and base in declared:
            if base not in lists:
                continue
            params = {OF_A_LIST[ending]: _first_field(declared[base], ending)}
        hooked: Any = hook
        result = hooked(client, params)
        if result.error is not None:
            yield _failed(hook, subject, result.error)
            continue
        yield ok(subject, "is there")
        if is_list and _ROW not in path:
            lists[path] = result.data
            yield from look_at_parameters(hooked, client, result.data)


def _first_field(hook: Any, ending: str) -> str:
    """A field by which the rows of a list can be counted, or whose values can be added up; empty for none."""
    if ending == COUNTS_SEGMENT:
        return next(iter(hook.filters), "")
    fields = field_types(hook.item).items()
    return next((wire for wire, info in fields if {Decimal, float} & {info.type, *get_args(info.type)}), "")


def _failed(hook: Endpoint[Any], subject: str, fault: ApiError) -> Finding:
    seen = _in_words(fault)
    if not hook.is_optional:
        return error(subject, f"{seen}, and it is required", _PAGE)
    if fault.status in _ABSENT:
        return warning(subject, f"absent: {seen}. {hook.without}", f"nothing, if users can do without; else {_PAGE}")
    return warning(subject, f"{seen}. {hook.without}", "ask who runs the backend")


def _in_words(fault: ApiError) -> str:
    return f"answered {fault.status}" if fault.status is not None else f"no usable answer ({type(fault).__name__})"
