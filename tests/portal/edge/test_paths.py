"""Paths: homes, locales, and the redirect targets that are taken."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from portal.edge.paths import encode_path, encode_query, is_malformed, on_segments, split_locale
from portal.edge.redirect_targets import accept_target, with_locale

OWN = "http://localhost:8001"
ORIGINS = frozenset({"http://localhost:8000", OWN, "https://finance.example.com"})


def test_the_first_segment_is_a_locale_only_if_it_equals_one() -> None:
    parts = {
        "/en": ("en", ""),
        "/en/": ("en", "/"),
        "/DE/energy": ("de", "/energy"),
        "//tr//x": ("tr", "//x"),
        "/english": (None, "/english"),
        "": (None, ""),
        "en/x": ("en", "/x"),
    }
    assert {path: split_locale(path) for path in parts} == parts


def test_a_letter_that_only_lower_cases_into_a_locale_is_none(monkeypatch) -> None:
    monkeypatch.setattr("portal.edge.paths.LOCALES", {"ko": "한국어"})
    assert split_locale("/KO/x") == ("ko", "/x")
    assert split_locale("/\u212ao/x")[0] is None, "the Kelvin sign is no k"


@pytest.mark.parametrize("path", ["/a\\b", "/\x00", "/a\x7f", "/a\x85", "/..", "/.", "/a/../b", "/a/.", "\ud800"])
def test_a_path_with_what_no_address_has_is_malformed(path) -> None:
    assert is_malformed(path)


@pytest.mark.parametrize("path", ["/", "/a.b", "/...", "/.well-known", "/a..", "/é", "/a\u00a0b", "/%2e%2e", "/🙂"])
def test_dots_in_names_and_letters_of_all_scripts_are_not(path) -> None:
    assert not is_malformed(path)


@pytest.mark.parametrize(
    ("raw", "target"),
    [
        ("/energy/clients?q=a%20b&x", "/energy/clients?q=a%20b&x"),
        ("/en/energy#part", "/en/energy"),
        ("/en//energy///clients/?q=a//b", "/en/energy/clients/?q=a//b"),
        ("/en/energy/é%20", "/en/energy/%C3%A9%20"),
        ("/en/energy?next=//evil.test", "/en/energy?next=//evil.test"),
        ("/en/energy?'\"<>", "/en/energy?'%22%3C%3E"),
        (f"{OWN}/en/energy?x=1", "/en/energy?x=1"),
        ("HTTP://LocalHost:8001/en/energy", "/en/energy"),
        ("http://localhost:8000?x", "http://localhost:8000/?x"),
    ],
)
def test_a_good_target_is_taken_and_rebuilt(raw, target) -> None:
    assert accept_target(raw, own_origin=OWN, origins=ORIGINS) == target


OTHER_ORIGINS = "https://localhost:8001 http://localhost:8009 http://finance.example.com https://finance.example.com."


@pytest.mark.parametrize("raw", [None, "", "en/energy", "/en/ener\tgy", *OTHER_ORIGINS.split()])
def test_an_origin_is_compared_exactly(raw) -> None:
    assert accept_target(raw, own_origin=OWN, origins=ORIGINS) is None


@pytest.mark.parametrize("raw", ["/en/login", "/en/logout", "/en/signed-out", "http://localhost:8000/en/login"])
def test_open_pages_are_taken_only_where_they_may_be(raw) -> None:
    assert accept_target(raw, own_origin=OWN, origins=ORIGINS) is None
    assert accept_target(raw, own_origin=OWN, origins=ORIGINS, open_pages=True) == raw
    assert accept_target("/healthz", own_origin=OWN, origins=ORIGINS, open_pages=True) is None


def test_the_locale_of_a_target_is_replaced_or_put_in() -> None:
    switched = {
        "/en/energy?q=1": "/tr/energy?q=1",
        "/en/": "/tr",
        "/DE/x": "/tr/x",
        "/en/energy?next=http://localhost:8000/en": "/tr/energy?next=http://localhost:8000/en",
        "http://localhost:8000/en/profile": "http://localhost:8000/tr/profile",
    }
    assert {target: with_locale(target, locale="tr") for target in switched} == switched


@given(st.text())
def test_every_text_can_be_encoded_as_a_path_and_a_query(text) -> None:
    assert encode_path(text).isascii()
    query = encode_query(text)
    assert query.isascii()
    assert "#" not in query
    assert encode_query(query) == query, "what is encoded stays as it is"


def test_names_match_on_whole_segments() -> None:
    names = on_segments(("/static", "/favicon.ico"))
    assert all(names.match(path) for path in ("/static", "/static/", "/static/x", "/favicon.ico"))
    assert not any(names.match(path) for path in ("/staticx", "/en/static", "/faviconXico", "/static\n"))
    assert not on_segments(()).match("/")
