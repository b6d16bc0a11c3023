"""The changelog has versions with dates, and the newest one is that of the package."""

import re

import portal
from tests.support.harness import ROOT


def test_the_versions_go_from_the_newest_on_which_is_that_of_the_package() -> None:
    first, *headings = re.findall(r"^## (.+)$", (ROOT / "CHANGELOG.md").read_text(), flags=re.MULTILINE)
    assert first == "Unreleased"
    releases = [re.fullmatch(r"(\d+)\.(\d+)\.(\d+) - (\d{4}-\d\d-\d\d)", heading) for heading in headings]
    order = [(tuple(map(int, release.groups()[:3])), release[4]) for release in releases if release]
    assert len(order) == len(headings)
    assert order == sorted(set(order), reverse=True)
    assert headings[0].partition(" ")[0] == portal.__version__
