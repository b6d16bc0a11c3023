"""A new platform: written in a copy, booted, its home page opened, its first tests run, and removed again."""

from pathlib import Path

import pytest
from django.core.management import CommandError, call_command

from portal_dev.management.commands import removeplatform, startplatform
from portal_dev.platforms import platform_places
from portal_dev.platforms.platform_folders import LONGEST
from tests.support.checkout_copy import (
    NEW_PLATFORM,
    changes_of_copy,
    commit_copy,
    copy_of_checkout,
    output_of,
    run,
)
from tests.support.harness import run_program

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


def test_refused_name_changes_nothing(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    for module in (startplatform, removeplatform, platform_places):
        monkeypatch.setattr(module, "SOURCE_ROOT", tmp_path)
    known = "is no platform; there are energy, operations, finance"
    for command, name, told in (
        ("startplatform", "calendar", "can't be a platform: "),
        ("removeplatform", "auth_app", known),
        ("removeplatform", "../energy", known),
    ):
        with pytest.raises(CommandError) as refused:
            call_command(command, name)
        assert str(refused.value).startswith(f"{name!r} {told}")
    assert list(tmp_path.iterdir()) == []


def test_interrupted_commands_are_repeated_and_work_is_kept(copy: Path) -> None:
    commit_copy(copy)
    git = (copy / ".git").rename(copy.with_name("git"))
    interrupted = run(copy, "-c", INTERRUPTED, "15", "startplatform", NEW_PLATFORM)
    assert "KeyboardInterrupt" in interrupted.stderr
    app = copy / "apps" / NEW_PLATFORM
    assert app.exists(), "it was interrupted after the registry's line"
    remove(copy)
    assert not app.exists()
    start(copy)
    view = app / "views" / "trucks.py"
    view.write_text("# an afternoon's work\n")
    refused = f"nothing is removed: apps/{NEW_PLATFORM}/views/trucks.py\n"
    assert run(copy, "manage.py", "removeplatform", NEW_PLATFORM).stderr.endswith(refused), "without git"
    git.rename(copy / ".git")
    before = changes_of_copy(copy)
    assert run(copy, "manage.py", "removeplatform", NEW_PLATFORM).stderr.endswith(refused)
    assert changes_of_copy(copy) == before
    commit_copy(copy)
    interrupted = run(copy, "-c", INTERRUPTED, "5", "removeplatform", NEW_PLATFORM)
    assert "KeyboardInterrupt" in interrupted.stderr
    remove(copy)
    assert run_program("git", "diff", "--stat", "HEAD~1", cwd=copy).stdout == ""


def test_name_within_a_longer_one_is_left_alone(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setattr(platform_places, "SOURCE_ROOT", tmp_path)
    file = tmp_path / "packages" / "portal" / "services" / "__init__.py"
    file.parent.mkdir(parents=True)
    file.write_text("auth · energy · energyx · energy2")
    edits = platform_places.remove_platform("energy", platforms=["energy", "energyx"])
    assert edits.texts == {"packages/portal/services/__init__.py": "auth · energyx · energy2"}
