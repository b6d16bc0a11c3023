"""How the edge came to a decision, rule by rule: what `explain_route` prints. Pure."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

from portal.edge.evaluation import Situation
from portal.edge.rules import RULES, way_of
from portal.identity.token_cache import TokenState

if TYPE_CHECKING:
    from portal.edge.decisions import Decision
    from portal.edge.request_context import RequestContext

NOT_THIS_PATH = "not this path"
NOT_THIS_REQUEST = "this path, but not this request"
DECIDES = "decides"


class Step(NamedTuple):
    """One rule that was asked, and what it said."""

    rule: str
    says: str
    verdict: str


class Explanation(NamedTuple):
    """The way to a decision.

    :param seen: what the edge made of the request, by name.
    :param steps: the rules in their order, up to the one that decided.
    """

    seen: dict[str, str]
    steps: tuple[Step, ...]
    decision: Decision


def explain(facts: RequestContext) -> Explanation:
    """The decision for these facts, with the way to it: the same rules, asked in the same order."""
    route, concerning = way_of(facts.site, facts.path)
    situation = Situation(facts, route)
    steps: list[Step] = []
    for rule in RULES:
        decision = rule.decide(situation) if rule in concerning else None
        verdict = NOT_THIS_PATH if rule not in concerning else NOT_THIS_REQUEST
        steps.append(Step(rule.name, rule.says, verdict if decision is None else DECIDES))
        if decision is not None:
            return Explanation(_seen(situation), tuple(steps), decision)
    raise AssertionError("the last rule forwards everything")  # pragma: no cover


def _seen(at: Situation) -> dict[str, str]:
    facts, route, who = at.facts, at.route, at.who()
    from_token = who.user is not None and bool(who.user.platforms)
    source = "the token" if from_token else "the cookie"
    return {
        "path": ascii(facts.path)[1:-1],
        "locale": f"{at.locale()}, {'from the path' if route.locale else 'by cookie, Accept-Language, default'}",
        "route": _kind(at),
        "access token": facts.access.state.value + _expiry(facts),
        "refresh token": "present" if facts.refreshable else "absent",
        "signed in": "yes" if who.signed_in else "no",
        "platforms": f"{', '.join(who.platforms)} (from {source})" if who.platforms else "none",
        "primary": who.primary or "none",
        "default home": who.home_url,
        "navigation": "yes" if at.is_navigation() else "no, from htmx" if at.is_htmx() else "no",
    }


def _kind(at: Situation) -> str:
    route = at.route
    if route.platform is not None:
        return f"of the platform {route.platform.name}, {'another app' if route.elsewhere else 'this app'}"
    named = {
        "never gated": route.ungated,
        "the app's root": route.root,
        "public": route.public,
        "private": route.private,
    }
    return next((name for name, applies in named.items() if applies), "neutral")


def _expiry(facts: RequestContext) -> str:
    user = facts.access.user
    if user is None or user.expires_at is None or facts.access.state is TokenState.ABSENT:
        return ""
    return f" (exp {user.expires_at:.0f})"
