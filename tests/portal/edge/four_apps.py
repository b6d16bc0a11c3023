"""The four applications as the edge sees them, without Django, and short words for what a request brings."""

import importlib
import re
from itertools import chain, combinations
from typing import Any
from urllib.parse import parse_qs, urlsplit

from portal.config.cookies import VAR_PERMITTED_PLATFORMS, VAR_SELECTED_LOCALE
from portal.config.platforms import PLATFORMS
from portal.config.projects import PROJECTS
from portal.edge.decisions import Forward, Options, Redirect, Reject
from portal.edge.request_context import RequestContext
from portal.edge.site import Site
from portal.identity.token_cache import INVALID, NO_TOKEN, UNVERIFIABLE, TokenCheck, TokenState
from portal.identity.users import dump_platforms_cookie, user_from_claims

ORIGINS = {project.app: project.local_url(port_base=8000) for project in PROJECTS}
SHORT_NAMES = {project.app: "gateway" if project.is_gateway else project.app for project in PROJECTS}
SITES = {
    SHORT_NAMES[project.app]: Site(
        project=project,
        origins=ORIGINS,
        routes=importlib.import_module(f"apps.{project.app}.proxy").ROUTES,
    )
    for project in PROJECTS
}
ORIGIN_OF = {SHORT_NAMES[app]: origin for app, origin in ORIGINS.items()}
APP_AT = {origin: name for name, origin in ORIGIN_OF.items()}

#: Every set of platforms that a user may have, in the registry's order.
PLATFORM_SETS = tuple(
    tuple(platform.name for platform in chosen)
    for chosen in chain.from_iterable(combinations(PLATFORMS, size) for size in range(len(PLATFORMS) + 1))
)


def permissions_of(platforms: tuple[str, ...]) -> list[str]:
    return [f"{name}_APP" for name in platforms]


def token_check(state: TokenState, platforms: tuple[str, ...], *, role: str | None = None) -> TokenCheck:
    claims: dict[str, object] = {"sub": "u-1", "permissions": permissions_of(platforms)}
    if role is not None:
        claims["primaryRole"] = role
    return TokenCheck(state, user_from_claims(claims))


def signs(words: str) -> dict[str, Any]:
    """What a request brings, from words such as `token=energy,finance refresh cookie=energy role=finance`."""
    context: dict[str, Any] = {"access": NO_TOKEN, "cookies": {}}
    words_by_name = dict(word.partition("=")[::2] for word in words.split())
    role = words_by_name.pop("role", "").upper() or None
    for name, value in words_by_name.items():
        platforms = tuple(part.upper() for part in value.split(",") if part != "none")
        if name in {"token", "expired"}:
            state = TokenState.VALID if name == "token" else TokenState.EXPIRED
            context["access"] = token_check(state, platforms, role=role)
        elif name == "garbage":
            context["access"] = INVALID
        elif name == "unknown-key":
            context["access"] = UNVERIFIABLE
        elif name == "refresh":
            context["refreshable"] = True
        elif name == "cookie":
            context["cookies"] = {VAR_PERMITTED_PLATFORMS: dump_platforms_cookie(platforms)}
        elif name != "out":
            raise ValueError(f"no such sign: {name}")
    return context


FETCH = {"HTTP_SEC_FETCH_MODE": "cors"}
HEADERS = {"fetch": FETCH, "htmx": FETCH | {"HTTP_HX_REQUEST": "true", "HTTP_ACCEPT": "*/*"}}


def headers(words: str) -> tuple[dict[str, str], dict[str, str]]:
    """Header fields and cookies from words: those above, `on=URL` (HX-Current-URL), `from=URL` (Referer), `asks=…` (Accept-Language), `chose=…`."""
    meta: dict[str, str] = {}
    cookies: dict[str, str] = {}
    for word in words.split():
        name, _, value = word.partition("=")
        if name == "on":
            meta["HTTP_HX_CURRENT_URL"] = unshorten(value)
        elif name == "from":
            meta["HTTP_REFERER"] = unshorten(value)
        elif name == "asks":
            meta["HTTP_ACCEPT_LANGUAGE"] = value
        elif name == "chose":
            cookies[VAR_SELECTED_LOCALE] = value
        else:
            meta |= HEADERS[name]
    return meta, cookies


def context_for(app: str, request: str, brings: str = "out", sends: str = "") -> RequestContext:
    """The facts of `GET /en/x?y` at an app. The path is decoded already, as WSGI gives it."""
    method, _, target = request.partition(" ")
    path, _, query = target.partition("?")
    meta, cookies = headers(sends)
    brought = signs(brings)
    brought["cookies"] |= cookies
    return RequestContext(SITES[app], method, path, meta={"QUERY_STRING": query, **meta}, **brought)


def shorten(address: str) -> str:
    """An address with an app's name in place of its origin, and with `next` decoded: `gateway/en/login ↩ /en/x`."""
    for origin, name in APP_AT.items():
        if address == origin or address.startswith(f"{origin}/"):
            address = name + address.removeprefix(origin)
    before, mark, encoded = address.partition("?next=")
    if not mark:
        return address
    assert re.fullmatch(r"[A-Za-z0-9_.~%-]+", encoded), "next is encoded whole"
    return f"{before} ↩ {shorten(parse_qs('next=' + encoded)['next'][0])}"


def unshorten(address: str) -> str:
    name, slash, rest = address.partition("/")
    return ORIGIN_OF[name] + slash + rest if name in ORIGIN_OF else address


def told(decision: object) -> str:
    """A decision in a table's words."""
    notes = ""
    match decision:
        case Forward(pathname=None):
            words = "not gated"
        case Forward(pathname=pathname):
            words = f"view of {pathname}"
        case Redirect(status=status, location=location, varies_by_language=varies):
            words = f"{status} {shorten(location)}"
            notes = " varies" if varies else ""
        case Reject(status=status, pathname=pathname, hx_redirect=target):
            words = f"{status} {'page' if pathname else 'problem'}"
            notes = f" hx {shorten(target)}" if target else ""
        case Options():
            words = "204"
        case _:
            raise AssertionError(decision)
    return words + notes + (" clears" if decision.ends_sign_in else "")


def origin_of(address: str) -> str | None:
    """The origin of an absolute address; None for a path."""
    parts = urlsplit(address)
    return f"{parts.scheme}://{parts.netloc}" if parts.scheme else None
