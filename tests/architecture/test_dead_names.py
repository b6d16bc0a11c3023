"""Production code has no name that nothing uses, and no export without a reader.

A use is a name in production code, or a word in one of its strings, its templates or this project's settings: Django
finds much by name. An import, an entry of `__all__` and a docstring are no uses, and neither are tests.
"""

from __future__ import annotations

import ast
import re
from collections import defaultdict
from collections.abc import Iterator
from functools import cache
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
FOLDERS = tuple(
    ROOT / folder
    for folder in (
        *(
            "packages/portal",
            "packages/portal_pages",
            "packages/portal_gateway",
            "packages/portal_oidc",
            "packages/portal_operate",
            "packages/portal_dev",
            "packages/jinja_onepage",
        ),
        *("packages/sqlite_cache", "packages/fork_safety", "apps"),
    )
)
#: What others install and import: every export is a promise.
PUBLISHED = {"portal.testing", "jinja_onepage", "sqlite_cache", "fork_safety"}

PROMISED = "promised in docs/reference/contract.md, section 1"
DECLARATION = "what a team declares with (docs/reference/query-layer.md)"
DJANGO = "Django finds it by this name"
OWN_FORM = "for a page with a form that an app writes itself (docs/reference/pages.md)"
#: Names that production code does not use, and why they stay.
UNUSED = {
    "metric_names": "tests hold the dashboard and the alerts against it",
    "Command": DJANGO,
    "PortalAppConfig": DJANGO,
    "PortalWebConfig": DJANGO,
    "PortalPagesConfig": DJANGO,
    "PortalGatewayConfig": DJANGO,
    "urlpatterns": DJANGO,
    "clear_tokens": PROMISED,
    "create_mutation_group": PROMISED,
    "create_query_group": PROMISED,
    "QueryLayer": "for other projects (docs/how-to/use-the-query-layer-in-a-project.md)",
    "COMMON_WORDS": "lists words of many pages for the message catalogs",
    "BACKEND_TEXTS": "lists what backends say most for the message catalogs",
    "PLATFORM_NAMES": "lists the platforms' names for the message catalogs",
}
#: Exports that no other package of production code imports, and why they stay.
UNREAD = {
    "portal.telemetry.audit.AuditFile": "the settings of logging name it",
    "portal.api.clear_tokens": PROMISED,
    "portal.query.QueryLayer": "for other projects (docs/how-to/use-the-query-layer-in-a-project.md)",
    "portal.query.Resource": DECLARATION,
    "portal.services.use_queries": "several queries of a view of one's own (docs/reference/query-layer.md)",
    "portal.query.create_mutation_group": PROMISED,
    "portal.query.create_query_group": PROMISED,
    "portal.web.resolve_post_login_path": PROMISED,
    "portal.web.undo_toast": "for a view of one's own (docs/reference/pages.md)",
    "portal_pages.change_row": "a change by a button, for a view of one's own (docs/reference/pages.md)",
    "portal_pages.form_page": OWN_FORM,
    "portal_pages.submission_key": OWN_FORM,
    "portal.api.BackendProblem": "for a class of one's own (docs/how-to/use-another-backend.md)",
    "portal.api.FormBody": "for a class of one's own (docs/how-to/use-another-backend.md)",
    "portal.api.ListQuery": "for a class of one's own (docs/how-to/use-another-backend.md)",
}


def _modules() -> dict[str, ast.Module]:
    """Every production module by its dotted name."""
    return {_dotted(path): ast.parse(path.read_text()) for folder in FOLDERS for path in folder.rglob("*.py")}


def _dotted(path: Path) -> str:
    parts = path.relative_to(ROOT).with_suffix("").parts
    return ".".join(part for part in parts if part not in {"packages", "__init__"})


modules = cache(_modules)


def defined(module: ast.Module) -> Iterator[str]:
    """The classes, functions and constants of a module, but for overloads, and checks that a decorator registers."""
    for node in module.body:
        match node:
            case ast.ClassDef(name=name):
                yield name
            case ast.FunctionDef(name=name, decorator_list=decorators):
                if not {"overload", "register", "_of_the_configuration"} & set(map(ast.unparse, decorators)):
                    yield name
            case ast.Assign(targets=[ast.Name(id=name)]) | ast.AnnAssign(target=ast.Name(id=name)):
                yield name


