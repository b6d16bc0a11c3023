"""The cookie `sign_in_name`: each sign-in of a browser has a name of its own, which scripts read."""

from __future__ import annotations

import re
from typing import Any

import pytest
from django.http import HttpResponse
from django.test import RequestFactory

from portal.api import TokenPair
from portal.config.cookies import SIGN_IN_NAME
from portal.web.cookies import name_sign_in

PAIR = TokenPair(access="a", refresh="r")


def named(known: str | None, *, is_new: bool) -> Any:
    """The cookie that a response sets; None if it sets none."""
    request, response = RequestFactory().get("/"), HttpResponse()
    if known is not None:
        request.COOKIES[SIGN_IN_NAME] = known
    name_sign_in(request, response, PAIR, is_new=is_new)
    return response.cookies.get(SIGN_IN_NAME)


def test_each_sign_in_has_a_name_that_scripts_read_and_keeps_it() -> None:
    cookie = named(None, is_new=True)
    assert re.fullmatch(r"[A-Za-z0-9_-]{12}", cookie.value)
    assert (cookie["httponly"], cookie["samesite"], cookie["path"]) == ("", "Lax", "/")
    assert named(cookie.value, is_new=True).value != cookie.value, "also of the same account"
    assert named(cookie.value, is_new=False).value == cookie.value


@pytest.mark.parametrize("made_up", [None, "", "x", "y" * 500, 'a"b;c'])
def test_a_sign_in_without_a_name_of_ours_gets_none_by_a_refresh(made_up: str | None) -> None:
    assert named(made_up, is_new=False) is None
