"""The row of sums below a list."""

from portal_pages.lists.columns import Heading
from portal_pages.lists.totals import totals_row


def heading(name: str, kind: str = "") -> Heading:
    return Heading(name=name, label=name.title(), kind=kind, sort="", direction="")


def test_the_label_spans_no_column_that_a_narrow_window_hides() -> None:
    headings = [heading("name"), heading("reference", "extra"), heading("city"), heading("cost", "number")]
    row = totals_row({"cost": ["€5.00"]}, headings, 2)
    assert row is not None
    assert row.span == 2
    assert [(each.name, texts) for each, texts in row.cells] == [("reference", ()), ("cost", ["€5.00"])]
