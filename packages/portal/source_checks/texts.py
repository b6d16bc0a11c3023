"""Texts of templates that are not marked for translation, and texts that lack one."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from jinja2 import Environment, TemplateSyntaxError, nodes

from portal.source_checks.faults import SourceFault

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator
    from pathlib import Path

    from portal.source_checks.markup import Markup, Tag

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
        "label",
        "placeholder",
        "title",
    }
)
#: The arguments of macros and functions that people read.
TEXT_ARGUMENTS: Final = frozenset({"label", "title", "placeholder", "hint", "text", "heading"})
#: `<input>`s whose value is written on them.
_BUTTONS: Final = frozenset({"submit", "button", "reset"})
#: A comment with this word allows the text in its line, and says why.
UNTRANSLATED: Final = "untranslated:"
#: The product's name.
_NAME: Final = "Portal"
#: The places of texts among the arguments of functions.
_TEXT_PLACES: Final = {"nav_link": 1, "bar_chart": 1, "split_bar": 1, "toast": 0}
_PARSER: Final = Environment(autoescape=True)


def unmarked_texts(path: Path, markup: Markup, *, class_blocks: Iterable[str]) -> Iterator[SourceFault]:
    """The texts of a template that no translator sees.

    :param class_blocks: names of the blocks that stand inside an attribute of a layout.
    """
    found = [*_in_contents(markup, class_blocks=frozenset(class_blocks)), *_in_attributes(markup)]
    for line, text in sorted(found):
        if UNTRANSLATED not in markup.comments.get(line, ""):
            yield SourceFault(
                path=path,
                line=line,
                message=f"the text {text!r} is not marked for translation",
                hint=f'write {{{{ _("{text}") }}}}; a text that is the same in every language needs a comment in its'
                f" line, {{# {UNTRANSLATED} why #}}",
                id="E005",
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
            hint="run update_catalogs, fill in msgstr in locale/<language>/LC_MESSAGES/django.po, and run it again",
            id="E006",
        )


def _line_of(path: Path, text: str) -> int:
    first = text.splitlines()[0][:40] if text else ""
    return next((number for number, line in enumerate(path.read_text().splitlines(), start=1) if first in line), 1)


def _in_contents(markup: Markup, *, class_blocks: frozenset[str]) -> Iterator[tuple[int, str]]:
    hidden: list[bool] = []
    for start, text in markup.texts:
        line, words, first = start, "", start
        for character in f"{text}\0":
            tag = markup.tags.get(character)
            if tag is None and character != "\0":
                if words or not character.isspace():
                    first = line if not words else first
                    words += character
                line += character == "\n"
                continue
            if not any(hidden) and _has_letters(words):
                yield first, " ".join(words.split())
            words = ""
            if tag is not None:
                if tag.is_expression and not any(hidden):
                    yield from ((tag.line, shown) for shown in _shown_by(tag))
                _follow_blocks(tag, hidden, class_blocks)


def _follow_blocks(tag: Tag, hidden: list[bool], class_blocks: frozenset[str]) -> None:
    hidden += [name in class_blocks for name in _block_name(tag)]
    if tag.source.split(maxsplit=1)[:1] == ["endblock"] and hidden:
        hidden.pop()


def _block_name(tag: Tag) -> list[str]:
    words = tag.source.split()
    return words[1:2] if words[:1] == ["block"] and not tag.is_expression else []


def _in_attributes(markup: Markup) -> Iterator[tuple[int, str]]:
    for attribute in markup.attributes:
        if not _is_read(attribute.element, attribute.type, attribute.name):
            # A call may stand here as well: `{{ icon("plus", title="New") }}`.
            continue
        words = "".join(character for character in attribute.value if character not in markup.tags)
        if _has_letters(words):
            yield attribute.line, " ".join(words.split())
        for tag in markup.tags_in(attribute.value):
            yield from ((tag.line, shown) for shown in _shown_by(tag) if tag.is_expression)


def _is_read(element: str, kind: str, attribute: str) -> bool:
    return attribute in TEXT_ATTRIBUTES or (element == "input" and kind in _BUTTONS and attribute == "value")


def _has_letters(text: str) -> bool:
    return text.strip() != _NAME and any(character.isalpha() for character in text)


def _shown_by(tag: Tag) -> Iterator[str]:
    try:
        tree = _PARSER.parse(f"{{{{ {tag.source} }}}}")
    except TemplateSyntaxError:
        # The fault is reported when the template is compiled.
        return
    for output in tree.find_all(nodes.Output):
        for node in output.nodes:
            yield from (text for text in _constants(node) if _has_letters(text))


def _constants(node: nodes.Node | None) -> Iterator[str]:
    """The constant texts that an expression may write."""
    if isinstance(node, nodes.Const) and isinstance(node.value, str):
        yield node.value
    elif isinstance(node, nodes.Call):
        yield from _arguments(node)
    for part in _alternatives(node):
        yield from _constants(part)


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


def _arguments(call: nodes.Call) -> Iterator[str]:
    for keyword in call.kwargs:
        if keyword.key in TEXT_ARGUMENTS:
            yield from _constants(keyword.value)
    place = _TEXT_PLACES.get(call.node.name) if isinstance(call.node, nodes.Name) else None
    if place is not None:
        for argument in call.args[place : place + 1]:
            yield from _constants(argument)
