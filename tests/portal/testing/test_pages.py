"""What a page shows, read from its HTML."""

from __future__ import annotations

from django.http import HttpResponse, StreamingHttpResponse

from portal.testing import row_ids

PAGE = '<table><tr data-row-id="a&amp;b"><td data-row="x"></tr><li data-row-id=\'c"d\'></li><p data-row-id></table>'


def test_the_ids_of_rows_come_in_order_and_unescaped() -> None:
    assert row_ids(HttpResponse(PAGE)) == ["a&b", 'c"d', ""]


def test_a_page_without_rows_has_none() -> None:
    assert row_ids(HttpResponse("<p>No clients yet")) == []


def test_a_page_that_comes_in_pieces_is_read_whole() -> None:
    assert row_ids(StreamingHttpResponse(iter([PAGE[:30].encode(), PAGE[30:].encode()]))) == ["a&b", 'c"d', ""]
