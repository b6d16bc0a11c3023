"""The HTML of a template, with a private character in place of each expression and statement."""

import re
from collections.abc import Iterator, Mapping, Sequence
from html.parser import HTMLParser
from typing import Final

from jinja2 import nodes

#: The first of the characters that stand for nodes; no template has one.
_FIRST_MARK: Final = 0xF0000
#: One mark, or the text between two.
_PIECE: Final = re.compile(r"[\U000F0000-\U000FFFFD]|[^\U000F0000-\U000FFFFD]+")
#: The elements whose contents are no text for people.
_CODE: Final = frozenset({"script", "style", "code", "kbd"})
#: The attributes that people read or hear.
_READ: Final = re.compile(
    "alt|aria-(description|label|placeholder|roledescription|valuetext)|data-label|hx-(confirm|prompt)|label|placeholder|title"
)
#: `<input>`s whose value is written on them.
_BUTTONS: Final = frozenset({"submit", "button", "reset"})
#: The arguments of macros and functions that people read.
_TEXT_ARGUMENTS: Final = frozenset({"label", "title", "placeholder", "hint", "text", "heading"})
#: The end of the names of blocks inside `class="…"`, which nobody reads.
_CLASS_BLOCK: Final = "_class"


class Markup(HTMLParser):
    """The texts and forms of one template.

    :ivar marks: each mark's node.
    :ivar read: the texts that people read, with marks, each with its line.
    :ivar forms: those that send POST: the line, the action with marks, and the nodes inside.
    """

    def __init__(self, tree: nodes.Template) -> None:
        super().__init__()
        self.marks: dict[str, nodes.Node] = {}
        self.read: list[tuple[int, str]] = []
        self.forms: list[tuple[int, str, list[nodes.Node]]] = []
        self._html = ""
        self._code = 0
        self._inside: list[nodes.Node] = []
        self._write(tree)
        self.feed(self._html)
        self.close()

    def _write(self, node: nodes.Node) -> None:
        """Write the text below a node, each line in its line of the file."""
        for child in node.iter_child_nodes():
            if isinstance(child, nodes.TemplateData):
                self._html += "\n" * (child.lineno - 1 - self._html.count("\n")) + child.data
            elif isinstance(node, nodes.Output):
                self._html += self._mark(nodes.Output([child]))
            elif isinstance(child, nodes.Stmt) and not str(getattr(child, "name", "")).endswith(_CLASS_BLOCK):
                is_text = getattr(getattr(child, "target", None), "name", "") in _TEXT_ARGUMENTS
                is_marked = is_text or isinstance(child, nodes.CallBlock | nodes.Include)
                self._html += f" {self._mark(child)} " if is_marked else ""
                self._write(child)

    def _mark(self, node: nodes.Node) -> str:
        mark = chr(_FIRST_MARK + len(self.marks))
        self.marks[mark] = node
        return mark

    def marked(self, text: str) -> list[nodes.Node]:
        """Return the nodes whose marks stand in a text."""
        return [self.marks[character] for character in text if character in self.marks]

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        """Note a form, and the attributes that people read."""
        line, source = self.getpos()[0], self.get_starttag_text() or ""
        values = {name: value or "" for name, value in attrs}
        is_button = tag == "input" and values.get("type", "").lower() in _BUTTONS
        for name, value in values.items():
            if _READ.fullmatch(name) or (is_button and name == "value"):
                above = source[: max(source.lower().find(f"{name}="), 0)].count("\n")
                self.read.append((line + above, value))
        self._inside += self.marked(source)
        if tag == "form" and values.get("method", "").lower() == "post":
            self._inside = []
            self.forms.append((line, values.get("action", ""), self._inside))
        self._code += tag in _CODE

    def handle_endtag(self, tag: str) -> None:
        """Leave a form or code."""
        if tag == "form":
            self._inside = []
        self._code = max(0, self._code - (tag in _CODE))

    def handle_data(self, data: str) -> None:
        """Note a text."""
        self._inside += self.marked(data)
        if not self._code:
            self.read.append((self.getpos()[0], data))

    def texts(self, macros: Mapping[str, Sequence[str]]) -> Iterator[tuple[int, str]]:
        """Yield the texts that are written out, each with its line.

        :param macros: names of the macros, each with its arguments.
        """
        functions = {**macros, "nav_link": ("route", "label")}
        for line, text in self.read:
            for piece in _PIECE.finditer(text):
                words = piece[0]
                if words in self.marks:
                    yield from _constants(self.marks[words], functions)
                else:
                    begin = piece.start() + len(words) - len(words.lstrip())
                    yield line + text.count("\n", 0, begin), " ".join(words.split())


def _constants(node: nodes.Node | None, functions: Mapping[str, Sequence[str]]) -> Iterator[tuple[int, str]]:
    """Yield the constant texts that a node may write."""
    parts: Sequence[nodes.Node | None] = ()
    match node:
        case nodes.Const(value=str(text)):
            yield node.lineno, text
        case nodes.CallBlock(call=part) | nodes.Assign(node=part):
            parts = [part]
        case nodes.Call(node=called, args=args, kwargs=kwargs):
            names = functions.get(called.name, ()) if isinstance(called, nodes.Name) else ()
            given = (*zip(names, args, strict=False), *((each.key, each.value) for each in kwargs))
            parts = [value for name, value in given if name in _TEXT_ARGUMENTS]
        case nodes.CondExpr(expr1=left, expr2=right):
            parts = [left, right]
        case nodes.Or() | nodes.Add() | nodes.Concat() | nodes.Output():
            parts = [*node.iter_child_nodes()]
        case nodes.Filter(node=part, name=name, args=args):
            parts = [part, *(args if name in {"default", "d"} else ())]
    for part in parts:
        yield from _constants(part, functions)