def exports(module: ast.Module) -> list[str]:
    """`__all__` of a published package; of a package's public interface, what it defines, and imports without a use of its own."""
    for node in module.body:
        match node:
            case ast.Assign(targets=[ast.Name(id="__all__")], value=value):
                return list(ast.literal_eval(value))
    own = set(used_in(module))
    passed_on = [
        alias.asname or alias.name
        for node in module.body
        if isinstance(node, ast.ImportFrom) and node.module != "__future__"
        for alias in node.names
    ]
    return [*defined(module), *(name for name in passed_on if name not in own)]


@cache
def public_interfaces() -> dict[str, ast.Module]:
    """The `__init__` of each package that publishes nothing: what it imports, it hands out."""
    found = {_dotted(path): ast.parse(path.read_text()) for folder in FOLDERS for path in folder.rglob("__init__.py")}
    return {dotted: module for dotted, module in found.items() if dotted not in PUBLISHED}


def words(text: str) -> list[str]:
    return re.findall(r"\w+", text)


def used_in(module: ast.Module) -> Iterator[str]:
    """The names that a module's code uses, and the words of its strings."""
    skipped: set[ast.AST] = set()
    for node in ast.walk(module):
        match node:
            case ast.Expr(value=ast.Constant() as docstring):
                skipped.add(docstring)
            case ast.Assign(targets=[ast.Name(id="__all__")]):
                skipped.update(ast.walk(node))
    for node in ast.walk(module):
        match node:
            case _ if node in skipped:
                pass
            case ast.Name(id=name, ctx=ast.Load()) | ast.Attribute(attr=name, ctx=ast.Load()):
                yield name
            case ast.Constant(value=str(text)):
                yield from words(text)


@cache
def used() -> frozenset[str]:
    named = {name for module in modules().values() for name in used_in(module)}
    for folder in FOLDERS:
        for template in (*folder.rglob("*.html"), *folder.rglob("*.txt"), *folder.rglob("*.svg")):
            named.update(words(template.read_text()))
    for published in PUBLISHED:
        named.update(exports(modules()[published]))
    return frozenset(named)


def imported() -> dict[tuple[str, str], set[str]]:
    """Module and name, to the modules that import the name from there, or import the module and use the name."""
    found: dict[tuple[str, str], set[str]] = defaultdict(set)
    for importer, module in modules().items():
        for node in ast.walk(module):
            match node:
                case ast.ImportFrom(module=str(source), names=names):
                    for alias in names:
                        found[source, alias.name].add(importer)
                        for used_name in used_in(module) if f"{source}.{alias.name}" in modules() else ():
                            found[f"{source}.{alias.name}", used_name].add(importer)
                case ast.Import(names=names):
                    for name in {alias.name for alias in names} & modules().keys():
                        for used_name in used_in(module):
                            found[name, used_name].add(importer)
    return found


def test_every_name_of_production_code_is_used() -> None:
    dead = {
        f"{dotted}: {name}"
        for dotted, module in modules().items()
        for name in defined(module)
        if name not in used() and name not in UNUSED and not name.startswith("__")
    }
    assert dead == set()


def test_every_export_is_imported_by_another_package() -> None:
    importers = imported()
    unread = {
        f"{package}.{name}"
        for package, module in public_interfaces().items()
        for name in exports(module)
        if not name.startswith("__")
        if not any(not importer.startswith(f"{package}.") for importer in importers[package, name])
    }
    assert unread == set(UNREAD)


def test_each_exception_is_needed() -> None:
    assert not {name for name in UNUSED if name in used()}
    assert {name for module in modules().values() for name in defined(module)} >= set(UNUSED)


def test_an_export_an_import_and_a_docstring_are_no_use() -> None:
    code = (
        '"""lonely."""\nfrom package import lonely\n__all__ = ["lonely"]\ndef lonely(): ...\nclass Used: ...\nUsed()\n'
    )
    module = ast.parse(code)
    assert list(defined(module)) == ["__all__", "lonely", "Used"]
    assert set(used_in(module)) == {"Used"}
