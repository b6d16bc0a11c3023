"""What a page shows, read from its HTML."""

from html.parser import HTMLParser

from django.http.response import HttpResponseBase

ROW_ATTRIBUTE = "data-row-id"


class _Rows(HTMLParser):
    def __init__(self) -> None:
        super().__init__()
        self.ids: list[str] = []

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        del tag
        self.ids += [value or "" for name, value in attrs if name == ROW_ATTRIBUTE]


def row_ids(response: HttpResponseBase) -> list[str]:
    """The ids of the rows on a page, in order and unescaped (contract, section 6)."""
    rows = _Rows()
    rows.feed(b"".join(response).decode())
    return rows.ids
