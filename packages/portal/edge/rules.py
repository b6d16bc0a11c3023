"""The edge's one table: `decide(facts)` (requirements, "Edge routing decisions"; contract, section 5).

Pure and total: no Django, no network, no clock, and no exception for any input. `RULES` is the table, in its
order; the first rule that gives a decision wins. `explain_route` walks the same rules.
"""

from __future__ import annotations

from functools import lru_cache
from typing import TYPE_CHECKING, NamedTuple
from urllib.parse import quote

from portal.config.limits import NEXT_MAX_CHARS
from portal.edge.decisions import Decision, Forward, Options, Redirect, Reject
from portal.edge.evaluation import Situation
from portal.edge.request_context import RequestContext
from portal.edge.routes.path_info import Route, read_route
from portal.edge.routes.paths import accept_target, encode_path, split_locale

if TYPE_CHECKING:
    from collections.abc import Callable

    from portal.edge.routes.site import Site
    from portal.identity.token_cache import TokenCheck

_KEPT_CHARS = 256
_KEPT_PATHS = 4096


class Rule(NamedTuple):
    """One row of the table.

    :param name: its number in the contract, and a word for it.
    :param says: the situation that it is for.
    :param concerns: whether it can apply to a path at all, whoever asks and however.
    :param decide: its outcome on such a path, or None where it does not apply.
    """

    name: str
    says: str
    concerns: Callable[[Route], bool]
    decide: Callable[[Situation], Decision | None]


def decide(facts: RequestContext) -> Decision:
    """What is to be done with this request."""
    route, rules = way_of(facts.site, facts.path)
    situation = Situation(facts, route)
    for rule in rules:
        decision = rule.decide(situation)
        if decision is not None:
            return decision
    raise AssertionError("the last rule forwards everything")  # pragma: no cover


def forwarded(  # noqa: PLR0917  the key of what is kept: by position in half the time
    site: Site, path: str, method: str, access: TokenCheck, refreshable: bool, platforms_cookie: str | None
) -> Decision | None:
    """The decision to forward a page, where it follows from these facts alone; else None: :func:`decide` then.

    Most requests are of this kind, and the same ones come again and again, so it is kept, bounded.
    """
    if len(path) > _KEPT_CHARS or len(platforms_cookie or "") > _KEPT_CHARS:
        return None
    return _kept_forward(site, path, method, access, refreshable, platforms_cookie)


def _read_forward(  # noqa: PLR0917  likewise
    site: Site, path: str, method: str, access: TokenCheck, refreshable: bool, platforms_cookie: str | None
) -> Decision | None:
    # On a path in its normal form the locale is the path's own, and no rule that lets a request pass asks for more.
    if not way_of(site, path)[0].normal:
        return None
    decision = decide(
        RequestContext(site, method, path, access=access, refreshable=refreshable, platforms_cookie=platforms_cookie)
    )
    return decision if isinstance(decision, Forward) else None


_kept_forward = lru_cache(maxsize=_KEPT_PATHS)(_read_forward)


# --- row 0 ---


def _malformed(at: Situation) -> Decision:
    return Reject("0-malformed", 400, at.who())


def _ungated(at: Situation) -> Decision:
    return Forward("0-ungated", at.who(), None)


def _options(at: Situation) -> Decision | None:
    return Options("0-options") if at.facts.method == "OPTIONS" else None


# --- row 1 ---


def _normal_form(at: Situation) -> Decision:
    segments = [encode_path(segment) for segment in at.route.rest.split("/") if segment]
    return Redirect(
        "1-normal-form",
        307,
        "/".join(["", at.locale(), *segments]) + at.query(),
        varies_by_language=at.route.locale is None,
        ends_sign_in=at.ends_sign_in(),
    )


# --- row 2 ---


def _private(at: Situation) -> Decision | None:
    if at.signed_in:
        return None
    rule, login, ends = "2-private", at.facts.site.logins[at.locale()], at.ends_sign_in()
    if not at.is_navigation():
        site, current = at.facts.site, at.facts.current_url
        htmx_login = login_url_from(site, locale=at.locale(), current_url=current) if at.is_htmx() else None
        return Reject(rule, 401, hx_redirect=htmx_login, ends_sign_in=ends)
    if not at.reads:
        # Back to the page with the form, which can be filled again.
        back = login_url_from(at.facts.site, locale=at.locale(), current_url=at.facts.referer)
        return Redirect(rule, 303, back, ends_sign_in=ends)
    return Redirect(rule, 302, login + _back_to_this_page(at), ends_sign_in=ends)


