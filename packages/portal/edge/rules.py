"""The edge's one table: `decide(context)` (requirements, "Edge routing decisions"; contract, section 5).

Pure and total: no Django, no network, no clock, and no exception for any input. `RULES` is the table, in its
order; the first rule that gives a decision wins. `explain_route` walks the same rules.
"""

from collections.abc import Callable
from functools import lru_cache
from typing import NamedTuple
from urllib.parse import quote

from portal.config.cookies import VAR_PERMITTED_PLATFORMS
from portal.config.limits import NEXT_MAX_CHARS
from portal.edge.decisions import Decision, Forward, Options, Redirect, Reject
from portal.edge.evaluation import Evaluation
from portal.edge.paths import encode_path, split_locale
from portal.edge.redirect_targets import accept_target
from portal.edge.request_context import RequestContext
from portal.edge.site import PathInfo, Site
from portal.identity import TokenCheck

#: Longer paths and cookies are evaluated each time, so that the caches stay small.
CACHED_CHARS = 256
#: Paths, about 800 bytes each; pages of single records, with an id each, evict one another.
_CACHED_PATHS = 512
#: Decisions, of one user and one path, about 250 bytes each.
_CACHED_DECISIONS = 1024


class Rule(NamedTuple):
    """One row of the table.

    :param name: its number in the contract, and a word for it.
    :param says: the situation in words, for `explain_route`.
    :param matches: whether the rule can apply to a path, for any user, method and header.
    :param decide: the outcome on a path that matches, or None if the rule does not apply to this request.
    """

    name: str
    says: str
    matches: Callable[[PathInfo], bool]
    decide: Callable[[Evaluation], Decision | None]


def decide(context: RequestContext) -> Decision:
    """The decision for one request."""
    path, rules = match_path(context.site, context.path)
    ev = Evaluation(context, path)
    for rule in rules:
        decision = rule.decide(ev)
        if decision is not None:
            return decision
    raise AssertionError("the last rule forwards everything")  # pragma: no cover


@lru_cache(maxsize=_CACHED_DECISIONS)
def cached_forward(  # noqa: PLR0917  by position: keywords would double the time of the look-up
    site: Site, path: str, method: str, access: TokenCheck, refreshable: bool, platforms_cookie: str | None
) -> Decision | None:
    """The decision to forward a page, if it follows from these arguments alone; None: call :func:`decide`.

    Most requests are forwarded, and the same ones are repeated, so these decisions are cached. A caller whose path or
    cookie is longer than `CACHED_CHARS` calls :func:`decide`, so that the cache stays small.
    """
    # A path in its normal form has its own locale, and no rule that forwards reads another header.
    if not match_path(site, path)[0].normal:
        return None
    decision = decide(
        RequestContext(site, method, path, access, refreshable, cookies={VAR_PERMITTED_PLATFORMS: platforms_cookie})
    )
    return decision if isinstance(decision, Forward) else None


# --- row 0 ---


def _malformed(ev: Evaluation) -> Decision:
    return Reject("0-malformed", 400, ev.user())


def _ungated(ev: Evaluation) -> Decision:
    return Forward("0-ungated", ev.user(), None)


def _options(ev: Evaluation) -> Decision | None:
    return Options("0-options") if ev.context.method == "OPTIONS" else None


# --- row 1 ---


def _normal_form(ev: Evaluation) -> Decision:
    segments = [encode_path(segment) for segment in ev.path.rest.split("/") if segment]
    return Redirect(
        "1-normal-form",
        307,
        "/".join(["", ev.locale(), *segments]) + ev.query(),
        varies_by_language=ev.path.locale is None,
        ends_sign_in=ev.ends_sign_in(),
    )


# --- row 2 ---


def _private(ev: Evaluation) -> Decision | None:
    if ev.signed_in:
        return None
    rule, login, ends = "2-private", ev.context.site.logins[ev.locale()], ev.ends_sign_in()
    if not ev.is_navigation():
        site, current = ev.context.site, ev.context.meta.get("HTTP_HX_CURRENT_URL")
        htmx_login = login_url_from(site, locale=ev.locale(), current_url=current) if ev.is_htmx() else None
        return Reject(rule, 401, hx_redirect=htmx_login, ends_sign_in=ends)
    if not ev.reads:
        # Back to the page with the form, which can be filled again.
        back = login_url_from(ev.context.site, locale=ev.locale(), current_url=ev.context.meta.get("HTTP_REFERER"))
        return Redirect(rule, 303, back, ends_sign_in=ends)
    return Redirect(rule, 302, login + _back_to_this_page(ev), ends_sign_in=ends)


