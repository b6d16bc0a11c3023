"""Texts of Python that are not marked for translation: a plain text where people will read it."""

from __future__ import annotations

import ast
import re
from typing import TYPE_CHECKING, Final

from portal_dev.source_checks.faults import SourceFault, is_allowed
from portal_dev.source_checks.texts import UNTRANSLATED

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence
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
#: What `%` and `format` replace.
_PLACEHOLDER: Final = re.compile(r"%(\(\w+\))?[-+ #0-9.*]*[A-Za-z]|\{[^{}]*\}")
#: The functions of `django.contrib.messages`, and of errors: which argument people read.
_PLACES: Final = {
    **dict.fromkeys(("messages.success", "messages.info", "messages.warning", "messages.error"), 1),
    "messages.add_message": 2,
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
    imported = imported_names(tree)
    for node in ast.walk(tree):
        match node:
            case ast.Call():
                yield from _in_call(node, imported)
            case ast.ClassDef(name="Meta"):
                for assigned in node.body:
                    match assigned:
                        case (
                            ast.Assign(targets=[ast.Name(id=name)], value=ast.expr() as value)
                            | ast.AnnAssign(target=ast.Name(id=name), value=ast.expr() as value)
                        ) if name in _MAPPINGS:
                            yield from _in_mappings(value)


def _in_call(call: ast.Call, imported: Mapping[str, str]) -> Iterator[tuple[ast.expr, str]]:
    function = dotted(call.func, imported)
    if _OF_THE_BACKEND.search(function):
        return
    for keyword in call.keywords:
        if keyword.arg in _MAPPINGS:
            yield from _in_mappings(keyword.value)
        if keyword.arg == "choices":
            yield from _in_pairs(keyword.value)
        elif keyword.arg in _ARGUMENTS and (function, keyword.arg) != _MEASURED:
            yield from _plain(keyword.value)
    place = _PLACES.get(function)
    if place is not None:
        for argument in call.args[place : place + 1]:
            yield from _in_mappings(argument)
            for each in argument.elts if isinstance(argument, ast.List) else [argument]:
                yield from _plain(each)


def _in_mappings(node: ast.expr) -> Iterator[tuple[ast.expr, str]]:
    for mapping in ast.walk(node):
        if isinstance(mapping, ast.Dict):
            for value in mapping.values:
                yield from _plain(value)


def _in_pairs(node: ast.expr) -> Iterator[tuple[ast.expr, str]]:
    """`[("a", "First")]`."""
    for pair in node.elts if isinstance(node, ast.List | ast.Tuple) else []:
        match pair:
            case ast.Tuple(elts=[_, text]):
                yield from _plain(text)


def _plain(node: ast.expr) -> Iterator[tuple[ast.expr, str]]:
    """The text, if it is written out; a value in it is shown as `…`."""
    match node:
        case ast.IfExp(body=left, orelse=right) | ast.BinOp(left=left, op=ast.Add(), right=right):
            yield from (*_plain(left), *_plain(right))
        case (
            ast.BinOp(left=pattern, op=ast.Mod())
            | ast.Call(func=ast.Attribute(value=ast.Constant() as pattern, attr="format"))
        ):
            yield from ((node, text) for _, text in _plain(pattern) if _has_letters(_PLACEHOLDER.sub("", text)))
        case _:
            parts = node.values if isinstance(node, ast.JoinedStr) else [node]
            text = "".join(constant(part) or "…" for part in parts)
            if _has_letters(text):
                yield node, text


def _has_letters(text: str) -> bool:
    return any(character.isalpha() for character in text)


def constant(node: ast.expr) -> str | None:
    """A constant text; None for anything else."""
    return node.value if isinstance(node, ast.Constant) and isinstance(node.value, str) else None


def imported_names(tree: ast.Module) -> dict[str, str]:
    """Each name that a module imports, as the tables of this package have it, whatever it is called here."""
    found = {}
    for node in ast.walk(tree):
        if isinstance(node, ast.Import | ast.ImportFrom):
            of_messages = isinstance(node, ast.ImportFrom) and node.module == "django.contrib.messages"
            for name in node.names:
                if of_messages or name.asname:
                    last = name.name.rpartition(".")[2]
                    found[name.asname or name.name] = f"messages.{last}" if of_messages else last
    return found


def dotted(node: ast.expr, imported: Mapping[str, str]) -> str:
    """`messages.success` of a call to it; empty for anything but names.

    :param imported: what :func:`imported_names` gives.
    """
    if isinstance(node, ast.Name):
        return imported.get(node.id, node.id)
    if isinstance(node, ast.Attribute):
        owner = dotted(node.value, imported)
        return f"{owner}.{node.attr}" if owner else ""
    return ""
