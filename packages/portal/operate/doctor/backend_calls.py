"""What the backend has of all that pages use: each call that reads is made once, with the token of a user.

The calls go the way of the pages, through the hooks. What they find out is kept for this run alone: neither does an
earlier answer count, nor does a later page see what was tried here.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final

from portal.api import TokenPair, TokenStore, api_session
from portal.config.contract_names import COUNTS_BY_PARAM, COUNTS_SEGMENT, ID_FIELD, PROFILE_ID_FIELD
from portal.errors import ApiUnauthorizedError, SignInEndedError
from portal.identity import derive_platforms_from_me, get_user_from_token
from portal.operate.doctor.findings import error, ok, warning
from portal.operate.doctor.list_parameters import look_at_parameters
from portal.query import DeclaredMutation, DeclaredQuery, create_query_client
from portal.services.endpoint_list import declared_hooks
from portal.services.user import UserQueries
from portal.store import MemoryStore

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from portal.errors import ApiError
    from portal.operate.doctor.findings import Finding, Patient
    from portal.query import Endpoint, PaginatedRes, QueryClient

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
    known = sorted(hooks, key=lambda hook: not getattr(hook, "is_list", False))
    lists: dict[str, PaginatedRes[Any]] = {}
    by: dict[str, str] = {}
    for hook in known:
        path, is_list = hook.path_shape, getattr(hook, "is_list", False)
        base, _, ending = path.rpartition("/")
        subject, params = f"GET {path}", {}
        if is_list:
            by[path] = next(iter(getattr(hook, "filters", ())), "")
        elif ending == f"{{{ID_FIELD}}}":
            rows = lists.get(base)
            if rows is None or not rows.items:
                yield ok(subject, "not tried: no row is known")
                continue
            params = {ID_FIELD: rows.items[0].id}
        elif ending == COUNTS_SEGMENT and base in by:
            if base not in lists:
                continue
            params = {COUNTS_BY_PARAM: by[base]}
        hooked: Any = hook
        result = hooked(client, params)
        if result.error is not None:
            yield _failed(hook, subject, result.error)
            continue
        yield ok(subject, "is there")
        if is_list:
            lists[path] = result.data
            yield from look_at_parameters(hooked, client, result.data)


def _failed(hook: Endpoint[Any], subject: str, fault: ApiError) -> Finding:
    seen = _in_words(fault)
    if not hook.is_optional:
        return error(subject, f"{seen}, and it is required", _PAGE)
    if fault.status in _ABSENT:
        return warning(subject, f"absent: {seen}. {hook.without}", f"nothing, if users can do without; else {_PAGE}")
    return warning(subject, f"{seen}. {hook.without}", "ask who runs the backend")


def _in_words(fault: ApiError) -> str:
    return f"answered {fault.status}" if fault.status is not None else f"no usable answer ({type(fault).__name__})"
