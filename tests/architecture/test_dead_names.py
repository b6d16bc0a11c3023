"""Production code has no name that nothing uses, and no export without a reader.

A use is a name in production code, or a word in one of its strings, its templates or this project's settings: Django
finds much by name. An import, an entry of `__all__` and a docstring are no uses, and neither are tests.
"""

import ast
import re
from collections import defaultdict
from collections.abc import Iterator
from functools import cache
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
#: Folders of production code.
FOLDERS = (
    *(each for each in (ROOT / "packages").iterdir() if each.is_dir() and each.name != "sandbox_api"),
    ROOT / "apps",
)
#: What others install and import: every export is a promise.
PUBLISHED = {"portal.testing", "sqlite_cache", "fork_safety"}

#: Names that production code does not use.
UNUSED = {
    # Django finds them by their names.
    *("Command", "PortalAppConfig", "PortalWebConfig", "PortalPagesConfig", "PortalGatewayConfig", "urlpatterns"),
    # Promised in docs/reference/contract.md, section 1.
    *("clear_tokens", "create_mutation_group", "create_query_group"),
    # Lists of texts for the message catalogs.
    *("COMMON_WORDS", "BACKEND_TEXTS", "PLATFORM_NAMES"),
    # MkDocs calls it: mkdocs.yml.
    "on_files",
}
#: Exports that no other package of production code imports.
UNREAD = {
    # Promised in docs/reference/contract.md, section 1.
    *("portal.api.clear_tokens", "portal.query.create_mutation_group", "portal.query.create_query_group"),
    "portal.web.resolve_post_login_path",
    # For declarations, and for a view of one's own: docs/reference/query-layer.md and pages.md.
    *("portal.query.Resource", "portal.services.use_queries", "portal.web.undo_toast"),
    *("portal_pages.change_row", "portal_pages.form_page"),
    # For a class of one's own: docs/how-to/use-another-backend.md.
    *("portal.api.BackendProblem", "portal.api.FormBody", "portal.api.ListQuery"),
    # The settings of logging name it.
    *("portal.telemetry.audit.AuditFile", "portal.telemetry.audit.JsonLine"),
}


def _dotted(path: Path) -> str:
    parts = path.relative_to(ROOT).with_suffix("").parts
    return ".".join(part for part in parts if part not in {"packages", "__init__"})


PATHS = {_dotted(path): path for folder in FOLDERS for path in folder.rglob("*.py")}


@cache
def modules() -> dict[str, ast.Module]:
    """Return every production module by its dotted name. Each process of a run would parse them all to collect."""
    return {dotted: ast.parse(path.read_text()) for dotted, path in PATHS.items()}


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
                yield from re.findall(r"\w+", text)


@cache
def used() -> frozenset[str]:
    templates = [
        path for folder in FOLDERS for suffix in ("html", "txt", "svg") for path in folder.rglob(f"*.{suffix}")
    ]
    return frozenset(
        [
            *(name for module in modules().values() for name in used_in(module)),
            *(word for template in templates for word in re.findall(r"\w+", template.read_text())),
            *(name for published in PUBLISHED for name in exports(modules()[published])),
        ]
    )


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
        for package in PATHS.keys() - PUBLISHED
        if PATHS[package].name == "__init__.py"
        for name in exports(modules()[package])
        if not name.startswith("__")
        if not any(not importer.startswith(f"{package}.") for importer in importers[package, name])
    }
    assert unread == UNREAD


def test_each_exception_is_needed() -> None:
    assert not UNUSED & used()
    assert {name for module in modules().values() for name in defined(module)} >= UNUSED


def test_an_export_an_import_and_a_docstring_are_no_use() -> None:
    code = (
        '"""lonely."""\nfrom package import lonely\n__all__ = ["lonely"]\ndef lonely(): ...\nclass Used: ...\nUsed()\n'
    )
    module = ast.parse(code)
    assert list(defined(module)) == ["__all__", "lonely", "Used"]
    assert set(used_in(module)) == {"Used"}
