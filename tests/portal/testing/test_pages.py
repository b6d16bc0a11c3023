"""What a page shows, read from its HTML."""

from django.http import HttpResponse, StreamingHttpResponse

from portal.testing import row_ids

PAGE = '<table><tr data-row-id="a&amp;b"><td data-row="x"></tr><li data-row-id=\'c"d\'></li><p data-row-id></table>'


def test_the_ids_of_rows_come_in_order_and_unescaped_also_of_a_page_in_pieces() -> None:
    for response in (HttpResponse(PAGE), StreamingHttpResponse(iter([PAGE[:30].encode(), PAGE[30:].encode()]))):
        assert row_ids(response) == ["a&b", 'c"d', ""]
    assert row_ids(HttpResponse("<p>No clients yet")) == []
