"""What a request asks for, made safe for the backend."""

from __future__ import annotations

import pytest

from portal.web.request import search_text


@pytest.mark.parametrize(
    ("raw", "text"),
    [
        (" a  b\t", "a b"),
        ("a\x00b\x1bc\u202ed", "a b c d"),
        ("x" * 5000, "x" * 200),
        ("Özgür ş", "Özgür ş"),
    ],
)
def test_what_is_searched_for_is_one_short_line(raw: str, text: str) -> None:
    assert search_text(raw) == text
