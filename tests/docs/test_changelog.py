"""The changelog has versions with dates, and the newest one is that of the package."""

from __future__ import annotations

import datetime as dt
import re

import portal
from tests.support.harness import ROOT

TEXT = (ROOT / "CHANGELOG.md").read_text()
HEADINGS = re.findall(r"^## (.+)$", TEXT, flags=re.MULTILINE)
RELEASES = [re.fullmatch(r"(\d+)\.(\d+)\.(\d+) - (\d{4}-\d\d-\d\d)", heading) for heading in HEADINGS[1:]]
#: In the order of Keep a Changelog, after a part of our own.
KINDS = ["What a team changes", "Added", "Changed", "Deprecated", "Removed", "Fixed", "Security"]


def parts() -> dict[str, list[str]]:
    """The headings of each version's parts."""
    texts = re.split(r"^## .+$", TEXT, flags=re.MULTILINE)[1:]
    return {
        heading: re.findall(r"^### (.+)$", text, flags=re.MULTILINE)
        for heading, text in zip(HEADINGS, texts, strict=True)
    }


def test_what_is_not_released_comes_first_and_then_the_versions_from_the_newest_on() -> None:
    assert HEADINGS[0] == "Unreleased"
    assert None not in RELEASES
    numbers = [tuple(map(int, release.groups()[:3])) for release in RELEASES]
    assert numbers == sorted(set(numbers), reverse=True)
    days = [dt.date.fromisoformat(release[4]) for release in RELEASES]
    assert days == sorted(days, reverse=True)


def test_the_version_of_the_package_is_the_newest_release() -> None:
    assert HEADINGS[1].partition(" ")[0] == portal.__version__


def test_each_version_says_what_a_team_changes_and_then_what_is_new() -> None:
    for heading, kinds in parts().items():
        assert kinds == [kind for kind in KINDS if kind in kinds], heading
        assert heading == "Unreleased" or kinds[0] == "What a team changes", heading


def test_a_part_is_not_empty() -> None:
    assert re.findall(r"^### (.+)\n+(?=#|\Z)", TEXT, flags=re.MULTILINE) == []
