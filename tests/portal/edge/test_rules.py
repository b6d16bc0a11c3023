"""`decide` is pure and total: whatever comes in, a decision comes out, and it leads nowhere but to our own apps."""

import string
from copy import copy
from itertools import product
from urllib.parse import unquote, urlsplit

import ada_url
from hypothesis import given, settings
from hypothesis import strategies as st

from portal.config.cookies import VAR_PERMITTED_PLATFORMS, VAR_SELECTED_LOCALE
from portal.edge.decisions import Forward, Options, Redirect, Reject
from portal.edge.locale_negotiation import LOCALES
from portal.edge.paths import is_malformed, split_locale
from portal.edge.request_context import RequestContext
from portal.edge.rules import cached_forward, decide
from portal.identity.token_cache import INVALID, NO_TOKEN, UNVERIFIABLE, TokenState
from tests.portal.edge.four_apps import ORIGINS, PLATFORM_SETS, SITES, context_for, token_check
from tests.portal.edge.hostile_targets import FRAGMENTS, HOSTILE
from tests.support.whole_runs import number_of

ANY_TEXT = st.text() | st.lists(st.sampled_from(FRAGMENTS), max_size=8).map("".join)
#: Text with lone surrogates: no server gives it, and nothing may fall over it.
RAW_TEXT = st.text(st.characters(codec=None) | st.characters(categories=["Cs", "Cc"]), max_size=40)
WORDS = (
    "en de TR EN en-US energy operations finance login logout essentials profile login-history static healthz locale"
)
SEGMENTS = st.sampled_from([*WORDS.split(), "", ".", "..", "...", "clients", "é", "%2e%2e", "a b"])
PATHS = st.lists(SEGMENTS, max_size=6).map(lambda segments: "/" + "/".join(segments)) | ANY_TEXT | RAW_TEXT
JUDGED = product((TokenState.VALID, TokenState.EXPIRED), PLATFORM_SETS, (None, "FINANCE"))
ACCESS = st.sampled_from(
    [NO_TOKEN, INVALID, UNVERIFIABLE, *(token_check(state, platforms, role=role) for state, platforms, role in JUDGED)]
)
METHODS = st.sampled_from(["GET", "HEAD", "POST", "PUT", "PATCH", "DELETE", "OPTIONS", "TRACE", "CONNECT"]) | st.text(
    string.ascii_uppercase, max_size=8
)
TEXT = ANY_TEXT | RAW_TEXT
HEADERS = {
    "QUERY_STRING": TEXT,
    "HTTP_ACCEPT_LANGUAGE": TEXT | st.sampled_from(["de", "tr;q=0.1,de"]),
    "HTTP_ACCEPT": TEXT | st.sampled_from(["*/*", "text/html", "application/json"]),
    "HTTP_SEC_FETCH_MODE": st.sampled_from(["navigate", "cors"]) | RAW_TEXT,
    "HTTP_X_REQUESTED_WITH": RAW_TEXT,
    "HTTP_HX_REQUEST": st.just("true") | RAW_TEXT,
    "HTTP_HX_CURRENT_URL": TEXT
    | st.sampled_from([*HOSTILE, "http://localhost:8001/en/energy", "http://localhost:8000/en/profile"]),
    "HTTP_REFERER": TEXT | st.sampled_from([*HOSTILE, "http://localhost:8001/en/energy/clients/new"]),
}
COOKIES = {
    VAR_PERMITTED_PLATFORMS: TEXT | st.sampled_from(["%5B%22ENERGY%22%5D", '["FINANCE"]']),
    VAR_SELECTED_LOCALE: TEXT | st.sampled_from(["de", "tr"]),
}
FACTS = st.builds(
    RequestContext,
    site=st.sampled_from(list(SITES.values())),
    method=METHODS,
    path=PATHS,
    access=ACCESS,
    refreshable=st.booleans(),
    meta=st.fixed_dictionaries({}, optional=HEADERS),
    cookies=st.fixed_dictionaries({}, optional=COOKIES),
)


