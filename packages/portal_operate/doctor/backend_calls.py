"""The backend's calls, as one user meets them: `/me`, the required ones, and what is declared to be offered."""

from collections.abc import Iterator
from typing import Any, Final

from django.core.checks import CheckMessage

from portal.api import TokenPair, TokenStore, api_session, is_named
from portal.config.environment import ALL, CONTRACT_FILE, read_offers_file
from portal.errors import ApiError, ApiUnauthorizedError, SignInEndedError
from portal.identity import derive_platforms_from_me
from portal.query import BackendCaller, DeclaredMutation, Endpoint, optional_names
from portal.services.endpoint_list import declared_hooks
from portal.services.user import UserQueries
from portal_operate.doctor.findings import Patient, error, ok, warning
from portal_operate.doctor.offers import Probe
from portal_operate.suggestions import did_you_mean

_PAGE: Final = "docs/reference/what-we-ask-of-a-backend.md"
_VARIABLE: Final = "APP_BACKEND_OFFERS"


def look_at_calls(patient: Patient) -> Iterator[CheckMessage]:
    """Try `/me`, then each call that reads, then the parameters of lists. Nothing is written."""
    if patient.access is None:
        yield ok("calls", "not tried: --token-file gives the access token of a user")
        return
    caller = caller_with(patient.access)
    try:
        profile = caller.read(UserQueries.use_get_me_query.spec().query.address())
    except (ApiUnauthorizedError, SignInEndedError):
        remedy = "take the token of a user who is signed in now"
        yield error("GET /me", "the backend does not accept this token", remedy)
        return
    except ApiError as fault:
        yield error("GET /me", f"answered {fault.status}", f"nobody can use the portal without it: {_PAGE}")
        return
    if platforms := derive_platforms_from_me(profile):
        yield ok("GET /me", f"permits {', '.join(platforms)}")
    else:
        seen = "it permits no platform: permissions should be an array of exact strings such as ENERGY_APP"
        yield warning("GET /me", seen, "send the permissions, or try the token of a user who has some")
    hooks = [hook for hook in declared_hooks() if hook.key != UserQueries.use_get_me_query.key]
    known = {name for hook in hooks for name in optional_names(hook)}
    # The contract may name what is of a platform that is not here.
    for name in sorted((patient.config.offers or ALL) - known - read_offers_file(CONTRACT_FILE) - ALL):
        hint = did_you_mean(name, known) or f"take it out of {_VARIABLE}"
        yield warning(name, "declared to be offered, and nothing that is declared has this name", hint)
    yield from _compare(caller, hooks)
    writes = sorted({f"{hook.method} {hook.path_shape}" for hook in hooks if isinstance(hook, DeclaredMutation)})
    yield ok("calls that write", f"{len(writes)} are declared, and none is tried: {', '.join(writes)}")


def caller_with(access: str) -> BackendCaller:
    """Return what makes calls with an access token alone."""
    return BackendCaller(api=api_session(), tokens=TokenStore(TokenPair(access=access)))


def _compare(caller: BackendCaller, hooks: list[Endpoint[Any]]) -> Iterator[CheckMessage]:
    """Hold what is declared against what the backend has: each difference by its name."""
    missing: dict[str, str] = {}
    undeclared, untold, agreed = [], [], 0
    for probed in Probe(caller=caller).look(hooks):
        name, hook, is_there, seen = probed
        is_required = not probed.is_optional
        if is_there is None:
            untold.append(name)
        elif is_required and not is_there:
            yield error(f"GET {hook.path_shape}", f"{seen}, and it is required", _PAGE)
        elif is_required or is_there == is_named(name):
            agreed += 1
        elif is_there:
            undeclared.append(name)
        else:
            missing[name] = seen
    for name, seen in missing.items():
        remedy = f"take it out of {_VARIABLE}, or ask who runs the backend"
        yield warning(name, f"declared to be offered: {seen}", remedy)
    if undeclared:
        seen = f"not shown to users, and the backend has it: {', '.join(undeclared)}"
        yield warning("not declared", seen, f"add it to {_VARIABLE}, if users should have it: {_PAGE}")
    yield ok("calls and parameters", f"{agreed} are as declared")
    if untold:
        yield ok("not told", f"by a write that is not tried, or by the rows that are there: {', '.join(untold)}")
