"""Templates and modules in a folder of the test, beside those that all projects share."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest

from portal.source_checks.markup import markup_in
from portal.source_checks.routes import Routes
from portal.web.templating.backend import separate_environments
from portal.web.templating.environment import PageEnvironment, PageLoader

SHARED = Path(__file__).parents[3] / "packages" / "portal" / "web" / "templates"
#: The URLs that the tests' sources name.
ROUTES = Routes({"payments": frozenset({0}), "payment": frozenset({1})})

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


@pytest.fixture
def environments(tmp_path: Path) -> dict[str, PageEnvironment]:
    """The environments of all languages, for the test's templates and the shared ones."""
    loader = PageLoader([tmp_path, SHARED])
    return {
        language: PageEnvironment(language=language, joins_pages=False, loader=loader, autoescape=True)
        for language in separate_environments()
    }


@pytest.fixture
def page(write: Write) -> Callable[[str], tuple[Path, object]]:
    """Writes a template; gives its path and its markup."""

    def written(text: str):
        path = write("page.html", text)
        return path, markup_in(path)

    return written
