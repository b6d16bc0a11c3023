"""Templates and modules in a folder of the test, beside those that all projects share."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest

from portal.config.locales import DEFAULT_LOCALE, LOCALES
from portal.web.templating.environment import PageEnvironment, PageLoader
from portal_dev.source_checks.routes import Routes

PACKAGES = Path(__file__).parents[3] / "packages"
SHARED = [PACKAGES / "portal_pages" / "templates", PACKAGES / "portal" / "web" / "templates"]
#: The URLs that the tests' sources name.
ROUTES = Routes(
    {"payments": frozenset({0}), "payment": frozenset({1})},
    pages={"/finance/payments": "payments", "/finance/payments/<str:row_id>": "payment"},
    others=frozenset({"/", "/locale"}),
)

Write = Callable[[str, str], Path]


@pytest.fixture
def write(tmp_path: Path) -> Write:
    """Writes a file; gives its path."""

    def file(name: str, text: str) -> Path:
        path = tmp_path / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text)
        return path

    return file


def environment_of(language: str, folder: Path) -> PageEnvironment:
    loader = PageLoader([folder, *SHARED])
    return PageEnvironment(language=language, joins_pages=False, loader=loader, autoescape=True)


@pytest.fixture
def environment(tmp_path: Path) -> PageEnvironment:
    """The environment of the default language, for the test's templates and the shared ones."""
    return environment_of(DEFAULT_LOCALE, tmp_path)


@pytest.fixture
def environments(environment: PageEnvironment, tmp_path: Path) -> dict[str, PageEnvironment]:
    """Those of all languages, the default one first."""
    others = {language: environment_of(language, tmp_path) for language in LOCALES if language != DEFAULT_LOCALE}
    return {DEFAULT_LOCALE: environment, **others}
