"""No page may loop, whatever token, cookies and backend say: every state is tried, across all four apps.

A state is what the browser brings and where it goes; a backend is how the views' calls end. Decisions come from
`decide`, views are modelled as the contract describes them ("The edge and the backend may disagree"), and both are
followed like a browser follows them, cookies included, until a page is there. Where a sign-in ends on the way, the
browser is sent to `/` with its cookies gone, and goes on from there.
"""

import itertools
from collections import defaultdict
from collections.abc import Callable, Iterator
from enum import Enum
from functools import lru_cache
from typing import NamedTuple
from urllib.parse import urlsplit

from portal.config.cookies import VAR_PERMITTED_PLATFORMS
from portal.edge.decisions import Decision, Forward, Redirect, Reject
from portal.edge.paths import split_locale
from portal.edge.request_context import RequestContext
from portal.edge.rules import decide
from portal.edge.site import PathInfo
from portal.identity.token_cache import INVALID, NO_TOKEN, UNVERIFIABLE, TokenCheck, TokenState
from portal.identity.users import dump_platforms_cookie
from tests.portal.edge.four_apps import APP_AT, PLATFORM_SETS, SITES, origin_of, token_check
from tests.support.whole_runs import sample

#: To a page, or to the one where the sign-in turns out to have ended.
MOST_HOPS = 3
#: From `/`, signed out: to the locale, and to the gateway's sign-in page.
HOPS_TO_THE_LOGIN_PAGE = 2
#: From there to `/`, and on.
HOPS_OF_AN_END = 1 + HOPS_TO_THE_LOGIN_PAGE
#: Once: where what one application finds good is dead to another.
HOPS_OF_A_DISAGREEMENT = 1
Edge = Callable[[RequestContext], Decision]

PATHS = (
    *("/", "/en", "/de/", "/login", "/en/login", "/en/login/oidc", "/en/login-history", "/en/profile", "/en/logout"),
    *("/en/signed-out", "/en/essentials", "/energy", "/EN//finance/", "/en/energy", "/en/energy/clients"),
    *("/de/operations", "/tr/finance/invoices", "/en/nothing-here"),
)
ACCESS: tuple[TokenCheck, ...] = (
    NO_TOKEN,
    INVALID,
    UNVERIFIABLE,
    *(token_check(state, platforms) for state in (TokenState.VALID, TokenState.EXPIRED) for platforms in PLATFORM_SETS),
)


class Backend(Enum):
    """How the views' calls to the backend end."""

    AGREES = "/me says what the token says"
    OTHER_PERMISSIONS = "/me says something else, and so do refreshed tokens"
    NOTHING_LEFT = "/me says: no permissions, and so do refreshed tokens"
    REJECTS = "401 on /me; a refresh gives tokens that are rejected too"
    REFRESH_REFUSED = "401 on /me, and the refresh is refused"
    DOWN = "no answer"


class Browser(NamedTuple):
    """What the browser brings, and where it is."""

    app: str
    path: str
    access: TokenCheck
    refreshable: bool
    cookie: tuple[str, ...] | None


#: Ends of a journey: a page with its status.
PAGES = frozenset({"200", "401", "403", "404", "503"})
#: The page that a journey ends at whose sign-in ended on the way.
LOGIN_PAGE = "200, the sign-in page"
END_OF_SIGN_IN = "/"
#: In a short run each seventh state is tried: no dimension has a multiple of seven values, so all of each are met.
STEP = 7


def states():
    for app, path, access, refreshable, cookie in itertools.product(
        SITES, PATHS, ACCESS, (False, True), (None, *PLATFORM_SETS)
    ):
        yield Browser(app, path, access, refreshable, cookie)


def journey(start: Browser, backend: Backend, *, edge: Edge = decide) -> tuple[int, str]:
    """Hops until the end, and the end."""
    at, hops, ended = start, 0, False
    while hops <= MOST_HOPS + HOPS_OF_AN_END:
        arrived = step(at, backend, edge=edge)
        if arrived == END_OF_SIGN_IN:
            at, hops, ended = Browser(at.app, "/", NO_TOKEN, refreshable=False, cookie=None), hops + 1, True
        elif isinstance(arrived, str):
            at_login = ended and (at.app, split_locale(at.path)[1], arrived) == ("gateway", "/login", "200")
            return hops, LOGIN_PAGE if at_login else arrived
        else:
            at, hops = arrived, hops + 1
    return hops, f"loop: {start} with {backend}"


def most_hops(end: str) -> int:
    """How long a journey with this end may be."""
    return MOST_HOPS + (HOPS_OF_AN_END if end == LOGIN_PAGE else 0)


@lru_cache(maxsize=50_000)
def decision_at(at: Browser, edge: Edge) -> Decision:
    """Return what the edge decides: the same whatever the backend says, and for many journeys through this state."""
    cookies = {} if at.cookie is None else {VAR_PERMITTED_PLATFORMS: dump_platforms_cookie(at.cookie)}
    return edge(RequestContext(SITES[at.app], "GET", at.path, at.access, at.refreshable, cookies=cookies))


def step(at: Browser, backend: Backend, *, edge: Edge = decide) -> Browser | str:
    """One request: the browser after a redirect, or how it ends."""
    decision = decision_at(at, edge)
    if decision.ends_sign_in:
        at = at._replace(access=NO_TOKEN, refreshable=False, cookie=None)
    if isinstance(decision, Redirect):
        return follow(at, decision.location)
    if isinstance(decision, Reject):
        return str(decision.status)
    assert isinstance(decision, Forward)
    return view(at, decision, backend)


