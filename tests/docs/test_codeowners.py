"""CODEOWNERS: every file has an owner, and a team owns what is its app's alone."""

from portal.config.platforms import PLATFORMS
from portal_dev.platforms.platform_folders import platform_folders
from tests.support.harness import ROOT

LINES = [
    line.split() for line in (ROOT / "CODEOWNERS").read_text().splitlines() if line.strip() and not line.startswith("#")
]
OWNERS = {path: owners for path, *owners in LINES}
MAINTAINERS = LINES[0][1]
TEAMS = {platform.app: f"{MAINTAINERS.partition('/')[0]}/{platform.app}-team" for platform in PLATFORMS}


def test_maintainers_own_all_that_no_line_names() -> None:
    assert LINES[0] == ["*", MAINTAINERS]
    assert MAINTAINERS.endswith("/portal-maintainers")
    assert [path for path in [*OWNERS][1:] if not (ROOT / path.strip("/")).exists()] == []


def test_team_owns_the_folders_of_its_app() -> None:
    for app, team in TEAMS.items():
        # How an app is deployed is the same for all of them.
        folders = [folder for folder in platform_folders(app) if not folder.startswith("deploy/")]
        assert [OWNERS.get(f"/{folder}/") for folder in folders] == [[team]] * len(folders)


def test_each_team_may_approve_shared_lists() -> None:
    for file in ("CHANGELOG.md", "docs/reference/endpoints.md", "tests/support/every_page/"):
        assert OWNERS[f"/{file}"] == [MAINTAINERS, *TEAMS.values()]
