"""The reference pages that are made from the code are current, and `update_reference` writes what the tests compare."""

from __future__ import annotations

from pathlib import Path

import pytest

from portal_dev.reference.pages import GeneratedPart, all_parts, main, with_part
from tests.support.harness import ROOT

PARTS = all_parts()


def part(text: str) -> GeneratedPart:
    return GeneratedPart(name="colours", page="docs/reference/colours.md", markdown=lambda: text)


def test_the_command_writes_what_is_not_current_and_nothing_else(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    for part in PARTS:
        (tmp_path / part.page).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / part.page).write_text((ROOT / part.page).read_text())
    (tmp_path / "docs" / "reference" / "endpoints.md").write_text("# Endpoints\n")
    table = tmp_path / "docs" / "reference" / "edge-table.md"
    table.write_text(table.read_text().replace("## 0-options", "## 0-other"))
    assert main(tmp_path) == 0
    assert capsys.readouterr().out.splitlines() == [
        "docs/reference/edge-table.md: edge_table",
        "docs/reference/endpoints.md: endpoints",
    ]
    assert [part.page for part in PARTS if (tmp_path / part.page).read_text() != (ROOT / part.page).read_text()] == []
    assert main(tmp_path) == 0
    assert capsys.readouterr().out == ""


def test_a_page_without_a_place_for_its_part_is_named_and_the_command_fails(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    page = tmp_path / PARTS[0].page
    page.parent.mkdir(parents=True)
    page.write_text("<!-- generated: another -->\n<!-- end -->\n")
    assert main(tmp_path) == 1
    assert capsys.readouterr().err.startswith(f"{PARTS[0].page}: `<!-- generated: {PARTS[0].name} -->`")


def test_two_parts_of_one_page_do_not_touch_each_other() -> None:
    page = "<!-- generated: shapes -->\nround\n<!-- end -->\n\n<!-- generated: colours -->\nred\n<!-- end -->\n"
    assert with_part(page, part("red")) == page
    assert with_part(page, part("blue")) == page.replace("red", "blue")
    assert with_part(None, part("# Colours\n\nred")) == with_part("# Old\n", part("# Colours\n\nred"))


@pytest.mark.parametrize(
    "page",
    [
        "<!-- generated: shapes -->\n<!-- end -->\n",
        "<!-- generated: colours -->\nred\n",
        2 * "<!-- generated: colours -->\nred\n<!-- end -->\n",
    ],
)
def test_a_page_with_comments_that_has_no_place_or_two_for_a_part_is_refused(page: str) -> None:
    with pytest.raises(ValueError, match=r"docs/reference/colours\.md: .* times, not once"):
        with_part(page, part("red"))
