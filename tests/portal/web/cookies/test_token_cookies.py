"""The cookies of a sign-in, attribute by attribute (contract, section 4)."""

import dataclasses
import re
import time
from typing import Any

import pytest
from django.http import HttpRequest, HttpResponse
from django.test import RequestFactory

from portal.api.tokens import TokenPair, TokenStore
from portal.config.cookies import (
    SIGN_IN_COOKIES,
    SIGN_IN_NAME,
    VAR_ACCESS_TOKEN,
    VAR_PERMITTED_PLATFORMS,
    VAR_REFRESH_TOKEN,
    VAR_SELECTED_LOCALE,
)
from portal.config.current import portal_config
from portal.web.cookies import (
    clear_sign_in,
    follow_new_tokens,
    name_sign_in,
    read_tokens,
    remove_duplicates,
    write_tokens,
)
from tests.support.refresh_world import jwt

PAIR = TokenPair(access="an-access-token", refresh="a-refresh-token")


def config(*, domain: str = "", https: bool = False):
    origins = {"auth_app": f"http{'s' if https else ''}://auth.portal.test"}
    return dataclasses.replace(portal_config(), cookie_domain=domain, origins=origins)


def lines(response: HttpResponse, name: str) -> list[str]:
    """The Set-Cookie headers for one name, as a server writes them."""
    return [morsel.OutputString() for morsel in response.cookies.values() if morsel.key == name]


def attributes(line: str) -> dict[str, str]:
    first, *rest = line.split("; ")
    pairs = [part.partition("=") for part in rest]
    return {"value": first.partition("=")[2], **{name.lower(): value for name, _, value in pairs}}


def request_with(platforms_cookie: str | None, *, me_platforms: tuple[str, ...] | None = None) -> HttpRequest:
    request = RequestFactory().get("/")
    request.me_platforms = me_platforms
    request.token_store = TokenStore(TokenPair(refresh="spent"))
    request.token_store.rotate(PAIR, replaced="spent")
    if platforms_cookie is not None:
        request.COOKIES[VAR_PERMITTED_PLATFORMS] = platforms_cookie
    return request


# --- reading ---


@pytest.mark.parametrize(
    ("header", "pair"),
    [
        (f"{VAR_ACCESS_TOKEN}=a; {VAR_REFRESH_TOKEN}=first; x=y; {VAR_REFRESH_TOKEN}=last", ("a", "last")),
        (f"{VAR_ACCESS_TOKEN}=; {VAR_REFRESH_TOKEN}=", (None, None)),
        ("", (None, None)),
    ],
)
def test_the_pair_is_read_from_the_two_cookies_of_which_the_last_of_a_name_counts(header, pair):
    request = RequestFactory().get("/", headers={"cookie": header})
    assert read_tokens(request.COOKIES) == TokenPair(access=pair[0], refresh=pair[1])


@pytest.mark.parametrize("access", ["токен", "a\r\nX-Admin: 1", "\ud800"])
def test_an_access_token_that_no_header_could_carry_counts_as_absent(access):
    assert read_tokens({VAR_ACCESS_TOKEN: access, VAR_REFRESH_TOKEN: "r"}) == TokenPair(refresh="r")


# --- writing ---


@pytest.mark.parametrize(
    ("domain", "https", "expected"),
    [("", False, {}), ("", True, {"secure": ""}), ("portal.test", True, {"secure": "", "domain": "portal.test"})],
)
def test_token_cookies_are_http_only_lax_and_on_the_shared_domain(domain, https, expected, settings):
    response = HttpResponse()
    settings.PORTAL = config(domain=domain, https=https)
    write_tokens(response, PAIR)
    for name, token in ((VAR_ACCESS_TOKEN, PAIR.access), (VAR_REFRESH_TOKEN, PAIR.refresh)):
        (line,) = lines(response, name)
        found = attributes(line)
        assert found.pop("value") == token
        assert found.pop("max-age") == str(30 * 24 * 3600)
        found.pop("expires")
        assert found == {"path": "/", "samesite": "Lax", "httponly": "", **expected}