def places(decision: object) -> list[str]:
    """Where this decision may lead a browser."""
    if isinstance(decision, Redirect):
        return [decision.location]
    if isinstance(decision, Reject) and decision.hx_redirect is not None:
        return [decision.hx_redirect]
    return [decision.user.home_url] if isinstance(decision, Forward) else []


@settings(max_examples=number_of(600))
@given(FACTS)
def test_any_facts_give_one_decision_that_keeps_the_contract(context: RequestContext) -> None:
    decision = decide(context)
    cookie = context.cookies.get(VAR_PERMITTED_PLATFORMS)
    kept = cached_forward(context.site, context.path, context.method, context.access, context.refreshable, cookie)
    assert kept in {None, decision}
    for place in places(decision):
        assert_it_is_ours(place, context)
    match decision:
        case Redirect(rule="1-normal-form", location=location):
            path = ada_url.URL(location, base="http://localhost").pathname
            assert path.split("/")[1] in LOCALES
            assert decide(context._replace(path=unquote(path))).rule != "1-normal-form", "it is followed once"
        case Forward(pathname=str()):
            assert_the_gate_is_theirs(decision, context)
        case _:
            assert isinstance(decision, Forward | Redirect | Reject | Options)


def assert_it_is_ours(place: str, context: RequestContext) -> None:
    assert place.isascii()
    assert place.isprintable()
    assert " " not in place
    assert not place.startswith(("//", "/\\"))
    assert ada_url.URL(place, base=f"{context.site.own_origin}/en").origin in ORIGINS.values(), "as a browser reads it"
    parts = urlsplit(place)
    assert f"{parts.scheme}://{parts.netloc}" in ORIGINS.values() or not (parts.scheme or parts.netloc)


def assert_the_gate_is_theirs(decision: Forward, context: RequestContext) -> None:
    """Said once more, without the table: who is forwarded to a platform's route holds that platform."""
    assert not is_malformed(context.path)
    locale, rest = split_locale(context.path)
    assert (decision.user.locale, "//" in rest) == (locale, False)
    assert decision.pathname.isascii()
    assert decision.pathname.startswith(f"/{locale}")
    first = rest.strip("/").partition("/")[0]
    if first in {"energy", "operations", "finance"}:
        assert decision.user.signed_in
        assert first.upper() in decision.user.platforms
        assert context.site.platform is not None
        assert context.site.platform.app == first
    elif not decision.user.signed_in:
        assert first in {"login", "logout", "signed-out", "essentials"}


def test_next_is_given_up_to_two_thousand_characters_and_not_beyond() -> None:
    origin = "http://localhost:8001"
    fits = "/en/" + "a" * (2000 - len(origin) - len("/en/"))
    assert len(origin + fits) == 2000
    with_next = decide(context_for("energy", f"GET {fits}"))
    assert isinstance(with_next, Redirect)
    assert with_next.location.endswith("a" * 100)
    for beyond in (f"{fits}a", f"{fits[:-20]}?{'q' * 20}"):
        decided = decide(context_for("energy", f"GET {beyond}"))
        assert decided == Redirect("2-private", 302, "http://localhost:8000/en/login")


def test_a_signed_out_visitor_has_no_platforms_whatever_the_cookie_says() -> None:
    context = context_for("gateway", "GET /en/login")._replace(cookies={VAR_PERMITTED_PLATFORMS: '["ENERGY"]'})
    decision = decide(context)
    assert isinstance(decision, Forward)
    assert (decision.user.platforms, decision.user.primary) == ((), None)


def test_a_platform_whose_backend_is_absent_is_nobodys_home() -> None:
    site = copy(SITES["energy"])
    site.absent = frozenset({"ENERGY"})
    home = site.home_url(locale="en", platforms=("ENERGY", "FINANCE"), primary="ENERGY")
    assert home == f"{site.gateway_url}/en/finance"
