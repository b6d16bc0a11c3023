"""The reference pages that are made from the code are current."""

import pytest

from portal_dev.reference.pages import PARTS, current
from tests.support.harness import ROOT


@pytest.mark.parametrize("page", PARTS)
def test_page_says_what_the_code_says(page: str) -> None:
    text = (ROOT / page).read_text()
    assert current(page, text) == text, "write it again: ./manage.py update_reference"