def _back_to_this_page(at: Situation) -> str:
    """The sign-in page's query that leads back here; empty where none is due."""
    route, query = at.route, at.query()
    if route.root or len(at.facts.site.return_origin) + len(route.encoded) + len(query) > NEXT_MAX_CHARS:
        return ""
    return at.facts.site.next_prefix + (route.quoted + quote(query, safe="") if query else route.quoted)


def login_url_from(site: Site, *, locale: str, current_url: str | None) -> str:
    """The sign-in page for what a page asked or sent, with that page as `next` if it is this app's own.

    :param current_url: `HX-Current-URL`, or `Referer`.
    """
    login = site.logins[locale]
    target = accept_target(current_url, own_origin=site.own_origin, origins=())
    if target is None or split_locale(target.partition("?")[0])[1] in {"", "/"}:
        return login
    if len(site.return_origin) + len(target) > NEXT_MAX_CHARS:
        return login
    return login + site.next_prefix + quote(target, safe="")


# --- row 3 ---


def _signed_in_already(at: Situation) -> Decision | None:
    return _to_home("3-home", at) if at.signed_in and at.reads else None


def _to_home(rule: str, at: Situation) -> Decision:
    home = at.who().home_url
    if at.is_navigation():
        return Redirect(rule, 302, home)
    return Reject(rule, 403, at.who(), hx_redirect=home if at.is_htmx() else None)


# --- row 4 ---


def _not_allowed(at: Situation) -> Decision | None:
    platform = at.route.platform
    if platform is None or platform.name in at.who().platforms:
        return None
    if at.reads or not at.is_navigation():
        return _to_home("4-not-allowed", at)
    return _refused_page("4-not-allowed", at, 403)


def _elsewhere(at: Situation) -> Decision | None:
    """Whoever gets here is signed in and may open the platform: the rules before have seen to that."""
    site, platform = at.facts.site, at.route.platform
    if platform is None:
        return None
    rule = "4-hand-over" if site.is_gateway else "4-to-gateway"
    if not at.is_navigation():
        return Reject(rule, 404, at.who())
    if not at.reads:
        return _refused_page(rule, at, 404)
    origin = site.platform_origins[platform.name] if site.is_gateway else site.gateway_url
    return Redirect(rule, 302, origin + at.route.encoded + at.query())


def _refused_page(rule: str, at: Situation, status: int) -> Decision:
    return Reject(rule, status, at.who(), at.route.encoded)


# --- row 5 ---


def _forward(at: Situation) -> Decision:
    return Forward("5-forward", at.who(), at.route.encoded, at.ends_sign_in())


def _any_path(_: Route) -> bool:
    return True


RULES: tuple[Rule, ...] = (
    Rule(
        "0-malformed",
        "backslash, control character, `.` or `..` segment in the path",
        lambda route: route.malformed,
        _malformed,
    ),
    Rule("0-ungated", "a path that is never gated", lambda route: route.ungated, _ungated),
    Rule("0-options", "the method OPTIONS", _any_path, _options),
    Rule(
        "1-normal-form",
        "locale missing or in another case, repeated or trailing slashes",
        lambda route: not route.normal,
        _normal_form,
    ),
    Rule("2-private", "signed out, and the route is private", lambda route: route.private, _private),
    Rule(
        "3-home",
        "signed in, and the route is public or the app's root",
        lambda route: route.public or route.root,
        _signed_in_already,
    ),
    Rule(
        "4-not-allowed",
        "signed in, and the platform is not permitted",
        lambda route: route.platform is not None,
        _not_allowed,
    ),
    Rule("4-elsewhere", "another app serves the platform", lambda route: route.elsewhere, _elsewhere),
    Rule("5-forward", "anything else", _any_path, _forward),
)


def way_of(site: Site, path: str) -> tuple[Route, tuple[Rule, ...]]:
    """A path's route, and the rules that concern it, in their order.

    It follows from the path alone, and the same paths come again and again, so it is kept, bounded. Long paths are
    read anew each time, so that what is kept stays small.
    """
    return _kept_way(site, path) if len(path) <= _KEPT_CHARS else _read_way(site, path)


def _read_way(site: Site, path: str) -> tuple[Route, tuple[Rule, ...]]:
    route = read_route(site, path)
    return route, tuple(rule for rule in RULES if rule.concerns(route))


_kept_way = lru_cache(maxsize=_KEPT_PATHS)(_read_way)
