"""Texts of templates that are not marked for translation, and texts that lack one."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Final

from jinja2 import Environment, TemplateSyntaxError, nodes

from portal_dev.source_checks.faults import UNTRANSLATED, Finding, SourceFault

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping, Sequence
    from pathlib import Path

    from portal_dev.source_checks.markup import Markup, Tag

#: The attributes that people read or hear.
TEXT_ATTRIBUTES: Final = frozenset(
    {
        "alt",
        "aria-description",
        "aria-label",
        "aria-placeholder",
        "aria-roledescription",
        "aria-valuetext",
        "data-label",
        "hx-confirm",
        "hx-prompt",
        "label",
        "placeholder",
        "title",
    }
)
#: The arguments of macros and functions that people read.
TEXT_ARGUMENTS: Final = frozenset({"label", "title", "placeholder", "hint", "text", "heading"})
#: `<input>`s whose value is written on them.
_BUTTONS: Final = frozenset({"submit", "button", "reset"})
#: The product's name.
_NAME: Final = "Portal"
#: The one function with a text that is no macro: its arguments.
_NAV_LINK: Final = {"nav_link": ("route", "label")}
#: A value in a text, as catalogs have it.
_VALUE: Final = re.compile(r"%\(\w+\)[sd]")
_WRITTEN_VALUE: Final = r"(?:\{\{[^}]*\}\}|%\(\w+\)[sd])"
#: What is looked for of a text that is written in another way than in the catalog.
_FIRST_WORDS: Final = 2
_CALL: Final = re.compile(r"call(?:\([^)]*\))?\s+(.+)", re.DOTALL)
_SET: Final = re.compile(rf"set\s+(?:{'|'.join(sorted(TEXT_ARGUMENTS))})\s*=\s*(.+)", re.DOTALL)
_PARSER: Final = Environment(autoescape=True)


def unmarked_texts(
    markup: Markup, *, class_blocks: Iterable[str], macros: Mapping[str, Sequence[str]]
) -> Iterator[Finding]:
    """The texts of a template that no translator sees.

    :param class_blocks: names of the blocks that stand inside an attribute of a layout.
    :param macros: names of the macros, each with its arguments.
    """
    found = _UnmarkedTexts(markup, class_blocks=frozenset(class_blocks), functions={**macros, **_NAV_LINK}).found()
    for line, text in sorted(found):
        yield Finding(
            line,
            "E005",
            f"the text {text!r} is not marked for translation",
            f'write {{{{ _("{text}") }}}}; a text that is the same in every language needs a comment in its line,'
            f" {{# {UNTRANSLATED} why #}}",
        )


def blocks_in_attributes(markups: Iterable[Markup]) -> frozenset[str]:
    """The blocks that stand inside an attribute that nobody reads, such as `class="page {% block page_class %}…"`."""
    return frozenset(
        name
        for markup in markups
        for attribute in markup.attributes
        if not _is_read(attribute.element, attribute.type, attribute.name)
        for tag in markup.tags_in(attribute.value)
        for name in _block_name(tag)
    )


def untranslated_texts(text: str, paths: Iterable[Path], *, languages: Iterable[str]) -> Iterator[SourceFault]:
    """A text that lacks a translation.

    :param paths: the files with the text.
    """
    for path in paths:
        yield SourceFault(
            path=path,
            line=_line_of(path, text),
            message=f"the text {text!r} has no translation into {', '.join(languages)}",
            hint="run update_catalogs, and fill in msgstr in locale/<language>/LC_MESSAGES/django.po",
            id="E006",
        )


def _line_of(path: Path, text: str) -> int:
    """The line in which a text begins: in the file, `{{ n }}` may stand for `%(n)s`, and a line break for a space."""
    words = [_WRITTEN_VALUE.join(map(re.escape, _VALUE.split(word))) for word in text.split()]
    source = path.read_text(encoding="utf-8-sig")
    for count in (len(words), _FIRST_WORDS):
        match = re.search(r"\s+".join(words[:count]), source)
        if match is not None:
            return source.count("\n", 0, match.start()) + 1
    return 1


class _UnmarkedTexts:
    def __init__(self, markup: Markup, *, class_blocks: frozenset[str], functions: Mapping[str, Sequence[str]]) -> None:
        self._markup = markup
        self._class_blocks = class_blocks
        self._functions = functions
        #: Whether each of the blocks around a text stands in an attribute.
        self._hidden: list[bool] = []

    def found(self) -> Iterator[tuple[int, str]]:
        """Each text with its line."""
        for line, text in self._markup.texts:
            yield from self._in_text(line, text)
        for attribute in self._markup.attributes:
            if _is_read(attribute.element, attribute.type, attribute.name):
                words = "".join(character for character in attribute.value if character not in self._markup.tags)
                if _has_letters(words):
                    yield attribute.line, " ".join(words.split())
                for tag in self._markup.tags_in(attribute.value):
                    yield from self._written_by(tag)

    def _in_text(self, line: int, text: str) -> Iterator[tuple[int, str]]:
        words, first = "", line
        for character in f"{text}\0":
            tag = self._markup.tags.get(character)
            if tag is None and character != "\0":
                if not words.strip():
                    first = line
                words += character
                line += character == "\n"
                continue
            if not any(self._hidden) and _has_letters(words):
                yield first, " ".join(words.split())
            words = ""
            if tag is not None:
                if not any(self._hidden):
                    yield from self._written_by(tag)
                self._follow(tag)

    def _follow(self, tag: Tag) -> None:
        self._hidden += [name in self._class_blocks for name in _block_name(tag)]
        if tag.source.split(maxsplit=1)[:1] == ["endblock"] and self._hidden:
            self._hidden.pop()

    def _written_by(self, tag: Tag) -> Iterator[tuple[int, str]]:
        """The constant texts of `{{ … }}`, of the macro in `{% call … %}`, or of `{% set title = … %}`."""
        source = tag.source if tag.is_expression else (_CALL.match(tag.source) or _SET.match(tag.source) or ("", ""))[1]
        try:
            tree = _PARSER.parse(f"{{{{ {source} }}}}") if source else nodes.Template([])
        except TemplateSyntaxError:
            # The fault is reported when the template is compiled.
            return
        for output in tree.find_all(nodes.Output):
            for node in output.nodes:
                yield from ((tag.line, text) for text in self._constants(node) if _has_letters(text))

    def _constants(self, node: nodes.Node | None) -> Iterator[str]:
        """The constant texts that an expression may write."""
        if isinstance(node, nodes.Const) and isinstance(node.value, str):
            yield node.value
        elif isinstance(node, nodes.Call):
            names = self._functions.get(node.node.name, ()) if isinstance(node.node, nodes.Name) else ()
            given = (*zip(names, node.args, strict=False), *((each.key, each.value) for each in node.kwargs))
            for name, value in given:
                if name in TEXT_ARGUMENTS:
                    yield from self._constants(value)
        for part in _alternatives(node):
            yield from self._constants(part)


def _block_name(tag: Tag) -> list[str]:
    words = tag.source.split()
    return words[1:2] if words[:1] == ["block"] and not tag.is_expression else []


def _is_read(element: str, kind: str, attribute: str) -> bool:
    return attribute in TEXT_ATTRIBUTES or (element == "input" and kind in _BUTTONS and attribute == "value")


def _has_letters(text: str) -> bool:
    return text.strip() != _NAME and any(character.isalpha() for character in text)


def _alternatives(node: nodes.Node | None) -> list[nodes.Expr | None]:
    """The parts of an expression that it may write as they are."""
    match node:
        case nodes.CondExpr():
            return [node.expr1, node.expr2]
        case nodes.Or() | nodes.Add():
            return [node.left, node.right]
        case nodes.Concat():
            return [*node.nodes]
        case nodes.Filter():
            return [node.node, *(node.args if node.name in {"default", "d"} else ())]
        case _:
            return []
