"""The Python of an app: addresses, unmarked texts, names of templates, URLs, icons and permissions, creates without a
key; and what must not stand in a service either.
"""

from __future__ import annotations

import ast
from dataclasses import dataclass
from typing import TYPE_CHECKING, Final

from portal_dev.source_checks.cookies import cookie_findings
from portal_dev.source_checks.faults import Finding, SourceFault, faults_of, name_hint
from portal_dev.source_checks.origins import SCHEMES, origin_finding, origins_in
from portal_dev.source_checks.python_texts import constant, dotted, imported_names, unmarked_python_texts
from portal_dev.source_checks.shared_state import shared_state

if TYPE_CHECKING:
    from collections.abc import Callable, Collection, Iterator, Mapping
    from pathlib import Path

    from portal_dev.source_checks.routes import Routes

#: The functions whose first argument is the name of a URL, and whether the others are its values.
_ROUTE_FUNCTIONS: Final = {"reverse": False, "reverse_lazy": False, "see_other": True, "redirect": True}
#: The arguments that name a URL.
_ROUTE_ARGUMENTS: Final = frozenset({"part_of", "route"})
#: The functions that redirect, each with the one to write for a page of the app.
_REDIRECTS: Final = {
    "see_other": "see_other",
    **dict.fromkeys(("redirect", "HttpResponseRedirect", "HttpResponsePermanentRedirect"), "redirect"),
}
#: The functions that take the permission that a page needs.
_GUARDS: Final = frozenset(
    {
        *("platform_page", "resource_pages", "RowAction"),
        *("ListView", "DetailView", "CreateView", "EditView", "DeleteView"),
    }
)


@dataclass(frozen=True, slots=True, kw_only=True)
class Names:
    """What an app's Python may name.

    :param is_template: whether there is a template of that name.
    :param creates: the names of the hooks that send a POST, such as `use_create_client_mutation`.
    :param permissions: those of the platforms, and those that are constants of the app.
    """

    routes: Routes
    templates: Collection[str]
    is_template: Callable[[str], bool]
    icons: Collection[str]
    creates: Collection[str]
    permissions: Collection[str] = ()


def python_faults(path: Path, *, names: Names | None = None) -> Iterator[SourceFault]:
    """The faults of one module.

    :param names: None for a service, which has no texts and no addresses of pages.
    :raises SyntaxError: it is no Python.
    """
    source = path.read_text(encoding="utf-8-sig")
    tree, lines = ast.parse(source), dict(enumerate(source.splitlines(), start=1))
    imported = imported_names(tree)
    calls = [node for node in ast.walk(tree) if isinstance(node, ast.Call)]
    findings = [*cookie_findings(tree, imported), *shared_state(tree, lines, imported), *_pauses(calls, imported)]
    if names is not None:
        findings += [*_origins(tree), *unmarked_python_texts(tree, imported), *_unknown_permissions(tree, names)]
        findings += [finding for call in calls for finding in _call_findings(call, names, imported)]
    yield from faults_of(path, findings, lines)


def _pauses(calls: list[ast.Call], imported: Mapping[str, str]) -> Iterator[Finding]:
    for call in calls:
        if dotted(call.func, imported) == "time.sleep":
            yield Finding(
                call.lineno,
                "E016",
                "time.sleep holds a thread of the server, for which other requests wait",
                "a hook tries again by itself; a part of a page that is to follow asks again: live_part, from"
                " portal_pages",
            )


def _unknown_permissions(tree: ast.Module, names: Names) -> Iterator[Finding]:
    for node, name in _permissions(tree):
        if name not in names.permissions:
            yield Finding(
                node.lineno,
                "E017",
                f"no platform has the permission {name!r}",
                f"{name_hint(name, names.permissions)}; one of the app's own is a constant, APPROVE: Final ="
                f' "{name}", that stands here by its name',
            )


def _call_findings(call: ast.Call, names: Names, imported: Mapping[str, str]) -> Iterator[Finding]:
    for line, message, hint in _name_faults(call, names, imported):
        yield Finding(line, "E008", message, hint)
    address = _address(call, names, imported)
    if address is not None:
        yield Finding(call.lineno, "E018", *address)
    hook = call.func.attr if isinstance(call.func, ast.Attribute) else ""
    # None among the names: `**options`.
    if hook in names.creates and not {"idempotency_key", None} & {keyword.arg for keyword in call.keywords}:
        yield Finding(
            call.lineno,
            "E009",
            f"{hook} has no idempotency_key: a form that is sent twice creates two",
            "write idempotency_key=submission_key(request), from portal_pages; or None for a POST that may happen"
            " twice",
        )


