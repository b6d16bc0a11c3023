"""Texts of Python that are not marked for translation: a plain text where people will read it."""

from __future__ import annotations

import ast
import re
from functools import cache
from inspect import signature
from typing import TYPE_CHECKING, Final

import portal_pages
from portal.web import present
from portal_dev.source_checks.faults import UNTRANSLATED, Finding

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

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
    **dict.fromkeys((f"messages.{level}" for level in ("debug", "success", "info", "warning", "error")), 1),
    "messages.add_message": 2,
    **dict.fromkeys(("ValidationError", "forms.ValidationError"), 0),
    **dict.fromkeys(("form.add_error", "self.add_error"), 1),
    "undo_toast": 1,
}
#: Django's responses that take what a page shows. One of another type is for a program.
_RESPONSES: Final = frozenset(
    f"HttpResponse{kind}" for kind in ("", "BadRequest", "Forbidden", "Gone", "NotFound", "ServerError")
)


@cache
def _texts_of_ours() -> dict[str, dict[str, int | None]]:
    """The parameters of our own classes and functions that people read; each with its position, None for none."""
    return {
        name: {
            each.name: None if each.kind is each.KEYWORD_ONLY else place
            for place, each in enumerate(signature(given).parameters.values())
            # A unit such as kWh is the same in every language.
            if "LazyText" in str(each.annotation) and each.name != "unit"
        }
        for module in (portal_pages, present)
        for name, given in vars(module).items()
        if getattr(given, "__module__", "").startswith(("portal.", "portal_pages.")) and callable(given)
    }


def unmarked_python_texts(tree: ast.Module, imported: Mapping[str, str]) -> Iterator[Finding]:
    """The texts of a module that no translator sees."""
    for node, text in _found(tree, imported):
        yield Finding(
            node.lineno,
            "E005",
            f"the text {text!r} is not marked for translation",
            f'write _("{text}"), with `_` from django.utils.translation: gettext in a view, gettext_lazy outside of'
            " functions; a text that is the same in every language needs a comment in its line,"
            f" `# {UNTRANSLATED} why`",
        )


def _found(tree: ast.Module, imported: Mapping[str, str]) -> Iterator[tuple[ast.expr, str]]:
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
    name = function.rpartition(".")[2]
    ours = _texts_of_ours().get(name, {})
    is_page = name in _RESPONSES and _is_shown(call)
    for keyword in call.keywords:
        if keyword.arg in _MAPPINGS or keyword.arg in ours:
            yield from _in_mappings(keyword.value)
        if keyword.arg == "choices":
            yield from _in_pairs(keyword.value)
        elif (function, keyword.arg) != _MEASURED and (
            keyword.arg in _ARGUMENTS or keyword.arg in ours or (is_page and keyword.arg == "content")
        ):
            yield from _plain(keyword.value)
    for place in {0 if is_page else None, _PLACES.get(function), *ours.values()} - {None}:
        for argument in call.args[place : place + 1]:
            yield from _in_mappings(argument)
            for each in argument.elts if isinstance(argument, ast.List) else [argument]:
                yield from _plain(each)


def _is_shown(response: ast.Call) -> bool:
    """Whether it is a page: no response for a program, which says so."""
    types = [keyword.value for keyword in response.keywords if keyword.arg == "content_type"]
    return (constant(types[0]) or "").startswith("text/html") if types else True


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


#: Modules whose functions the tables name with their module, and how.
_MODULES: Final = {"django.contrib.messages": "messages.", "time": "time."}


def imported_names(tree: ast.Module) -> dict[str, str]:
    """Each name that a module imports, as the tables of this package have it, whatever it is called here."""
    found = {}
    for node in ast.walk(tree):
        if isinstance(node, ast.Import | ast.ImportFrom):
            module = _MODULES.get(node.module or "", "") if isinstance(node, ast.ImportFrom) else ""
            for name in node.names:
                if module or name.asname:
                    found[name.asname or name.name] = module + name.name.rpartition(".")[2]
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
