"""Every file has an owner, and a team owns what is its app's alone."""

from __future__ import annotations

import re

import pytest

from portal.config.platforms import PLATFORMS
from portal_dev.platforms.platform_folders import platform_folders
from tests.support.harness import ROOT

LINES = [
    line.split() for line in (ROOT / "CODEOWNERS").read_text().splitlines() if line.strip() and not line.startswith("#")
]
MAINTAINERS = f"{LINES[0][1].partition('/')[0]}/portal-maintainers"
#: Where a team adds a line for its endpoint, its page or its change.
OF_ALL_TEAMS = {
    "CHANGELOG.md",
    "docs/reference/endpoints.md",
    "tests/support/every_page/rows.py",
}


def owners_of(file: str) -> list[str]:
    """The owners of a file, named from the root: those of the last line that fits."""
    fitting = [
        owners
        for path, *owners in LINES
        if path in {"*", f"/{file}"} or (path.endswith("/") and f"/{file}".startswith(path))
    ]
    return fitting[-1] if fitting else []


def team_of(app: str) -> str:
    return MAINTAINERS.replace("portal-maintainers", f"{app}-team")


@pytest.mark.parametrize(
    "file",
    [
        ".ci/run",
        ".gitignore",
        "CODEOWNERS",
        "README.md",
        "apps/__init__.py",
        "apps/auth_app/urls.py",
        "benchmarks/__main__.py",
        "deploy/nginx/portal.conf",
        "docs/README.md",
        "docs/adr/README.md",
        "docs/reference/contract.md",
        "packages/portal/config/platforms.py",
        "packages/portal/services/user.py",
        "packages/sandbox_api/README.md",
        "pyproject.toml",
        "requirements/base.txt",
        "tests/conftest.py",
        "tests/apps/test_every_page.py",
        "tests/contract/test_endpoints.py",
    ],
)
def test_the_maintainers_own_what_all_share(file: str) -> None:
    assert owners_of(file) == [MAINTAINERS]


def test_the_first_line_is_for_every_file() -> None:
    assert LINES[0] == ["*", MAINTAINERS]


@pytest.mark.parametrize("app", [platform.app for platform in PLATFORMS])
def test_a_team_owns_the_folders_of_its_app(app: str) -> None:
    inside = ("", "urls.py", f"templates/{app}/overview.html", "locale/de/LC_MESSAGES/django.po")
    for folder in platform_folders(app):
        # How an app is deployed is the same for all of them.
        owner = MAINTAINERS if folder.startswith("deploy/") else team_of(app)
        assert [owners_of(f"{folder}/{file}") for file in inside] == [[owner]] * len(inside)


@pytest.mark.parametrize("file", sorted(OF_ALL_TEAMS))
def test_any_team_may_approve_what_each_team_adds_to(file: str) -> None:
    assert owners_of(file) == [MAINTAINERS, *(team_of(platform.app) for platform in PLATFORMS)]


def test_every_owner_is_a_team_of_one_organisation() -> None:
    organisation = re.escape(MAINTAINERS.partition("/")[0])
    owners = [owner for _, *owners in LINES for owner in owners]
    assert [owner for owner in owners if not re.fullmatch(rf"{organisation}/[a-z0-9-]+", owner)] == []


def test_every_path_leads_to_something() -> None:
    assert [path for path, *_ in LINES if path != "*" and not (ROOT / path.strip("/")).exists()] == []
