"""The names in templates: compiled in every language, and each constant name looked up."""

from __future__ import annotations

from contextlib import suppress
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final

from django.contrib.staticfiles import finders
from jinja2 import TemplateNotFound, TemplateSyntaxError, nodes

from portal_dev.source_checks.cookies import INSTEAD, READS
from portal_dev.source_checks.faults import Finding, SourceFault, name_hint

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

    from portal.web.templating import PageEnvironment
    from portal_dev.source_checks.routes import Routes

#: Jinja2's messages about names that it finds while it compiles. It finds them in some places only.
_TOLD_BY_NAME: Final = ("No filter named", "No test named")
#: Names that Jinja2 gives to a part of a template.
_OF_JINJA: Final = frozenset({"caller", "kwargs", "loop", "self", "super", "varargs"})


def compile_faults(environments: Mapping[str, PageEnvironment], name: str) -> Iterator[SourceFault]:
    """What stops a template from being compiled in a language, but for the names of :func:`name_findings`."""
    for language, environment in environments.items():
        try:
            environment.get_template(name)
        except TemplateSyntaxError as error:
            message = error.message or "this can't be read"
            if not message.startswith(_TOLD_BY_NAME):
                where = "" if language == next(iter(environments)) else f" (in {language})"
                yield SourceFault(
                    path=Path(error.filename or name),
                    line=error.lineno,
                    message=f"the template can't be compiled: {message}{where}",
                    hint=_hint(message, environment),
                    id="E001",
                )
            return


def _hint(message: str, environment: PageEnvironment) -> str:
    if message.startswith("there is no template "):
        return name_hint(message.split("'")[1], environment.list_templates(extensions=["html"]))
    return "see docs/reference/templates.md"


def name_findings(environment: PageEnvironment, name: str, *, routes: Routes) -> Iterator[Finding]:
    """The names of a template that stand for nothing: filters, functions, constants, URLs, icons, static files."""
    try:
        tree = environment.tree_with_calls(name)
    except TemplateSyntaxError:
        return
    own = set(_set_in(tree))
    for line, message, hint in (
        *_unknown_names(tree, environment, own=own),
        *(fault for call in tree.find_all(nodes.Call) for fault in _call_faults(call, environment, routes)),
        *(fault for each in tree.find_all(nodes.Filter) for fault in _link_faults(each, routes)),
    ):
        yield Finding(line, "E002", message, hint)
    for node in (*tree.find_all(nodes.Getattr), *tree.find_all(nodes.Getitem)):
        if (node.attr if isinstance(node, nodes.Getattr) else _text(node.arg)) == "COOKIES":
            told = "this template reads the cookies, which hold the tokens: a page must not show one"
            yield Finding(node.lineno, READS, told, f"let the view give what the page shows; {INSTEAD}")


_Finding = tuple[int, str, str]


def _set_in(tree: nodes.Template) -> Iterator[str]:
    yield from (node.name for node in tree.find_all(nodes.Name) if node.ctx != "load")
    yield from (node.name for node in tree.find_all(nodes.Macro))
    yield from (node.target for node in tree.find_all(nodes.Import))
    for node in tree.find_all(nodes.FromImport):
        yield from (name if isinstance(name, str) else name[1] for name in node.names)


def _unknown_names(tree: nodes.Template, environment: PageEnvironment, *, own: set[str]) -> Iterator[_Finding]:
    known: Mapping[str, Any] = environment.globals
    kinds: tuple[tuple[type[nodes.Filter | nodes.Test], str, Mapping[str, object]], ...] = (
        (nodes.Filter, "filter", environment.filters),
        (nodes.Test, "test", environment.tests),
    )
    for kind, what, names in kinds:
        for used in tree.find_all(kind):
            if used.name not in names:
                yield used.lineno, f"there is no {what} {used.name!r}", name_hint(used.name, names)
    for call in tree.find_all(nodes.Call):
        called = call.node
        if isinstance(called, nodes.Name) and called.name not in {*known, *own, *_OF_JINJA}:
            functions = [each for each, value in known.items() if callable(value)]
            yield (
                call.lineno,
                f"there is no function or macro {called.name!r}",
                name_hint(called.name, functions),
            )
    for node in tree.find_all(nodes.Name):
        # A view gives lower-case names, which nobody knows here; constants are the environment's.
        if node.ctx == "load" and node.name.isupper() and node.name not in {*known, *own}:
            yield (
                node.lineno,
                f"there is no constant {node.name!r}",
                name_hint(node.name, [each for each in known if each.isupper()]),
            )


def _call_faults(call: nodes.Call, environment: PageEnvironment, routes: Routes) -> Iterator[_Finding]:
    name = call.node.name if isinstance(call.node, nodes.Name) else ""
    first = _text(call.args[0]) if call.args else None
    icons = [_text(keyword.value) for keyword in call.kwargs if keyword.key == "icon"]
    if name == "icon":
        icons.append(first)
    for icon in icons:
        yield from _icon_faults(icon, environment, line=call.lineno)
    if name == "nav_link" and not icons and call.dyn_kwargs is None:
        known = ", ".join(sorted(icons_of(environment)))
        yield (
            call.lineno,
            "nav_link has no icon: each page would be an error",
            f"add icon='NAME', a file of the app's folder templates/…/icons/ or one of all apps; there are {known}",
        )
    if first is None:
        return
    if name in {"list_url", "nav_link", "url"}:
        values = (len(call.args) - 1 if call.dyn_args is None else None) if name == "url" else 0
        fault = routes.fault(first, values)
        if fault is not None:
            yield call.lineno, *fault
    if name == "static" and finders.find(first) is None:
        yield call.lineno, f"there is no static file {first!r}", "it should stand in the folder static/ of the app"


def _icon_faults(name: str | None, environment: PageEnvironment, *, line: int) -> Iterator[_Finding]:
    if name is None:
        return
    icon: Any = environment.globals["icon"]
    try:
        icon(name)
    except TemplateNotFound as error:
        yield line, str(error.message), name_hint(name, icons_of(environment))


def icons_of(environment: PageEnvironment) -> set[str]:
    """The names of all icons that the app's templates may use."""
    return {Path(path).stem for path in environment.list_templates(extensions=["svg"]) if "/icons/" in path}


def _link_faults(used: nodes.Filter, routes: Routes) -> Iterator[_Finding]:
    route = _text(used.args[0]) if used.name == "link" and used.args else None
    if route is not None:
        fault = routes.fault(route, len(used.args) - 1 if used.dyn_args is None else None)
        if fault is not None:
            yield used.lineno, *fault


def _text(node: nodes.Node) -> str | None:
    """A constant text; None for anything else."""
    with suppress(nodes.Impossible):
        value = node.as_const() if isinstance(node, nodes.Expr) else None
        return value if isinstance(value, str) else None
    return None
