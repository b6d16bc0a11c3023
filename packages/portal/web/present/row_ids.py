"""Ids of rows in addresses of ours: an id that is another page's word, or has a slash, is written `~new`, `~a~2Fb`."""

import re
from typing import Final

from django.urls import register_converter

#: Path converter of ids: `energy/clients/<row:row_id>`.
ROW_ID: Final = "row"
#: Segments of addresses of this process; :func:`portal.web.urls.portal_patterns` adds those of the app's pages.
OWN_WORDS: Final = {"new", "export", "bulk"}
_ESCAPED: Final = re.compile(r"[/\\~]")
_ESCAPE: Final = re.compile("~([0-9A-F]{2})")


def id_segment(row_id: str) -> str:
    """Return the segment of a path that names a row, not percent-encoded."""
    if row_id in OWN_WORDS or _ESCAPED.search(row_id):
        return "~" + _ESCAPED.sub(lambda found: f"~{ord(found[0]):02X}", row_id)
    return row_id


class _RowId:
    regex = "[^/]+"

    def to_python(self, value: str) -> str:
        return _ESCAPE.sub(lambda found: chr(int(found[1], 16)), value[1:]) if value.startswith("~") else value

    def to_url(self, value: str) -> str:
        return id_segment(value)


register_converter(_RowId, ROW_ID)
