"""The page with the rules of the edge, and requests on which each of them decides. The rules give the outcomes."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Final, TypeAlias
from urllib.parse import urlsplit

from portal.config.projects import PROJECT_BY_APP, PROJECTS
from portal.edge import EdgeResponses, Forward, Reject, RequestContext, Site, explain, load_routes, make_site
from portal.identity import NO_TOKEN, TokenCheck, TokenState, dump_platforms_cookie, user_from_claims

if TYPE_CHECKING:
    from portal.edge import Decision

PAGE: Final = "docs/reference/edge-table.md"
#: The words on the page, and fields of `RequestContext`.
_Told: TypeAlias = tuple[str, dict[str, Any]]
#: Folder of each project to the origin that it has on the page.
_ORIGINS: Final = {
    project.app: f"https://{'auth' if project.is_gateway else project.app}.example.com" for project in PROJECTS
}
_APPS: Final = {origin: app for app, origin in _ORIGINS.items()}


def _token(state: TokenState, *permissions: str) -> TokenCheck:
    return TokenCheck(state, user_from_claims({"permissions": permissions}))


#: Who sends a request.
_NOBODY: Final[_Told] = ("nobody", {"access": NO_TOKEN})
_ENERGY: Final[_Told] = ("energy", {"access": _token(TokenState.VALID, "ENERGY_APP")})
_BOTH: Final[_Told] = (
    "energy, finance",
    {"access": _token(TokenState.VALID, "ENERGY_APP", "FINANCE_APP")},
)
_NO_PLATFORM: Final[_Told] = ("no platform", {"access": _token(TokenState.VALID)})
_ENDED: Final[_Told] = ("ended token", {"access": _token(TokenState.EXPIRED, "ENERGY_APP")})
_REFRESHABLE: Final[_Told] = (
    "ended token, refresh token",
    {"access": _token(TokenState.EXPIRED, "ENERGY_APP"), "refreshable": True},
)
_BY_COOKIE: Final[_Told] = (
    "refresh token, platforms cookie with energy",
    {"refreshable": True, "platforms_cookie": dump_platforms_cookie(("ENERGY",))},
)

#: What sends it.
_BROWSER: Final[_Told] = ("", {"fetch_mode": "navigate", "accept": "text/html"})
_SCRIPT: Final[_Told] = ("`Sec-Fetch-Mode: cors`", {"fetch_mode": "cors", "accept": "*/*"})
_HTMX: Final[_Told] = ("`HX-Request: true`", {"fetch_mode": "cors", "accept": "*/*", "htmx": "true"})


@dataclass(frozen=True, slots=True)
class Example:
    """One request.

    :param line: method and address.
    :param user: who sends it.
    :param sender: what sends it.
    """

    line: str
    user: _Told = _NOBODY
    sender: _Told = _BROWSER


REQUEST_EXAMPLES: Final = (
    Example(r"GET https://energy.example.com/en/..\energy"),
    Example("GET https://energy.example.com/healthz"),
    Example("OPTIONS https://energy.example.com/en/energy/clients"),
    Example("GET https://auth.example.com/"),
    Example("GET https://energy.example.com/energy/clients?q=ada", _ENERGY),
    Example("GET https://energy.example.com/EN//energy/", _ENERGY),
    Example("GET https://energy.example.com/en/energy/clients?q=ada"),
    Example("GET https://auth.example.com/de/profile"),
    Example("GET https://energy.example.com/en"),
    Example("GET https://energy.example.com/en/energy", _ENDED),
    Example(
        "POST https://energy.example.com/en/energy/clients/new",
        sender=(
            "`Referer` is the page with the form",
            {**_BROWSER[1], "referer": "https://energy.example.com/en/energy/clients/new"},
        ),
    ),
    Example("GET https://energy.example.com/en/energy/clients", sender=_SCRIPT),
    Example(
        "GET https://energy.example.com/en/energy/clients?q=ada",
        sender=(
            "`HX-Request: true`, `HX-Current-URL` is the list",
            {**_HTMX[1], "current_url": "https://energy.example.com/en/energy/clients"},
        ),
    ),
    Example("GET https://auth.example.com/en/login", _ENERGY),
    Example("GET https://auth.example.com/en", _NO_PLATFORM),
    Example("GET https://auth.example.com/en/login", _ENERGY, _HTMX),
    Example("GET https://finance.example.com/en/finance", _ENERGY),
    Example("POST https://finance.example.com/en/finance/invoices/new", _ENERGY),
    Example("GET https://finance.example.com/en/finance", _ENERGY, _SCRIPT),
    Example("GET https://auth.example.com/en/energy/clients?q=ada", _ENERGY),
    Example("POST https://auth.example.com/en/energy", _ENERGY),
    Example("GET https://energy.example.com/en/finance/invoices", _BOTH),
    Example("GET https://energy.example.com/en/energy/clients?q=ada", _ENERGY),
    Example("GET https://energy.example.com/en/energy", _REFRESHABLE),
    Example("GET https://energy.example.com/en/energy", _BY_COOKIE),
    Example("GET https://auth.example.com/en/login"),
)


def markdown() -> str:
    """The rules in their order, then the examples of each."""
    sites = {
        app: make_site(project=PROJECT_BY_APP[app], origins=_ORIGINS, routes=load_routes(app)) for app in PROJECT_BY_APP
    }
    rules: dict[str, str] = {}
    rows: dict[str, list[str]] = {}
    names: dict[str, dict[str, None]] = {}  # in the order of the examples
    for example in REQUEST_EXAMPLES:
        explanation = explain(_context(example, sites))
        rules |= {step.rule: step.says for step in explanation.steps}
        decided = explanation.steps[-1].rule
        names.setdefault(decided, {})[explanation.decision.rule] = None
        rows.setdefault(decided, []).append(_row(example, explanation.decision))
    parts: list[str] = []
    for rule, says in rules.items():
        others = " or ".join(f"`{name}`" for name in names[rule] if name != rule)
        header = f" The header says {others}." if others else ""
        parts += [f"## {rule}\n", f"{says[0].upper()}{says[1:]}.{header}\n", *rows[rule], ""]
    return "\n".join(parts)


def _context(example: Example, sites: dict[str, Site]) -> RequestContext:
    method, _, address = example.line.partition(" ")
    url = urlsplit(address)
    site = sites[_APPS[f"{url.scheme}://{url.netloc}"]]
    return RequestContext(site, method, url.path, url.query)._replace(**example.user[1], **example.sender[1])


def _row(example: Example, decision: Decision) -> str:
    sender = f", {words}" if (words := example.sender[0]) else ""
    return f"- `{example.line}`, {example.user[0]}{sender}: {_outcome(decision)}"


def _outcome(decision: Decision) -> str:
    ends = "; clears the cookies" if decision.ends_sign_in else ""
    if isinstance(decision, Forward):
        if decision.pathname is None:
            return f"the view, without `x-pathname`{ends}"
        return f"the view, `x-pathname: {decision.pathname}`{ends}"
    if isinstance(decision, Reject) and decision.pathname is not None:
        return f"{decision.status}, a page{ends}"
    response = EdgeResponses().respond(decision)
    headers = "".join(
        f", `{name}: {response.headers[name]}`"
        for name in ("Location", "Allow", "HX-Redirect")
        if name in response.headers
    )
    varies = ", `Vary: Accept-Language, Cookie`" if response.headers.get("Vary", "").startswith("Accept-Lang") else ""
    problem = ", problem document" if isinstance(decision, Reject) else ""
    return f"{response.status_code}{problem}{headers}{varies}{ends}"
