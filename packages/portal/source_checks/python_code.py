"""The Python of an app: origins, unmarked texts, names of templates, URLs and icons, creates without a key."""

from __future__ import annotations

import ast
from dataclasses import dataclass
from typing import TYPE_CHECKING, Final

from portal.source_checks.faults import SourceFault, did_you_mean
from portal.source_checks.origins import FIXED_ADDRESS, origin_fault, origins_in
from portal.source_checks.texts import UNTRANSLATED

if TYPE_CHECKING:
    from collections.abc import Callable, Collection, Iterator
    from pathlib import Path

    from portal.source_checks.routes import Routes

#: The arguments that people read, of forms' fields, badges, tiles and pages.
_TEXT_ARGUMENTS: Final = frozenset(
    {"label", "title", "help_text", "search_hint", "hint", "submit_label", "back_label", "placeholder", "heading"}
)
#: The arguments whose values are mappings to texts.
_TEXT_MAPPINGS: Final = frozenset({"error_messages", "sorts"})
#: The functions of `django.contrib.messages`, and of errors: which argument people read.
_TEXT_PLACES: Final = {
    **dict.fromkeys(("messages.success", "messages.info", "messages.warning", "messages.error"), 1),
    "ValidationError": 0,
    "forms.ValidationError": 0,
    "form.add_error": 1,
    "self.add_error": 1,
}
#: The functions whose first argument is the name of a URL, and whether the others are its values.
_ROUTE_FUNCTIONS: Final = {"reverse": False, "reverse_lazy": False, "see_other": True, "redirect": True}
#: The arguments that name a URL.
_ROUTE_ARGUMENTS: Final = frozenset({"part_of", "route"})


@dataclass(frozen=True, slots=True, kw_only=True)
class Names:
    """What an app's Python may name.

    :param is_template: whether there is a template of that name.
    :param creates: the names of the hooks that send a POST, such as `use_create_client_mutation`.
    """

    routes: Routes
    templates: Collection[str]
    is_template: Callable[[str], bool]
    icons: Collection[str]
    creates: Collection[str]


def python_faults(path: Path, *, names: Names) -> Iterator[SourceFault]:
    """The faults of one module. One that Python can't read has none here: Python reports it."""
    source = path.read_text()
    try:
        tree = ast.parse(source)
    except SyntaxError:
        return
    lines = ["", *source.splitlines()]
    for line, origin in _origins(tree):
        if FIXED_ADDRESS not in lines[line]:
            yield origin_fault(path, line=line, origin=origin)
    for call in (node for node in ast.walk(tree) if isinstance(node, ast.Call)):
        for node, text in _texts(call):
            if UNTRANSLATED not in lines[node.lineno]:
                yield SourceFault(
                    path=path,
                    line=node.lineno,
                    message=f"the text {text!r} is not marked for translation",
                    hint=f'write _("{text}"), with `_` from django.utils.translation: gettext in a view, gettext_lazy'
                    f" outside of functions; a text that is the same in every language needs a comment in its line,"
                    f" `# {UNTRANSLATED} why`",
                    id="E005",
                )
        for line, message, hint, kind in (*_name_faults(call, names), *_create_faults(call, names)):
            yield SourceFault(path=path, line=line, message=message, hint=hint, id=kind)


def _origins(tree: ast.Module) -> Iterator[tuple[int, str]]:
    # A text that stands alone is a docstring, or does nothing.
    alone = {id(node.value) for node in ast.walk(tree) if isinstance(node, ast.Expr)}
    for node in ast.walk(tree):
        if isinstance(node, ast.Constant) and isinstance(node.value, str) and id(node) not in alone:
            yield from ((node.lineno, origin) for origin in origins_in(node.value))
        elif isinstance(node, ast.JoinedStr):
            # f"https://{host}/": the host follows as a value.
            yield from (
                (node.lineno, ast.unparse(node)[2:-1])
                for part in node.values
                if isinstance(part, ast.Constant) and str(part.value).lower().endswith(("http://", "https://"))
            )


