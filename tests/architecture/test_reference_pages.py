"""The reference pages that are made from the code are current."""

from __future__ import annotations

import pytest

from portal_dev.reference.pages import GeneratedPart, all_parts, with_part
from tests.support.harness import ROOT

PARTS = all_parts()


@pytest.mark.parametrize("part", PARTS, ids=[part.name for part in PARTS])
def test_a_page_says_what_the_code_says(part: GeneratedPart) -> None:
    page = (ROOT / part.page).read_text()
    assert with_part(page, part) == page, "write it again: ./manage.py update_reference"
