"""No redirect target from outside leads out: read as a browser reads it (WHATWG, ada-url), and as Python does."""

from urllib.parse import urlsplit

import ada_url
import pytest
from hypothesis import given
from hypothesis import strategies as st

from portal.edge.redirect_targets import accept_target, with_locale
from tests.portal.edge.hostile_targets import FRAGMENTS, HOSTILE, NO_DESTINATIONS

OWN = "http://localhost:8001"
ORIGINS = frozenset({"http://localhost:8000", OWN, "http://localhost:8002", "http://localhost:8003"})


def accepted(raw: str | None, *, open_pages: bool = False) -> str | None:
    return accept_target(raw, own_origin=OWN, origins=ORIGINS, open_pages=open_pages)


def as_a_browser_reads_it(target: str) -> str | None:
    """The origin where a browser on our own page goes; None where it goes nowhere."""
    try:
        # A lone surrogate becomes U+FFFD on the way into a browser's parser.
        text = target.encode("utf-16", "surrogatepass").decode("utf-16", "replace")
        return ada_url.URL(text, base=f"{OWN}/en/energy").origin
    except ValueError:
        return None


def assert_it_stays(target: str) -> None:
    assert as_a_browser_reads_it(target) in ORIGINS
    parts = urlsplit(target)
    assert f"{parts.scheme}://{parts.netloc}" in ORIGINS or (parts.scheme, parts.netloc) == ("", "")
    assert target.isascii()
    assert target.isprintable()
    assert not set(' \\"<>#`{}|^') & set(target)
    assert parts.path.startswith("/")
    assert not target.startswith("//")


@pytest.mark.parametrize("raw", HOSTILE, ids=ascii)
def test_a_hostile_target_is_refused_or_stays(raw: str) -> None:
    leaves = as_a_browser_reads_it(raw) not in ORIGINS
    for open_pages in (False, True):
        target = accepted(raw, open_pages=open_pages)
        if target is not None:
            assert not leaves, "such a target is no mistake, and is not only made harmless"
            assert_it_stays(target)
            assert_it_stays(with_locale(target, locale="de"))


@pytest.mark.parametrize("raw", NO_DESTINATIONS, ids=lambda raw: ascii(raw)[:60])
def test_what_is_no_destination_is_refused(raw: str) -> None:
    assert accepted(raw) is None


@given(st.lists(st.sampled_from(FRAGMENTS), max_size=9).map("".join) | st.text(max_size=60).map("/{}".format))
def test_any_text_is_refused_or_stays(raw: str) -> None:
    for open_pages in (False, True):
        target = accepted(raw, open_pages=open_pages)
        if target is not None:
            assert_it_stays(target)
            assert as_a_browser_reads_it(raw) in ORIGINS
            assert accepted(target, open_pages=open_pages) == target, "a rebuilt target is accepted as it is"