def _texts(call: ast.Call) -> Iterator[tuple[ast.expr, str]]:
    for keyword in call.keywords:
        if keyword.arg in _TEXT_ARGUMENTS:
            yield from _plain_texts(keyword.value)
        elif keyword.arg in _TEXT_MAPPINGS:
            mappings = (node for node in ast.walk(keyword.value) if isinstance(node, ast.Dict))
            yield from (found for mapping in mappings for value in mapping.values for found in _plain_texts(value))
    place = _TEXT_PLACES.get(_dotted(call.func))
    if place is not None:
        for argument in call.args[place : place + 1]:
            yield from _plain_texts(argument)


def _plain_texts(node: ast.expr) -> Iterator[tuple[ast.expr, str]]:
    parts = node.values if isinstance(node, ast.JoinedStr) else [node]
    text = "".join(_constant(part) or "…" for part in parts)
    if any(character.isalpha() for character in text):
        yield node, text
    if isinstance(node, ast.IfExp):
        yield from (*_plain_texts(node.body), *_plain_texts(node.orelse))


_Finding = tuple[int, str, str, str]


def _name_faults(call: ast.Call, names: Names) -> Iterator[_Finding]:
    for value in (*call.args, *(keyword.value for keyword in call.keywords)):
        name = _constant(value)
        if name is not None and name.partition("#")[0].endswith(".html") and not names.is_template(name):
            yield value.lineno, f"there is no template {name!r}", did_you_mean(name, names.templates), "E008"
    for keyword in call.keywords:
        name = _constant(keyword.value)
        if name and keyword.arg == "icon" and name not in names.icons:
            yield keyword.value.lineno, f"there is no icon {name!r}", did_you_mean(name, names.icons), "E008"
        if name and keyword.arg in _ROUTE_ARGUMENTS:
            yield from _route_faults(name, None, keyword.value, names)
    function = _dotted(call.func)
    name = _constant(call.args[0]) if call.args else None
    if function in _ROUTE_FUNCTIONS and name is not None and "/" not in name:
        yield from _route_faults(name, _values(call, own=_ROUTE_FUNCTIONS[function]), call.args[0], names)


def _values(call: ast.Call, *, own: bool) -> int | None:
    """How many values a call gives to a URL; None if the code does not show it."""
    if own:
        return None if any(isinstance(each, ast.Starred) for each in call.args) else len(call.args) - 1
    given = {keyword.arg: keyword.value for keyword in call.keywords}
    if "kwargs" in given or len(call.args) > 1:
        return None
    args = given.get("args", ast.Tuple(elts=[]))
    if not isinstance(args, ast.List | ast.Tuple) or any(isinstance(each, ast.Starred) for each in args.elts):
        return None
    return len(args.elts)


def _route_faults(name: str, values: int | None, node: ast.expr, names: Names) -> Iterator[_Finding]:
    fault = names.routes.fault(name, values)
    if fault is not None:
        yield node.lineno, *fault, "E008"


def _create_faults(call: ast.Call, names: Names) -> Iterator[_Finding]:
    hook = call.func.attr if isinstance(call.func, ast.Attribute) else ""
    # None among the names: `**options`.
    if hook in names.creates and not {"idempotency_key", None} & {keyword.arg for keyword in call.keywords}:
        yield (
            call.lineno,
            f"{hook} has no idempotency_key: a form that is sent twice creates two",
            "write idempotency_key=submission_key(request), from portal.web.pages; or None for a POST that may repeat",
            "E009",
        )


def _constant(node: ast.expr) -> str | None:
    return node.value if isinstance(node, ast.Constant) and isinstance(node.value, str) else None


def _dotted(node: ast.expr) -> str:
    """`messages.success` of a call to it; empty for anything but names."""
    if isinstance(node, ast.Name):
        return node.id
    if isinstance(node, ast.Attribute):
        owner = _dotted(node.value)
        return f"{owner}.{node.attr}" if owner else ""
    return ""
