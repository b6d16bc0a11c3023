"""Every file has an owner, and a team owns what is its app's alone."""

from __future__ import annotations

import pytest

from portal.config.platforms import PLATFORMS
from portal_dev.platforms.platform_folders import platform_folders
from tests.support.harness import ROOT

LINES = [
    line.split() for line in (ROOT / "CODEOWNERS").read_text().splitlines() if line.strip() and not line.startswith("#")
]
MAINTAINERS = LINES[0][1]


def owners_of(file: str) -> list[str]:
    """The owners of a file, named from the root: those of the last line that fits."""
    fitting = [
        owners
        for path, *owners in LINES
        if path in {"*", f"/{file}"} or (path.endswith("/") and f"/{file}".startswith(path))
    ]
    return fitting[-1]


def team_of(app: str) -> str:
    return f"{MAINTAINERS.partition('/')[0]}/{app}-team"


def test_the_maintainers_own_what_no_other_line_names_and_each_line_names_something() -> None:
    assert LINES[0][0] == "*"
    assert MAINTAINERS.endswith("/portal-maintainers")
    assert [path for path, *_ in LINES[1:] if not (ROOT / path.strip("/")).exists()] == []


@pytest.mark.parametrize("app", [platform.app for platform in PLATFORMS])
def test_a_team_owns_the_folders_of_its_app(app: str) -> None:
    for folder in platform_folders(app):
        # How an app is deployed is the same for all of them.
        owner = MAINTAINERS if folder.startswith("deploy/") else team_of(app)
        assert owners_of(f"{folder}/urls.py") == owners_of(f"{folder}/locale/de/django.po") == [owner]


@pytest.mark.parametrize("file", ["CHANGELOG.md", "docs/reference/endpoints.md", "tests/support/every_page/rows.py"])
def test_any_team_may_approve_what_each_team_adds_to(file: str) -> None:
    assert owners_of(file) == [MAINTAINERS, *(team_of(platform.app) for platform in PLATFORMS)]
