"""How the edge came to a decision, rule by rule: the text of `explain_route`. Pure."""

from typing import NamedTuple

from portal.edge import RULES, Decision, Evaluation, RequestContext, match_path
from portal.identity import TokenState

NOT_THIS_PATH = "not this path"
NOT_THIS_REQUEST = "this path, but not this request"
DECIDES = "decides"


class Step(NamedTuple):
    """One rule, and its result: one of the three texts above."""

    rule: str
    says: str
    result: str


class Explanation(NamedTuple):
    """The way to a decision.

    :param seen: name to value: the parts of the request that the edge reads.
    :param steps: the rules in their order, up to the one that decided.
    """

    seen: dict[str, str]
    steps: tuple[Step, ...]
    decision: Decision


def explain(context: RequestContext) -> Explanation:
    """The decision for a request, with the way to it: the same rules as `decide`, in the same order."""
    path, matching = match_path(context.site, context.path)
    ev = Evaluation(context, path)
    steps: list[Step] = []
    for rule in RULES:
        decision = rule.decide(ev) if rule in matching else None
        result = NOT_THIS_PATH if rule not in matching else NOT_THIS_REQUEST
        steps.append(Step(rule.name, rule.says, result if decision is None else DECIDES))
        if decision is not None:
            return Explanation(_seen(ev), tuple(steps), decision)
    raise AssertionError("the last rule forwards everything")  # pragma: no cover


def _seen(ev: Evaluation) -> dict[str, str]:
    context, user = ev.context, ev.user()
    from_token = user.user is not None and bool(user.user.platforms)
    source = "the token" if from_token else "the cookie"
    return {
        "path": ascii(context.path)[1:-1],
        "locale": f"{ev.locale()}, {'from the path' if ev.path.locale else 'by cookie, Accept-Language, default'}",
        "route": _kind(ev),
        "access token": context.access.state.value + _expiry(context),
        "refresh token": "present" if context.refreshable else "absent",
        "signed in": "yes" if user.signed_in else "no",
        "platforms": f"{', '.join(user.platforms)} (from {source})" if user.platforms else "none",
        "primary": user.primary or "none",
        "default home": user.home_url,
        "navigation": "yes" if ev.is_navigation() else "no, from htmx" if ev.is_htmx() else "no",
    }


def _kind(ev: Evaluation) -> str:
    path = ev.path
    if path.platform is not None:
        return f"of the platform {path.platform.name}, {'another app' if path.elsewhere else 'this app'}"
    named = {
        "never gated": path.ungated,
        "the app's root": path.root,
        "public": path.public,
        "private": path.private,
    }
    return next((name for name, applies in named.items() if applies), "neutral")


def _expiry(context: RequestContext) -> str:
    user = context.access.user
    if user is None or user.expires_at is None or context.access.state is TokenState.ABSENT:
        return ""
    return f" (exp {user.expires_at:.0f})"
