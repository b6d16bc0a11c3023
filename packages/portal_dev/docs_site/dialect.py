"""From CommonMark with tables, which the pages are written in, to what Python-Markdown reads in the same way. Pure.

Python-Markdown wants the content of a list item four columns in, a blank line before a list or a table, and no
backslash before a `|` in the code of a table.
"""

from __future__ import annotations

import re
from typing import Final

_MARKER: Final = re.compile(r" {0,3}(?:[-*+]|\d{1,9}[.)])(?P<gap> +)(?=\S)")
_FENCE: Final = re.compile(r"(?P<fence>`{3,}|~{3,})[^`]*$")
_NEW_BLOCK: Final = re.compile(r"#{1,6} |```|~~~|>|\|")
_CODE: Final = re.compile(r"(`+)(?!`).+?(?<!`)\1(?!`)")
_HTML_BLOCK: Final = re.compile(r"<(table|thead|tbody|tr|th|td|details|div)>")
_INDENT: Final = 4


def python_markdown(text: str) -> str:
    """The same page in Python-Markdown's dialect."""
    writer = _Writer()
    for line in text.splitlines():
        writer.add(line)
    return "\n".join([*writer.lines, ""])


class _Writer:
    """Takes the lines of a page, one after the other.

    :ivar lines: what was written.
    """

    def __init__(self) -> None:
        self.lines: list[str] = []
        #: Column of the content of each list item that is open, the outermost first.
        self._columns: list[int] = []
        #: The fence of the block that is open, else empty.
        self._fence = ""
        #: What the line before was: "", "text", "item" or "table".
        self._before = ""

    def add(self, line: str) -> None:
        rest = line.lstrip(" ")
        indent = len(line) - len(rest)
        if not rest:
            self._write_blank()
        elif self._fence:
            self._write(line[min(indent, self._column) :], kind="text")
            if rest.startswith(self._fence) and not rest.strip().strip(self._fence[0]):
                self._fence = ""
        else:
            if not self._before or _MARKER.match(rest) or _NEW_BLOCK.match(rest):
                # Otherwise the line goes on with the paragraph before it, wherever it begins.
                while indent < self._column:
                    self._columns.pop()
            self._add_text(line[min(indent, self._column) :])

    def _add_text(self, text: str) -> None:
        """Add a line outside of blocks of code, without the columns of the list items that it belongs to."""
        if marker := _MARKER.match(text):
            if self._before in {"text", "table"} and not self._columns:
                self._write_blank()
            self._write(text, kind="item")
            self._columns.append(self._column + marker.end())
        elif fence := _FENCE.match(text):
            self._write(text, kind="text")
            self._fence = fence["fence"]
        elif text.startswith("|"):
            if self._before in {"text", "item"}:
                self._write_blank()
            self._write(_CODE.sub(lambda code: code[0].replace(r"\|", "|"), text), kind="table")
        elif text.startswith("<"):
            # What stands in these elements is Markdown again, as it is for CommonMark after a blank line.
            self._write(_HTML_BLOCK.sub(r'<\1 markdown="1">', text), kind="text")
        else:
            self._write(text, kind="item" if self._before == "item" else "text")

    @property
    def _column(self) -> int:
        return self._columns[-1] if self._columns else 0

    def _write(self, text: str, *, kind: str) -> None:
        self.lines.append(f"{' ' * _INDENT * len(self._columns)}{text}")
        self._before = kind

    def _write_blank(self) -> None:
        self.lines.append("")
        self._before = ""
