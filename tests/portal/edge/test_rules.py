"""`decide` is pure and total: whatever comes in, a decision comes out, and it leads nowhere but to our own apps."""

from __future__ import annotations

import string
from dataclasses import replace
from urllib.parse import unquote, urlsplit

import ada_url
from hypothesis import given, settings
from hypothesis import strategies as st

from portal.edge.decisions import Forward, Options, Redirect, Reject
from portal.edge.locale_negotiation import LOCALES
from portal.edge.request_context import RequestContext
from portal.edge.routes.paths import is_malformed, split_locale
from portal.edge.rules import RULES, decide
from portal.identity.token_cache import INVALID, NO_TOKEN, UNVERIFIABLE, TokenState
from tests.support.four_apps import ORIGINS, PLATFORM_SETS, SITES, context_for, token_check
from tests.support.hostile_targets import FRAGMENTS, HOSTILE

ANY_TEXT = st.text() | st.lists(st.sampled_from(FRAGMENTS), max_size=8).map("".join)
#: Text with lone surrogates: no server gives it, and nothing may fall over it.
RAW_TEXT = st.text(st.characters(codec=None) | st.characters(categories=["Cs", "Cc"]), max_size=40)
WORDS = (
    "en de TR EN en-US energy operations finance login logout essentials profile login-history static healthz locale"
)
SEGMENTS = st.sampled_from([*WORDS.split(), "", ".", "..", "...", "clients", "é", "%2e%2e", "a b"])
PATHS = st.lists(SEGMENTS, max_size=6).map(lambda segments: "/" + "/".join(segments)) | ANY_TEXT | RAW_TEXT
MAYBE = st.none() | ANY_TEXT | RAW_TEXT
ACCESS = st.sampled_from(
    [NO_TOKEN, INVALID, UNVERIFIABLE]
    + [
        token_check(state, platforms, role=role)
        for state in (TokenState.VALID, TokenState.EXPIRED)
        for platforms in PLATFORM_SETS
        for role in (None, "FINANCE")
    ]
)
METHODS = st.sampled_from(["GET", "HEAD", "POST", "PUT", "PATCH", "DELETE", "OPTIONS", "TRACE", "CONNECT"]) | st.text(
    string.ascii_uppercase, max_size=8
)
FACTS = st.builds(
    RequestContext,
    site=st.sampled_from(list(SITES.values())),
    method=METHODS,
    path=PATHS,
    query=st.just("") | ANY_TEXT | RAW_TEXT,
    access=ACCESS,
    refreshable=st.booleans(),
    platforms_cookie=MAYBE | st.sampled_from(["%5B%22ENERGY%22%5D", '["FINANCE"]']),
    locale_cookie=MAYBE | st.sampled_from(["de", "tr"]),
    accept_language=MAYBE | st.sampled_from(["de", "tr;q=0.1,de"]),
    accept=MAYBE | st.sampled_from(["*/*", "text/html", "application/json"]),
    fetch_mode=st.none() | st.sampled_from(["navigate", "cors"]) | RAW_TEXT,
    requested_with=st.none() | RAW_TEXT,
    htmx=st.none() | st.just("true") | RAW_TEXT,
    current_url=MAYBE
    | st.sampled_from([*HOSTILE, "http://localhost:8001/en/energy", "http://localhost:8000/en/profile"]),
    referer=MAYBE | st.sampled_from([*HOSTILE, "http://localhost:8001/en/energy/clients/new"]),
)


def places(decision: object) -> list[str]:
    """Where this decision may lead a browser."""
    if isinstance(decision, Redirect):
        return [decision.location]
    if isinstance(decision, Reject) and decision.hx_redirect is not None:
        return [decision.hx_redirect]
    return [decision.user.home_url] if isinstance(decision, Forward) else []


@settings(max_examples=400)
@given(FACTS)
def test_any_facts_give_a_decision_that_leads_to_our_own_apps_only(context: RequestContext) -> None:
    decision = decide(context)
    assert isinstance(decision, Forward | Redirect | Reject | Options)
    for place in places(decision):
        assert place.isascii()
        assert place.isprintable()
        assert " " not in place
        assert not place.startswith(("//", "/\\"))
        read_by_a_browser = ada_url.URL(place, base=f"{context.site.own_origin}/en")
        assert read_by_a_browser.origin in ORIGINS.values()
        parts = urlsplit(place)
        assert f"{parts.scheme}://{parts.netloc}" in ORIGINS.values() or not (parts.scheme or parts.netloc)