@pytest.mark.parametrize(
    ("brought", "me_platforms", "written"),
    [
        ("%5B%22ENERGY%22%5D", None, ["%5B%22ENERGY%22%5D"]),
        ("%5B%22ENERGY%22%5D", ("FINANCE",), ["%5B%22FINANCE%22%5D"]),
        # A refresh without a profile gives none to a browser without one.
        (None, None, []),
    ],
)
def test_the_platforms_cookie_is_renewed_with_them_and_readable_by_scripts(brought, me_platforms, written):
    response = HttpResponse()
    follow_new_tokens(request_with(brought, me_platforms=me_platforms), response, PAIR)
    found = [attributes(line) for line in lines(response, VAR_PERMITTED_PLATFORMS)]
    assert [each["value"] for each in found] == written
    assert all(("httponly" in each, each["max-age"]) == (False, str(30 * 24 * 3600)) for each in found)


def test_all_have_the_lifetime_of_the_refresh_token():
    response = HttpResponse()
    pair = TokenPair(access="a", refresh=jwt(exp=time.time() + 1000))
    write_tokens(response, pair)
    follow_new_tokens(request_with("%5B%22ENERGY%22%5D"), response, pair)
    name_sign_in(request_with(None), response, pair, is_new=True)
    assert {attributes(lines(response, name)[0])["max-age"] for name in SIGN_IN_COOKIES} <= {"999", "1000"}


@pytest.mark.parametrize("token", ['with space and quote"', "comma,semicolon;", "back\\slash", "ünïcödé"])
def test_any_token_survives_the_way_through_a_cookie(token):
    response = HttpResponse()
    write_tokens(response, TokenPair(access=token, refresh="r"))
    header = lines(response, VAR_ACCESS_TOKEN)[0].split("; ")[0]
    request = RequestFactory().get("/", headers={"cookie": header})
    assert read_tokens(request.COOKIES).access == token
    # A pair without a refresh token removes the old one.
    write_tokens(response, TokenPair(access=token))
    assert attributes(lines(response, VAR_REFRESH_TOKEN)[0])["max-age"] == "0"


# --- removing ---


@pytest.mark.parametrize(("domain", "domains"), [("", [None]), ("portal.test", ["portal.test", None])])
def test_clearing_removes_the_cookies_of_both_scopes_and_never_the_locale(domain, domains, settings):
    response = HttpResponse()
    settings.PORTAL = config(domain=domain, https=True)
    clear_sign_in(response)
    assert {morsel.key for morsel in response.cookies.values()} == set(SIGN_IN_COOKIES)
    for name in SIGN_IN_COOKIES:
        found = [attributes(line) for line in lines(response, name)]
        assert [each.get("domain") for each in found] == domains
        assert all(each["max-age"] == "0" and each["path"] == "/" for each in found)
        assert not domain or all("secure" in each for each in found)


@pytest.mark.parametrize("name", [*SIGN_IN_COOKIES, VAR_SELECTED_LOCALE])
def test_a_name_that_came_twice_has_its_host_only_twin_removed(name, settings):
    request = RequestFactory().get("/", headers={"cookie": f"{name}=a; other=1; {name}=b"})
    response, alone = HttpResponse(), HttpResponse()
    settings.PORTAL = config(domain="portal.test")
    write_tokens(response, PAIR)
    remove_duplicates(request, response)
    *kept, twin = (attributes(line) for line in lines(response, name))
    assert (twin["max-age"], "domain" in twin) == ("0", False)
    assert [each["domain"] for each in kept] == ["portal.test"] * (name in {VAR_ACCESS_TOKEN, VAR_REFRESH_TOKEN})
    settings.PORTAL = config()
    remove_duplicates(request, alone)
    assert not alone.cookies, "without a shared domain the host-only cookie is ours"


# --- the name of a sign-in ---


def named(known: str | None, *, is_new: bool) -> Any:
    """The cookie that a response sets; None if it sets none."""
    request, response = RequestFactory().get("/"), HttpResponse()
    if known is not None:
        request.COOKIES[SIGN_IN_NAME] = known
    name_sign_in(request, response, PAIR, is_new=is_new)
    return response.cookies.get(SIGN_IN_NAME)


def test_sign_in_keeps_a_name_that_scripts_read() -> None:
    cookie = named(None, is_new=True)
    assert re.fullmatch(r"[A-Za-z0-9_-]{12}", cookie.value)
    assert (cookie["httponly"], cookie["samesite"], cookie["path"]) == ("", "Lax", "/")
    assert named(cookie.value, is_new=True).value != cookie.value, "also of the same account"
    assert named(cookie.value, is_new=False).value == cookie.value


@pytest.mark.parametrize("made_up", [None, "", "x", "y" * 500, 'a"b;c'])
def test_refresh_gives_a_nameless_sign_in_no_name(made_up: str | None) -> None:
    assert named(made_up, is_new=False) is None
