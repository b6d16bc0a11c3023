"""What a request asks for, made safe for the backend."""

import pytest

from portal.web.request import best_first, search_text


@pytest.mark.parametrize(
    ("raw", "text"),
    [(" a  b\t", "a b"), ("a\x00b\x1bc\u202ed", "a b c d"), ("x" * 5000, "x" * 200), ("Özgür ş", "Özgür ş")],
)
def test_what_is_searched_for_is_one_short_line(raw: str, text: str) -> None:
    assert search_text(raw) == text


@pytest.mark.parametrize(
    ("text", "best"),
    [
        ("hansen", ["Hansen", "Åse Hansen", "Johansen AS"]),
        ("oslo st", ["Oslo Stasjon", "Nord-Oslo Storo, Oslo Stasjon 2", "Oslo"]),
        ("isik", ["ışık", "Ada Işık", "Oslo"]),
    ],
)
def test_a_name_that_begins_with_the_text_stands_before_one_with_such_a_word(text: str, best: list[str]) -> None:
    assert best_first([best[2], best[1], best[0]], text) == best