def follow(at: Browser, location: str) -> Browser:
    origin = origin_of(location)
    return at._replace(app=APP_AT[origin] if origin else at.app, path=urlsplit(location).path)


def view(at: Browser, decision: Forward, backend: Backend) -> Browser | str:
    """A view as the contract describes it.

    It redirects in two cases only: a platform app's sign-in page to the gateway's, and when the refresh is refused.
    """
    rest = split_locale(at.path)[1]
    if rest == "/login" and at.app != "gateway":
        return follow(at, SITES[at.app].logins[decision.user.locale])
    if rest in {"/logout", "/signed-out"} or not decision.user.signed_in:
        return "401" if rest == "/essentials" else "200"
    assert rest != "/login", "a signed-in user does not get here"
    if at.refreshable and backend is Backend.REFRESH_REFUSED:
        return END_OF_SIGN_IN
    failure = {Backend.DOWN: "503", Backend.REJECTS: "401", Backend.REFRESH_REFUSED: "401"}
    return failure.get(backend) or page(rest, profile(decision, backend))


def page(rest: str, platforms: tuple[str, ...]) -> str:
    """What becomes of a page once the profile is known. `/me` never redirects."""
    platform = PathInfo(SITES["gateway"], f"/en{rest}").platform
    if platform is not None and platform.name not in platforms:
        return "403"
    return "404" if rest in {"/nothing-here", "/login-history"} else "200"


def profile(decision: Forward, backend: Backend) -> tuple[str, ...]:
    """The platforms that `/me` gives. A refresh gives a token that says the same."""
    if backend is Backend.NOTHING_LEFT:
        return ()
    said = decision.user.platforms
    if backend is Backend.OTHER_PERMISSIONS:
        return PLATFORM_SETS[(PLATFORM_SETS.index(said) + 3) % len(PLATFORM_SETS)]
    return said


def test_every_state_ends_within_three_hops_or_six_if_its_sign_in_ends_whatever_the_backend_says() -> None:
    count = 0
    hops: dict[str, set[int]] = defaultdict(set)
    for state in sample(states(), step=STEP):
        count += 1
        for backend in Backend:
            length, end = journey(state, backend)
            assert end in PAGES | {LOGIN_PAGE}, end
            assert length <= most_hops(end), (length, state, backend)
            hops[end].add(length)
    assert count >= len(sample(range(15_000), step=STEP))
    assert set(hops) == PAGES | {LOGIN_PAGE}, "every kind of end was among them"
    assert set().union(*(hops[end] for end in PAGES)) == {0, 1, 2, 3}
    assert hops[LOGIN_PAGE] == {3, 4, 5, 6}


def disagreements() -> Iterator[tuple[dict[str, TokenCheck], tuple[bool, ...], tuple[tuple[str, ...] | None, ...]]]:
    """What each application finds of one access token, with the refresh tokens and cookies to try beside it.

    Their clocks differ: what one of them finds expired is still valid at another. Or they know different keys: a token
    that one of them verifies, and another can't verify yet, or finds signed by no key of the set. One that can't be
    verified yet and is all there is of a sign-in is left out: it counts as absent (contract, section 5), until the next
    fetch of the keys has verified it.
    """
    for platforms in PLATFORM_SETS:
        valid, expired = (token_check(state, platforms) for state in (TokenState.VALID, TokenState.EXPIRED))
        for at_gateway, elsewhere in ((valid, expired), (expired, valid)):
            found = {app: at_gateway if app == "gateway" else elsewhere for app in SITES}
            yield found, (False, True), (None, *PLATFORM_SETS)
        for without_key in itertools.chain.from_iterable(itertools.combinations(SITES, size) for size in (1, 2, 3)):
            for unknowing, refreshable in ((UNVERIFIABLE, (True,)), (INVALID, (False, True))):
                yield {app: unknowing if app in without_key else valid for app in SITES}, refreshable, (None,)


def test_applications_that_disagree_about_a_token_send_nobody_to_and_fro() -> None:
    """Whoever finds it dead clears it: that ends it."""
    count = 0
    for found, refreshables, cookies in sample(disagreements(), step=STEP):

        def edge(context: RequestContext, found: dict[str, TokenCheck] = found) -> Decision:
            here = found[APP_AT[context.site.own_origin]]
            return decide(context if context.access is NO_TOKEN else context._replace(access=here))

        for app, path, refreshable, cookie in itertools.product(SITES, PATHS, refreshables, cookies):
            start = Browser(app, path, found["gateway"], refreshable, cookie)
            length, end = journey(start, Backend.AGREES, edge=edge)
            assert length <= most_hops(end) + HOPS_OF_A_DISAGREEMENT, (end, found)
            count += 1
    assert count > len(sample(range(35_000), step=STEP))


def test_the_search_finds_a_loop_where_there_is_one() -> None:
    """The checker can fail: an edge that sends a denied user to the page that was denied is reported."""

    def looping_edge(context: RequestContext) -> Decision:
        decision = decide(context)
        if decision.rule == "4-not-allowed":
            return Redirect("loop", 302, context.path)
        return decision

    start = Browser("energy", "/en/energy", token_check(TokenState.VALID, ()), refreshable=False, cookie=None)
    assert journey(start, Backend.AGREES, edge=looping_edge)[1].startswith("loop")
