"""The Python of an app: texts, tokens, names of templates, URLs and icons, creates without a key."""

import ast
import re
from collections.abc import Iterator
from inspect import signature
from pathlib import Path
from typing import Final

import portal_pages
from portal.config.cookies import VAR_ACCESS_TOKEN, VAR_REFRESH_TOKEN
from portal.web import present
from portal_dev.source_checks.faults import Fault, Names, constant, unknown_name, unmarked_texts
from portal_pages import figures

#: The arguments that people read, of forms' fields, badges, tiles and pages.
_ARGUMENTS: Final = re.compile("((submit|back)_)?label|title|help_text|(search_)?hint|placeholder|heading|message|text")
#: The arguments, and the names in `class Meta` of a form, whose values are mappings to texts.
_MAPPINGS: Final = frozenset({"error_messages", "sorts", "fields", "choices", "help_texts"})
#: Functions whose arguments are the backend's data: `Order.partial(…)` and hooks.
_OF_THE_BACKEND: Final = re.compile(r"(\.partial|\buse_\w+_(query|mutation)(\.\w+)?)$")
#: The part that `%` and `format` replace.
_PLACEHOLDER: Final = re.compile(r"%(\(\w+\))?[-+ #0-9.*]*[A-Za-z]|\{[^{}]*\}")
#: The functions of `django.contrib.messages`, and of errors: which argument people read.
_PLACES: Final = {
    **dict.fromkeys((f"messages.{level}" for level in ("debug", "success", "info", "warning", "error")), 1),
    **dict.fromkeys(("ValidationError", "forms.ValidationError"), 0),
    **dict.fromkeys(("form.add_error", "self.add_error", "undo_toast"), 1),
    "messages.add_message": 2,
}
#: Django's responses that take what a page shows.
_RESPONSES: Final = re.compile(r"HttpResponse(|BadRequest|Forbidden|Gone|NotFound|ServerError)")
_TOKENS: Final = frozenset({VAR_ACCESS_TOKEN, VAR_REFRESH_TOKEN})
#: The functions whose first argument is the name of a URL.
_ROUTE_FUNCTIONS: Final = frozenset({"reverse", "reverse_lazy", "see_other", "redirect"})
#: The parameters of our own classes and functions that people read, each with its position.
_OURS: Final[dict[str, dict[str, int | None]]] = {
    name: {
        each.name: None if each.kind is each.KEYWORD_ONLY else place
        for place, each in enumerate(signature(given).parameters.values())
        # By its name where a module postpones its annotations. A unit such as kWh is the same in every language.
        if re.search("LazyText|_StrPromise", str(each.annotation)) and each.name != "unit"
    }
    for module in (portal_pages, figures, present)
    for name, given in vars(module).items()
    if getattr(given, "__module__", "").startswith(("portal.", "portal_pages.")) and callable(given)
}


def python_faults(path: Path, *, names: Names | None = None) -> Iterator[Fault]:
    """Yield the faults of one module.

    :param names: None for a service, which has no texts and no addresses of pages.
    :raises SyntaxError: it is no Python.
    """
    tree = ast.parse(path.read_text(encoding="utf-8-sig"))
    texts: list[tuple[int, str]] = []
    for node in ast.walk(tree):
        name = constant(node) or getattr(node, "id", getattr(node, "attr", ""))
        if isinstance(node, ast.expr) and name in _TOKENS:
            message = f"{name} holds a token, which no app touches: it could stand in a log, in a page or in an error"
            yield Fault(path, node.lineno, "E013", message, "a hook sends the token itself")
        elif isinstance(node, ast.ClassDef) and node.name == "Meta" and names is not None:
            texts += _in_meta(node)
        elif isinstance(node, ast.Call) and names is not None:
            function = ast.unparse(node.func)
            texts += _in_call(node, function)
            yield from _call_faults(path, node, function, names)
    how = '_("%s"), with gettext as _ in a view, and gettext_lazy outside of functions'
    yield from unmarked_texts(path, texts, write=how, comment="# untranslated: why")