def declared_texts(tree: ast.Module) -> set[str]:
    """The values of a module's constants that are texts: `APPROVE: Final = "FINANCE_APPROVE"`."""
    return {
        node.value.value
        for node in tree.body
        for target in (node.targets if isinstance(node, ast.Assign) else [getattr(node, "target", None)])
        if isinstance(target, ast.Name) and target.id.isupper()
        if isinstance(node, ast.Assign | ast.AnnAssign) and isinstance(node.value, ast.Constant)
        if isinstance(node.value.value, str)
    }


def _permissions(tree: ast.Module) -> Iterator[tuple[ast.expr, str]]:
    """The permissions that are written out: of a page, and in `"IAM_ADMIN" in user.permissions`."""
    for node in ast.walk(tree):
        match node:
            case ast.Call(func=ast.Name(id=function) | ast.Attribute(attr=function)) if function in _GUARDS:
                given = [keyword.value for keyword in node.keywords if keyword.arg == "permission"]
            case ast.Compare(left=left, ops=[ast.In() | ast.NotIn()], comparators=[ast.Attribute(attr="permissions")]):
                given = [left]
            case _:
                continue
        yield from ((each, name) for each in given if (name := constant(each)))


def _address(call: ast.Call, names: Names, imported: Mapping[str, str]) -> tuple[str, str] | None:
    """What is wrong with the address to which a call redirects, and a hint."""
    function = dotted(call.func, imported).rpartition(".")[2]
    address = constant(call.args[0]) if function in _REDIRECTS and call.args else None
    return None if address is None else names.routes.address_fault(address, write=f"{_REDIRECTS[function]}(%s)")


def _origins(tree: ast.Module) -> Iterator[Finding]:
    # A text that stands alone is a docstring, or does nothing.
    alone = {id(node.value) for node in ast.walk(tree) if isinstance(node, ast.Expr)}
    for node in ast.walk(tree):
        if isinstance(node, ast.Constant) and isinstance(node.value, str) and id(node) not in alone:
            yield from (origin_finding(node.lineno, origin) for origin in origins_in(node.value))
        elif isinstance(node, ast.JoinedStr | ast.BinOp):
            # f"https://{host}/", "https://" + host: the host follows as a value.
            parts = node.values if isinstance(node, ast.JoinedStr) else [node.left]
            yield from (
                origin_finding(node.lineno, ast.unparse(node).removeprefix("f").strip("'"))
                for part in parts
                if isinstance(part, ast.Constant) and str(part.value).lower().endswith(SCHEMES)
            )


_Finding = tuple[int, str, str]


def _name_faults(call: ast.Call, names: Names, imported: Mapping[str, str]) -> Iterator[_Finding]:
    for value in (*call.args, *(keyword.value for keyword in call.keywords)):
        name = constant(value)
        if name is not None and name.partition("#")[0].endswith(".html") and not names.is_template(name):
            yield value.lineno, f"there is no template {name!r}", name_hint(name, names.templates)
    function, given = dotted(call.func, imported), {keyword.arg: keyword.value for keyword in call.keywords}
    icon = given.get("icon")
    name = constant(icon) if icon is not None else None
    if icon is not None and name and name not in names.icons:
        yield icon.lineno, f"there is no icon {name!r}", name_hint(name, names.icons)
    for argument in _ROUTE_ARGUMENTS & given.keys():
        yield from _route_faults(given[argument], None, names)
    if function in _ROUTE_FUNCTIONS and call.args:
        yield from _route_faults(call.args[0], _values(call, given, own=_ROUTE_FUNCTIONS[function]), names)


def _values(call: ast.Call, given: dict[str | None, ast.expr], *, own: bool) -> int | None:
    """How many values a call gives to a URL; None if the code does not show it."""
    if own:
        return None if any(isinstance(each, ast.Starred) for each in call.args) else len(call.args) - 1
    if "kwargs" in given or len(call.args) > 1:
        return None
    args = given.get("args", ast.Tuple(elts=[]))
    if not isinstance(args, ast.List | ast.Tuple) or any(isinstance(each, ast.Starred) for each in args.elts):
        return None
    return len(args.elts)


def _route_faults(node: ast.expr, values: int | None, names: Names) -> Iterator[_Finding]:
    name = constant(node)
    # A text with a slash is an address.
    fault = names.routes.fault(name, values) if name and "/" not in name else None
    if fault is not None:
        yield node.lineno, *fault