@settings(max_examples=400)
@given(FACTS)
def test_a_redirect_to_the_normal_form_is_followed_once(context: RequestContext) -> None:
    decision = decide(context)
    if decision.rule == "1-normal-form":
        assert isinstance(decision, Redirect)
        path = ada_url.URL(decision.location, base="http://localhost").pathname
        assert path.split("/")[1] in LOCALES
        assert decide(context._replace(path=unquote(path))).rule != "1-normal-form"


@settings(max_examples=400)
@given(FACTS)
def test_what_is_forwarded_was_in_normal_form_and_says_so(context: RequestContext) -> None:
    decision = decide(context)
    if isinstance(decision, Forward) and decision.pathname is not None:
        assert not is_malformed(context.path)
        locale, rest = split_locale(context.path)
        assert decision.user.locale == locale
        assert "//" not in rest
        assert decision.pathname.isascii()
        assert decision.pathname.startswith(f"/{locale}")


@settings(max_examples=400)
@given(FACTS)
def test_nobody_passes_a_gate_that_is_not_theirs(context: RequestContext) -> None:
    """Said once more, without the table: who is forwarded to a platform's route holds that platform."""
    decision = decide(context)
    if isinstance(decision, Forward) and decision.pathname is not None:
        first = split_locale(context.path)[1].strip("/").partition("/")[0]
        if first in {"energy", "operations", "finance"}:
            assert decision.user.signed_in
            assert first.upper() in decision.user.platforms
            assert context.site.platform is not None
            assert context.site.platform.app == first
        elif not decision.user.signed_in:
            assert first in {"login", "logout", "signed-out", "essentials"}


@given(FACTS)
def test_the_same_facts_give_the_same_decision(context: RequestContext) -> None:
    assert decide(context) == decide(context)


def test_huge_values_are_decided_like_small_ones() -> None:
    huge = "x" * 1_000_000
    context = context_for("energy", "GET /en/energy")._replace(
        path=f"/en/{huge}",
        query=huge,
        platforms_cookie=huge,
        locale_cookie=huge,
        accept_language=huge,
        accept=huge,
        fetch_mode="navigate",
        current_url=huge,
    )
    assert decide(context) == Reject("2-private", 401)
    assert decide(context._replace(accept=None)) == Redirect("2-private", 302, "http://localhost:8000/en/login")


def test_next_is_given_up_to_two_thousand_characters_and_not_beyond() -> None:
    origin = "http://localhost:8001"
    fits = "/en/" + "a" * (2000 - len(origin) - len("/en/"))
    assert len(origin + fits) == 2000
    with_next = decide(context_for("energy", f"GET {fits}"))
    assert isinstance(with_next, Redirect)
    assert with_next.location.endswith("a" * 100)
    assert decide(context_for("energy", f"GET {fits}a")) == Redirect("2-private", 302, "http://localhost:8000/en/login")


def test_the_rules_are_named_and_ordered_like_the_contracts_rows() -> None:
    rows = [int(rule.name.partition("-")[0]) for rule in RULES]
    assert rows == sorted(rows)
    assert set(rows) == {0, 1, 2, 3, 4, 5}


def test_trace_is_decided_like_any_other_method() -> None:
    assert decide(context_for("energy", "TRACE /en/energy")).rule == "2-private"


def test_a_signed_out_visitor_has_no_platforms_whatever_the_cookie_says() -> None:
    context = context_for("gateway", "GET /en/login")._replace(platforms_cookie='["ENERGY"]')
    decision = decide(context)
    assert isinstance(decision, Forward)
    assert (decision.user.platforms, decision.user.primary) == ((), None)


def test_a_platform_whose_backend_is_absent_is_nobodys_home() -> None:
    site = replace(SITES["energy"], absent=frozenset({"ENERGY"}))
    home = site.home_url(locale="en", platforms=("ENERGY", "FINANCE"), primary="ENERGY")
    assert home == f"{site.gateway_url}/en/finance"
