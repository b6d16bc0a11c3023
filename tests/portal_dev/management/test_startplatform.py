"""A new platform: written in a copy, booted, its home page opened, its first tests run, and removed again."""

from __future__ import annotations

import shutil
from pathlib import Path

import pytest

from portal_dev.platforms import platform_places
from portal_dev.platforms.platform_folders import LONGEST
from tests.support.checkout_copy import (
    NEW_PLATFORM,
    changes_of_copy,
    commit_copy,
    copy_of_checkout,
    in_copy,
    output_of,
    run,
)

#: A command of manage.py that Ctrl-C ends before it writes one more file than given, or removes one more folder.
INTERRUPTED = """
import shutil, sys
from pathlib import Path
from portal_operate.program.entry import main

_, count, *words = sys.argv
left = [int(count)]

def stops(do):
    def interrupted(path, *args, **kwargs):
        if Path(path).is_relative_to(Path.cwd()):
            if not left[0]:
                raise KeyboardInterrupt
            left[0] -= 1
        return do(path, *args, **kwargs)
    return interrupted

Path.write_text, shutil.rmtree = stops(Path.write_text), stops(shutil.rmtree)
main(["manage.py", *words])
"""


@pytest.fixture
def copy(tmp_path: Path) -> Path:
    """This checkout in another folder."""
    return copy_of_checkout(tmp_path / "copy", whole=True)


def start(copy: Path, name: str = NEW_PLATFORM) -> str:
    return output_of(copy, "manage.py", "startplatform", name)


def remove(copy: Path, name: str = NEW_PLATFORM) -> str:
    return output_of(copy, "manage.py", "removeplatform", name)


def test_command_tells_what_it_wrote_and_missed(copy: Path) -> None:
    (copy / "README.md").write_text("Our own page.\n")
    owners = copy / "CODEOWNERS"
    owners.write_text(owners.read_text().replace("@org/", "@acme/"))
    name = "x" * LONGEST
    said = start(copy, name)
    assert f"Written: apps/{name}, packages/portal/services/{name}, tests/apps/{name}" in said
    assert f"create_account --email you@example.com --permissions {name.upper()}_APP" in said
    assert f"there was nothing to add it to: README.md: , `apps/{name}`" in said
    assert (copy / "README.md").read_text() == "Our own page.\n"
    assert f"/apps/{name}/ @acme/{name}-team\n" in owners.read_text()
    for words in (["format", "--check"], ["check"]):
        output_of(copy, "-m", "ruff", *words, "apps/product.py", f"apps/{name}", f"tests/apps/{name}")


def test_folder_without_a_line_and_line_without_a_folder_fail_a_check(copy: Path) -> None:
    for change, fault in (
        (lambda: shutil.copytree(copy / "apps" / "finance", copy / "apps" / NEW_PLATFORM), "portal.E002"),
        (lambda: shutil.rmtree(copy / "apps" / "finance"), "portal.E001"),
    ):
        change()
        result = run(copy, "manage.py", "--app", "energy", "check", variables=in_copy(copy, DEBUG="on"))
        assert result.returncode != 0
        assert fault in result.stderr


def test_refused_name_changes_nothing(copy: Path) -> None:
    commit_copy(copy)
    known = "is no platform; there are energy, operations, finance"
    for command, name, told in (
        ("startplatform", "calendar", "can't be a platform: "),
        ("removeplatform", "auth_app", known),
        ("removeplatform", "../energy", known),
    ):
        result = run(copy, "manage.py", command, name)
        assert result.returncode != 0
        assert result.stderr.startswith(f"CommandError: {name!r} {told}")
    assert changes_of_copy(copy) == ""


def test_interrupted_commands_can_be_repeated(copy: Path) -> None:
    commit_copy(copy)
    interrupted = run(copy, "-c", INTERRUPTED, "8", "startplatform", NEW_PLATFORM)
    assert "KeyboardInterrupt" in interrupted.stderr
    remove(copy)
    assert changes_of_copy(copy) == ""
    start(copy)
    interrupted = run(copy, "-c", INTERRUPTED, "5", "removeplatform", NEW_PLATFORM)
    assert "KeyboardInterrupt" in interrupted.stderr
    remove(copy)
    assert changes_of_copy(copy) == ""


def test_work_stops_the_removal_unless_git_has_it(copy: Path) -> None:
    start(copy)
    view = copy / "apps" / NEW_PLATFORM / "views" / "trucks.py"
    view.write_text("# an afternoon's work\n")
    refused = f"nothing is removed: apps/{NEW_PLATFORM}/views/trucks.py\n"
    assert run(copy, "manage.py", "removeplatform", NEW_PLATFORM).stderr.endswith(refused), "without git"
    view.unlink()
    remove(copy)
    start(copy)
    commit_copy(copy)
    view.write_text("# an afternoon's work\n")
    before = changes_of_copy(copy)
    assert run(copy, "manage.py", "removeplatform", NEW_PLATFORM).stderr.endswith(refused)
    assert changes_of_copy(copy) == before
    commit_copy(copy)
    remove(copy)
    assert not view.exists()


def test_name_within_a_longer_one_is_left_alone(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setattr(platform_places, "SOURCE_ROOT", tmp_path)
    file = tmp_path / "packages" / "portal" / "services" / "__init__.py"
    file.parent.mkdir(parents=True)
    file.write_text("auth · energy · energyx · energy2")
    edits = platform_places.remove_platform("energy", platforms=["energy", "energyx"])
    assert edits.texts == {"packages/portal/services/__init__.py": "auth · energyx · energy2"}
