"""A figure beside the one of the period before: in words, with a direction."""

from __future__ import annotations

from decimal import Decimal

import pytest

from portal.testing import UseLocale
from portal.web.present import compared_tile, number_text


def change(value: float | Decimal | None, before: float | Decimal | None) -> tuple[str, str]:
    tile = compared_tile("Sessions", value, before=before, text=number_text)  # type: ignore[type-var]  # either
    assert tile.comparison is not None
    return tile.comparison.direction, tile.comparison.text


@pytest.mark.parametrize(
    ("value", "before", "expected"),
    [
        (112, 100, ("up", "12% more")),
        (88, 100, ("down", "12% less")),
        (0, 100, ("down", "100% less")),
        (Decimal("100.20"), Decimal(100), ("same", "unchanged")),
        (999, 100, ("up", "899% more")),
        (1000, 100, ("up", "more than tenfold")),
        (5, 0, ("none", "no comparison")),
        (5, None, ("none", "no comparison")),
        (None, 5, ("none", "no comparison")),
        (5, -5, ("none", "no comparison")),
    ],
)
def test_the_words_say_the_direction_too(
    value: float | Decimal | None, before: float | Decimal | None, expected: tuple[str, str]
) -> None:
    assert change(value, before) == expected


def test_a_share_is_written_as_in_the_language_of_the_page(use_locale: UseLocale) -> None:
    use_locale("de")
    assert change(112, 100) == ("up", "12\N{NO-BREAK SPACE}% mehr")
    use_locale("tr")
    assert change(112, 100) == ("up", "%12 daha fazla")
