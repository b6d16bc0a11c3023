"""The visitor's language: the cookie's choice, then the browser's by weight, then the default."""

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
        ("tr;q=0.5,de;q=0.5", "tr"),
        ("xx, de-CH;q=0.3", "de"),
        # Weight 0 excludes.
        ("de;q=0, tr;q=0.1", "tr"),
        ("de;q=0, de-AT", None),
        ("de-AT;q=0, de", "de"),
        ("en;q=0, *", "de"),
        ("*", "en"),
        # Malformed, unknown, empty.
        *((f"de;q={weight}, tr;q=0.1", "tr") for weight in ("x", "2", "nan", "1e0", "\u0660.\u0669")),
        *((header, None) for header in (None, ",,;,=", "de_AT")),
        ("\ud800, de", "de"),
        # Only the beginning of a huge one is read.
        ("xx," * 20 + "de", "de"),
        ("xx," * 100_000 + "de", None),
    ],
)
def test_the_header_is_read_by_weight_and_a_region_falls_back_to_its_language(header, locale) -> None:
    assert locale_from_header(header) == locale


@pytest.mark.parametrize(
    ("cookie", "header", "locale"),
    [("tr", "de", "tr"), (None, "de", "de"), ("TR", "de", "de"), (None, None, "en"), ("../de", "x" * 100_000, "en")],
)
def test_the_cookie_goes_before_the_header_and_the_default_comes_last(cookie, header, locale) -> None:
    assert negotiate_locale(cookie=cookie, accept_language=header) == locale


@given(st.text() | st.text("dentr-;q=0.15*, \t"), st.text() | st.none())
def test_any_header_gives_a_locale(header, cookie) -> None:
    assert negotiate_locale(cookie=cookie, accept_language=header) in LOCALES
