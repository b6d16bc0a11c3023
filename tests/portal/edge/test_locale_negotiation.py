"""The visitor's language: the cookie's choice, then the browser's by weight, then the default."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from portal.config.locales import LOCALES
from portal.edge.locale_negotiation import locale_from_header, negotiate_locale


@pytest.mark.parametrize(
    ("header", "locale"),
    [
        ("DE", "de"),
        ("de-Latn-AT-1996", "de"),
        ("tr;q=0.5, de;q=0.8", "de"),
        ("tr, de", "tr"),
        ("de;q=0.5,tr;q=0.5", "de"),
        ("xx, de-CH;q=0.3", "de"),
        ("de ; q=0.2 , tr ; q = 0.9", "tr"),
        # Weight 0 excludes.
        ("de;q=0, tr;q=0.1", "tr"),
        ("de;q=0.0, tr;q=0.000, en;q=0.001", "en"),
        ("de;q=0, de-AT", None),
        ("de-AT;q=0, de", "de"),
        ("en;q=0, *", "de"),
        ("*", "en"),
        ("*;q=0", None),
        ("tr;q=0.1, *;q=0.5", "en"),
        # Unknown, malformed, empty.
        (None, None),
        (",,;,=", None),
        ("de;q=x, tr;q=0.1", "tr"),
        ("de;q=2, tr;q=0.1", "tr"),
        ("de;q=nan, tr;q=0.1", "tr"),
        ("de;q=1e0, tr;q=0.1", "tr"),
        ("de;q=\u0660.\u0669, tr;q=0.1", "tr"),
        ("de_AT", None),
        ("\ud800, de", "de"),
    ],
)
def test_the_header_is_read_by_weight_and_a_region_falls_back_to_its_language(header, locale) -> None:
    assert locale_from_header(header) == locale


@pytest.mark.parametrize(
    ("cookie", "header", "locale"),
    [
        ("tr", "de", "tr"),
        (None, "de", "de"),
        ("TR", "de", "de"),
        (None, None, "en"),
        ("../de", "x" * 100_000, "en"),
    ],
)
def test_the_cookie_goes_before_the_header_and_the_default_comes_last(cookie, header, locale) -> None:
    assert negotiate_locale(cookie=cookie, accept_language=header) == locale


def test_only_the_beginning_of_a_huge_header_is_read() -> None:
    assert locale_from_header("xx," * 100_000 + "de") is None
    assert locale_from_header("xx," * 20 + "de") == "de"


@given(st.text() | st.text("dentr-;q=0.15*, \t"), st.text() | st.none())
def test_any_header_gives_a_locale(header, cookie) -> None:
    assert negotiate_locale(cookie=cookie, accept_language=header) in LOCALES
