"""What the portal asks for, it uses: each runtime dependency is imported, or named in the settings."""

from __future__ import annotations

import ast
import re
import tomllib
from collections.abc import Iterator
from importlib.metadata import packages_distributions
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]
SETTINGS = ROOT / "packages" / "portal" / "config" / "base_settings.py"
DEPENDENCIES = tomllib.loads((ROOT / "pyproject.toml").read_text())["project"]["dependencies"]
#: Those that nothing here names, and why they are asked for all the same.
ALLOWED = {
    "redis": "Django's own cache backend imports it, where CACHE_URL names a Redis",
}


def served_modules() -> Iterator[Path]:
    """What runs on a server; `portal.testing` has an extra of its own."""
    for folder in (ROOT / "packages" / "portal", ROOT / "apps"):
        yield from (path for path in folder.rglob("*.py") if "testing" not in path.relative_to(folder).parts)


def imported() -> set[str]:
    """Top-level modules that the served code imports, or names in the settings as Django does."""
    found: set[str] = set()
    for path in served_modules():
        for node in ast.walk(ast.parse(path.read_text())):
            match node:
                case ast.Import():
                    found.update(alias.name.partition(".")[0] for alias in node.names)
                case ast.ImportFrom(module=str(module), level=0):
                    found.add(module.partition(".")[0])
                case ast.Constant(value=str(text)) if path == SETTINGS and re.fullmatch(r"\w+(\.\w+)*", text):
                    found.add(text.partition(".")[0])
    return found


def modules_of(distribution: str) -> set[str]:
    return {
        module
        for module, names in packages_distributions().items()
        if distribution.lower() in {name.lower() for name in names}
    }


@pytest.mark.parametrize("distribution", [re.match(r"[\w-]+", wanted).group() for wanted in DEPENDENCIES])
def test_a_dependency_is_used(distribution: str) -> None:
    modules = modules_of(distribution)
    assert modules, f"{distribution} is not installed"
    assert modules & imported() or distribution in ALLOWED
