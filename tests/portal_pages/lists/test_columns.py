"""Columns: headings that sort, and what the cells have in common."""

from portal_pages.lists.cells import short_table
from portal_pages.lists.columns import Column, cells_of, headings_of

COLUMNS = {
    "name": Column("Name", sort="name"),
    "cost": Column("<Cost>", sort="-cost", kind="number"),
    "status": Column("Status", kind="corner"),
}


def test_a_second_click_asks_for_the_opposite_order_and_a_third_for_the_lists_own() -> None:
    def found(sort: str, **own: str) -> list[tuple[str, str]]:
        return [(each.sort, each.direction) for each in headings_of(COLUMNS, sort=sort, **own)]

    assert found("") == [("name", ""), ("-cost", ""), ("", "")]
    assert found("name") == [("-name", "ascending"), ("-cost", ""), ("", "")]
    assert found("-cost") == [("name", ""), ("cost", "descending"), ("", "")]
    clicks = ("-createdAt", "-cost", "cost")
    assert [found(sort, default_sort="-createdAt")[1][0] for sort in clicks] == ["-cost", "cost", "-createdAt"]


def test_the_first_cell_names_the_row_the_others_have_a_label_and_a_short_list_is_not_sorted() -> None:
    cells = cells_of(COLUMNS)
    assert cells.name == ' scope="row"'
    assert cells.cost == ' class="number" data-label="&lt;Cost&gt;"'
    assert cells.status == ' class="corner"'
    table = short_table(COLUMNS, None)  # on another page, nothing is sorted
    assert [each.sort for each in table["list"].headings] == ["", "", ""]  # type: ignore[attr-defined]  # a namespace
