"""Texts of Python that are not marked for translation: a plain text where people will read it."""

from __future__ import annotations

import ast
import re
from typing import TYPE_CHECKING, Final

from portal.source_checks.faults import SourceFault, is_allowed
from portal.source_checks.texts import UNTRANSLATED

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence
    from pathlib import Path

#: The arguments that people read, of forms' fields, badges, tiles and pages.
_ARGUMENTS: Final = frozenset(
    {
        *("label", "title", "help_text", "search_hint", "hint", "submit_label", "back_label", "placeholder", "heading"),
        *("message", "text"),
    }
)
#: A value with its unit: `Point(text="12 kWh")`.
_MEASURED: Final = ("Point", "text")
#: Functions whose arguments are the backend's data: `Order.partial(…)` and hooks.
_OF_THE_BACKEND: Final = re.compile(r"(\.partial|\buse_\w+_(query|mutation)(\.\w+)?)$")
#: The arguments, and what `class Meta` of a form has, whose values are mappings to texts.
_MAPPINGS: Final = frozenset({"error_messages", "sorts", "fields", "choices", "help_texts"})
#: The functions of `django.contrib.messages`, and of errors: which argument people read.
_PLACES: Final = {
    **dict.fromkeys(("messages.success", "messages.info", "messages.warning", "messages.error"), 1),
    **dict.fromkeys(("ValidationError", "forms.ValidationError"), 0),
    **dict.fromkeys(("form.add_error", "self.add_error"), 1),
}


def unmarked_python_texts(path: Path, tree: ast.Module, lines: Sequence[str]) -> Iterator[SourceFault]:
    """The texts of a module that no translator sees.

    :param lines: of the module.
    """
    for node, text in _found(tree):
        if not is_allowed(lines[node.lineno - 1], UNTRANSLATED):
            yield SourceFault(
                path=path,
                line=node.lineno,
                message=f"the text {text!r} is not marked for translation",
                hint=f'write _("{text}"), with `_` from django.utils.translation: gettext in a view, gettext_lazy'
                " outside of functions; a text that is the same in every language needs a comment in its line,"
                f" `# {UNTRANSLATED} why`",
                id="E005",
            )


def _found(tree: ast.Module) -> Iterator[tuple[ast.expr, str]]:
    for node in ast.walk(tree):
        match node:
            case ast.Call():
                yield from _in_call(node)
            case ast.ClassDef(name="Meta"):
                for assigned in node.body:
                    match assigned:
                        case ast.Assign(targets=[ast.Name(id=name)], value=value) if name in _MAPPINGS:
                            yield from _in_mappings(value)


def _in_call(call: ast.Call) -> Iterator[tuple[ast.expr, str]]:
    function = dotted(call.func)
    if _OF_THE_BACKEND.search(function):
        return
    for keyword in call.keywords:
        if keyword.arg in _MAPPINGS:
            yield from _in_mappings(keyword.value)
        elif keyword.arg in _ARGUMENTS and (function, keyword.arg) != _MEASURED:
            yield from _plain(keyword.value)
    place = _PLACES.get(function)
    if place is not None:
        for argument in call.args[place : place + 1]:
            yield from _plain(argument)


def _in_mappings(node: ast.expr) -> Iterator[tuple[ast.expr, str]]:
    for mapping in ast.walk(node):
        if isinstance(mapping, ast.Dict):
            for value in mapping.values:
                yield from _plain(value)


def _plain(node: ast.expr) -> Iterator[tuple[ast.expr, str]]:
    """The text, if it is written out; a value in it is shown as `…`."""
    parts = node.values if isinstance(node, ast.JoinedStr) else [node]
    text = "".join(constant(part) or "…" for part in parts)
    if any(character.isalpha() for character in text):
        yield node, text
    if isinstance(node, ast.IfExp):
        yield from (*_plain(node.body), *_plain(node.orelse))


def constant(node: ast.expr) -> str | None:
    """A constant text; None for anything else."""
    return node.value if isinstance(node, ast.Constant) and isinstance(node.value, str) else None


def dotted(node: ast.expr) -> str:
    """`messages.success` of a call to it; empty for anything but names."""
    if isinstance(node, ast.Name):
        return node.id
    if isinstance(node, ast.Attribute):
        owner = dotted(node.value)
        return f"{owner}.{node.attr}" if owner else ""
    return ""
