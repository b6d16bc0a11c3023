"""A figure beside the one of the period before: in words, with a direction."""

from decimal import Decimal

import pytest

from portal.testing import UseLocale
from portal.web.present import number_text
from portal_pages.figures import compared_tile


def change(value: float | Decimal | None, before: float | Decimal | None) -> tuple[str, str]:
    tile = compared_tile("Sessions", value, before=before, text=number_text)  # type: ignore[type-var]  # either
    assert tile.comparison is not None
    return tile.comparison.direction, tile.comparison.text


@pytest.mark.parametrize(
    ("value", "before", "expected"),
    [
        (112, 100, ("up", "12% more than 100")),
        (88, 100, ("down", "12% less than 100")),
        (Decimal("100.20"), Decimal(100), ("same", "about the same as 100")),
        (1000, 100, ("up", "at least ten times 100")),
        (5, 0, ("none", "no comparison")),
        (5, -5, ("none", "no comparison")),
    ],
)
def test_the_words_say_the_direction_and_the_number_before(
    value: float | Decimal | None, before: float | Decimal | None, expected: tuple[str, str]
) -> None:
    assert change(value, before) == expected


def test_a_share_is_written_as_in_the_language_of_the_page(use_locale: UseLocale) -> None:
    use_locale("de")
    assert change(112, 100) == ("up", "12\N{NO-BREAK SPACE}% mehr als 100")
    use_locale("tr")
    assert change(112, 100) == ("up", "%12 daha fazla (önce: 100)")