def _back_to_this_page(ev: Evaluation) -> str:
    """The query `?next=…` that leads back to this page, or to the list whose file this is.

    Empty on the app's root, and if it would be too long.
    """
    path, query = ev.path, ev.query()
    if path.root or len(ev.context.site.return_origin) + len(path.encoded) + len(query) > NEXT_MAX_CHARS:
        return ""
    # The browser would download the file, and stay on the sign-in page.
    page = path.quoted.removesuffix("%2Fexport")
    return ev.context.site.next_prefix + (page + quote(query, safe="") if query else page)


def login_url_from(site: Site, *, locale: str, current_url: str | None) -> str:
    """The sign-in page, with `current_url` as `next` if that is a page of this app.

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


def _signed_in_already(ev: Evaluation) -> Decision | None:
    return _to_home("3-home", ev) if ev.signed_in and ev.reads else None


def _to_home(rule: str, ev: Evaluation) -> Decision:
    home = ev.user().home_url
    if ev.is_navigation():
        return Redirect(rule, 302, home)
    return Reject(rule, 403, ev.user(), hx_redirect=home if ev.is_htmx() else None)


# --- row 4 ---


def _not_allowed(ev: Evaluation) -> Decision | None:
    platform = ev.path.platform
    if platform is None or platform.name in ev.user().platforms:
        return None
    if ev.reads or not ev.is_navigation():
        decision = _to_home("4-not-allowed", ev)
        return decision._replace(refused=platform.name) if isinstance(decision, Redirect) else decision
    return _reject_with_page("4-not-allowed", ev, 403)


def _elsewhere(ev: Evaluation) -> Decision | None:
    """The rules before have let only a signed-in user pass who may open the platform."""
    site, platform = ev.context.site, ev.path.platform
    if platform is None:
        return None
    rule = "4-to-platform" if site.is_gateway else "4-to-gateway"
    if not ev.is_navigation():
        return Reject(rule, 404, ev.user())
    if not ev.reads:
        return _reject_with_page(rule, ev, 404)
    origin = site.platform_origins[platform.name] if site.is_gateway else site.gateway_url
    return Redirect(rule, 302, origin + ev.path.encoded + ev.query())


def _reject_with_page(rule: str, ev: Evaluation, status: int) -> Decision:
    return Reject(rule, status, ev.user(), ev.path.encoded)


# --- row 5 ---


def _forward(ev: Evaluation) -> Decision:
    return Forward("5-forward", ev.user(), ev.path.encoded, ev.ends_sign_in())


RULES: tuple[Rule, ...] = (
    Rule(
        "0-malformed",
        "backslash, control character, `.` or `..` segment in the path",
        lambda path: path.malformed,
        _malformed,
    ),
    Rule("0-ungated", "a path that is never gated", lambda path: path.ungated, _ungated),
    Rule("0-options", "the method OPTIONS", lambda _: True, _options),
    Rule(
        "1-normal-form",
        "locale missing or in another case, repeated or trailing slashes",
        lambda path: not path.normal,
        _normal_form,
    ),
    Rule("2-private", "signed out, and the route is private", lambda path: path.private, _private),
    Rule(
        "3-home",
        "signed in, and the route is public or the app's root",
        lambda path: path.public or path.root,
        _signed_in_already,
    ),
    Rule(
        "4-not-allowed",
        "signed in, and the platform is not permitted",
        lambda path: path.platform is not None,
        _not_allowed,
    ),
    Rule("4-elsewhere", "another app serves the platform", lambda path: path.elsewhere, _elsewhere),
    Rule("5-forward", "anything else", lambda _: True, _forward),
)

#: The names that decisions carry. The rule `4-elsewhere` names the place that it leads to.
DECIDED_RULES: tuple[str, ...] = (
    *(rule.name for rule in RULES if rule.name != "4-elsewhere"),
    "4-to-platform",
    "4-to-gateway",
)


def match_path(site: Site, path: str) -> tuple[PathInfo, tuple[Rule, ...]]:
    """A path's properties on a site, and the rules that match it, in their order. Short paths are cached."""
    return _cached_match(site, path) if len(path) <= CACHED_CHARS else _match(site, path)


def _match(site: Site, path: str) -> tuple[PathInfo, tuple[Rule, ...]]:
    info = PathInfo(site, path)
    return info, tuple(rule for rule in RULES if rule.matches(info))


_cached_match = lru_cache(maxsize=_CACHED_PATHS)(_match)