def _call_faults(path: Path, call: ast.Call, function: str, names: Names) -> Iterator[Fault]:
    given = {keyword.arg: keyword.value for keyword in call.keywords}
    hook = getattr(call.func, "attr", "")
    # None among the names: `**options`.
    if hook in names.creates and not {"idempotency_key", None} & given.keys():
        message = f"{hook} has no idempotency_key: a form that is sent twice creates two"
        yield Fault(path, call.lineno, "E009", message, "write idempotency_key=submission_key(request), or None")
    for value in (*call.args, *given.values()):
        name = constant(value).partition("#")[0]
        if name.endswith(".html"):
            yield from unknown_name(path, value.lineno, "template", name, names.templates)
    if "icon" in given and (name := constant(given["icon"])):
        yield from unknown_name(path, given["icon"].lineno, "icon", name, names.icons)
    routes = [given[each] for each in ("part_of", "route") if each in given]
    for node in (*routes, *(call.args[:1] if function in _ROUTE_FUNCTIONS else ())):
        # A text with a slash is an address.
        if (name := constant(node)) and "/" not in name:
            yield from unknown_name(path, node.lineno, "URL with the name", name, names.routes)


def _in_call(call: ast.Call, function: str) -> Iterator[tuple[int, str]]:
    """Yield the texts that a call is given for people, each with its line."""
    name = function.rpartition(".")[2]
    if _OF_THE_BACKEND.search(function):
        return
    ours = _OURS.get(name, {})
    # A response of another type is for a program.
    types = [constant(each.value) for each in call.keywords if each.arg == "content_type"]
    if _RESPONSES.fullmatch(name) and all(each.startswith("text/html") for each in types):
        ours = {"content": 0}
    for keyword in call.keywords:
        argument, value = keyword.arg or "", keyword.value
        if argument in _MAPPINGS or argument in ours:
            yield from _in_mappings(value)
        if argument == "choices" and isinstance(value, ast.List | ast.Tuple):
            pairs = [pair.elts for pair in value.elts if isinstance(pair, ast.Tuple)]
            yield from (found for pair in pairs for text in pair[1:] for found in _plain(text))
        # `Point(text="12 kWh")` is a value with its unit.
        elif (argument in ours or _ARGUMENTS.fullmatch(argument)) and (name, argument) != ("Point", "text"):
            yield from _plain(value)
    for place in (_PLACES.get(function), *ours.values()):
        for value in call.args[place : place + 1] if place is not None else ():
            yield from _in_mappings(value)
            for each in value.elts if isinstance(value, ast.List) else [value]:
                yield from _plain(each)


def _in_meta(node: ast.ClassDef) -> Iterator[tuple[int, str]]:
    """Yield the texts of a form's `class Meta`."""
    for each in node.body:
        targets = getattr(each, "targets", [getattr(each, "target", None)])
        if any(getattr(target, "id", "") in _MAPPINGS for target in targets):
            yield from _in_mappings(each)


def _in_mappings(node: ast.AST) -> Iterator[tuple[int, str]]:
    """Yield the values of the mappings in a piece of code."""
    for mapping in ast.walk(node):
        for value in mapping.values if isinstance(mapping, ast.Dict) else ():
            yield from _plain(value)


def _plain(node: ast.expr) -> Iterator[tuple[int, str]]:
    """Yield the text, if it is written out; a value in it is shown as `…`."""
    match node:
        case ast.IfExp(body=left, orelse=right) | ast.BinOp(left=left, op=ast.Add(), right=right):
            yield from (*_plain(left), *_plain(right))
        case (
            ast.BinOp(left=pattern, op=ast.Mod())
            | ast.Call(func=ast.Attribute(value=ast.Constant() as pattern, attr="format"))
        ):
            yield from (found for found in _plain(pattern) if any(map(str.isalpha, _PLACEHOLDER.sub("", found[1]))))
        case _:
            parts = node.values if isinstance(node, ast.JoinedStr) else [node]
            yield node.lineno, "".join(constant(part) or "…" for part in parts)
