"""The HTML of a template before it is rendered, with a mark in place of each Jinja2 tag."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from html.parser import HTMLParser
from typing import TYPE_CHECKING, Final

from jinja2 import Environment

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

#: The first of the characters that stand for tags: private ones, which no template has.
_FIRST_MARK: Final = 0xF0000
#: Keeps all text as it stands: the environment of the pages removes line breaks.
_LEXER: Final = Environment(autoescape=True)
#: The elements whose contents are no text for people.
_CODE: Final = frozenset({"script", "style", "code", "kbd"})


@dataclass(frozen=True, slots=True, kw_only=True)
class Tag:
    """`{{ … }}` or `{% … %}`.

    :param source: what stands between the braces.
    """

    line: int
    source: str
    is_expression: bool


@dataclass(frozen=True, slots=True, kw_only=True)
class Attribute:
    """One attribute of an element, marks included."""

    element: str
    type: str
    name: str
    value: str
    line: int


@dataclass(slots=True, kw_only=True)
class Form:
    """A form that sends POST.

    :ivar contents: all that stands inside it, marks included.
    """

    line: int
    action: str
    contents: str = ""


@dataclass(frozen=True, kw_only=True)
class Markup:
    """One template.

    :param html: its HTML, line by line as in the file; contents of `{% trans %}` are left out.
    :param code: its lines without comments.
    :param tags: each mark's tag.
    :param comments: the comments by their lines.
    """

    html: str
    code: tuple[str, ...]
    tags: dict[str, Tag]
    comments: dict[int, str]

    def tags_in(self, text: str) -> list[Tag]:
        """The tags whose marks stand in a text."""
        return [self.tags[character] for character in text if character in self.tags]

    @cached_property
    def _parsed(self) -> _Reader:
        reader = _Reader()
        reader.feed(self.html)
        reader.close()
        return reader

    @property
    def texts(self) -> list[tuple[int, str]]:
        """What people read, marks included, each with its line."""
        return self._parsed.texts

    @property
    def attributes(self) -> list[Attribute]:
        """All attributes of all elements."""
        return self._parsed.attributes

    @property
    def forms(self) -> list[Form]:
        """The forms that send POST."""
        return self._parsed.forms


def markup_of(source: str) -> Markup:
    """Read a template.

    :raises jinja2.TemplateSyntaxError: it has a mistake.
    """
    html, code = _Lines(), _Lines()
    tags: dict[str, Tag] = {}
    comments: dict[int, str] = {}
    in_trans = False
    for line, kind, text in _pieces(source):
        if kind == "comment":
            comments[line] = text
            continue
        code.add(text, line=line)
        if kind == "data":
            if not in_trans:
                html.add(text, line=line)
            continue
        mark = chr(_FIRST_MARK + len(tags))
        above = len(text) - len(text.lstrip())
        tags[mark] = Tag(line=line + text[:above].count("\n"), source=text.strip(), is_expression=kind == "variable")
        html.add(mark if kind == "variable" else f" {mark} ", line=line)
        word = text.split(maxsplit=1)[0] if text.strip() else ""
        in_trans = word == "trans" or (in_trans and word != "endtrans")
    return Markup(html=html.text, code=tuple(code.text.splitlines()), tags=tags, comments=comments)


class _Lines:
    """A text whose parts stand in the lines in which they stood."""

    def __init__(self) -> None:
        self.text = ""
        self._line = 1

    def add(self, part: str, *, line: int) -> None:
        self.text += "\n" * (line - self._line) + part
        self._line = max(line, self._line) + part.count("\n")


def markup_in(path: Path) -> Markup:
    """Read a template's file.

    :raises jinja2.TemplateSyntaxError: it has a mistake.
    """
    return markup_of(path.read_text())


def _pieces(source: str) -> Iterator[tuple[int, str, str]]:
    """Line, kind and text: `data`, and whole tags without their braces (`variable`, `block`, `comment`)."""
    inside: list[str] = []
    began = 1
    for line, name, value in _LEXER.lex(source):
        kind, _, edge = name.partition("_")
        if edge == "begin":
            began, inside = line, []
        elif edge == "end":
            # The braces' own line breaks count as well.
            yield began, "data" if kind == "raw" else kind, "" if kind == "raw" else "".join(inside)
        elif name == "data":
            yield line, "data", value
        else:
            inside.append(value)


class _Reader(HTMLParser):
    """Collects what :class:`Markup` gives."""

    def __init__(self) -> None:
        super().__init__(convert_charrefs=True)
        self.texts: list[tuple[int, str]] = []
        self.attributes: list[Attribute] = []
        self.forms: list[Form] = []
        self._code: list[str] = []
        self._form: Form | None = None

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        """An element begins."""
        line, written = self.getpos()[0], self.get_starttag_text() or ""
        values = {name: value or "" for name, value in attrs}
        for name, value in values.items():
            before = written[: max(written.lower().find(f"{name}="), 0)]
            self.attributes.append(
                Attribute(
                    element=tag,
                    type=values.get("type", "").lower(),
                    name=name,
                    value=value,
                    line=line + before.count("\n"),
                )
            )
        if self._form is not None:
            self._form.contents += written
        if tag == "form" and values.get("method", "").lower() == "post":
            self._form = Form(line=line, action=values.get("action", ""))
            self.forms.append(self._form)
        if tag in _CODE:
            self._code.append(tag)

    def handle_endtag(self, tag: str) -> None:
        """An element ends."""
        if tag == "form":
            self._form = None
        if self._code and self._code[-1] == tag:
            self._code.pop()

    def handle_data(self, data: str) -> None:
        """Text."""
        if self._form is not None:
            self._form.contents += data
        if not self._code:
            self.texts.append((self.getpos()[0], data))
