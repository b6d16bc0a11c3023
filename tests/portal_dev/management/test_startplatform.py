"""A new platform: written in a copy, booted, its home page opened, its first tests run, and removed again."""

from __future__ import annotations

import re
import shutil
from pathlib import Path

import pytest

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
from tests.support.harness import ROOT

PASSWORD = "a long enough password"
PERMISSION = f"{NEW_PLATFORM.upper()}_APP"
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


def test_the_command_says_what_it_wrote_and_what_it_left_to_the_developer(copy: Path) -> None:
    (copy / "README.md").write_text("Our own page.\n")
    owners = copy / "CODEOWNERS"
    owners.write_text(owners.read_text().replace("@org/", "@acme/"))
    said = start(copy)
    assert f"Written: apps/{NEW_PLATFORM}, packages/portal/services/{NEW_PLATFORM}, tests/apps/{NEW_PLATFORM}" in said
    assert f"create_account --email you@example.com --permissions {PERMISSION}" in said
    assert f"there was nothing to add it to: README.md: , `apps/{NEW_PLATFORM}`" in said
    assert (copy / "README.md").read_text() == "Our own page.\n"
    assert f"/apps/{NEW_PLATFORM}/ @acme/{NEW_PLATFORM}-team\n" in owners.read_text()


def test_the_longest_name_gives_formatted_code(copy: Path) -> None:
    name = "x" * LONGEST
    start(copy, name)
    files = ("apps/product.py", f"apps/{name}", f"tests/apps/{name}")
    for words in (["format", "--check"], ["check"]):
        output_of(copy, "-m", "ruff", *words, *files)


def test_a_folder_without_its_line_and_a_line_without_its_folder_fail_a_check(copy: Path) -> None:
    for change, fault in (
        (lambda: shutil.copytree(copy / "apps" / "finance", copy / "apps" / NEW_PLATFORM), "portal.E002"),
        (lambda: shutil.rmtree(copy / "apps" / "finance"), "portal.E001"),
    ):
        change()
        result = run(copy, "manage.py", "--app", "energy", "check", variables=in_copy(copy, DEBUG="on"))
        assert result.returncode != 0
        assert fault in result.stderr


@pytest.mark.parametrize(
    ("command", "name", "told"),
    [
        ("startplatform", "calendar", "can't be a platform: "),
        ("removeplatform", "auth_app", "is no platform; there are energy, operations, finance"),
        ("removeplatform", "../energy", "is no platform; there are energy, operations, finance"),
    ],
)
def test_a_name_that_can_be_no_platform_is_refused_and_nothing_changes(
    copy: Path, command: str, name: str, told: str
) -> None:
    commit_copy(copy)
    result = run(copy, "manage.py", command, name)
    assert result.returncode != 0
    assert result.stderr.startswith(f"CommandError: {name!r} {told}")
    assert changes_of_copy(copy) == ""


@pytest.mark.parametrize("writes", [0, 8, 15])
def test_what_an_interrupted_start_leaves_is_removed_and_the_start_may_be_repeated(copy: Path, writes: int) -> None:
    commit_copy(copy)
    interrupted = run(copy, "-c", INTERRUPTED, str(writes), "startplatform", NEW_PLATFORM)
    assert "KeyboardInterrupt" in interrupted.stderr
    removed = run(copy, "manage.py", "removeplatform", NEW_PLATFORM)
    assert (removed.returncode == 0) is (writes > 0), removed.stderr
    assert changes_of_copy(copy) == ""
    start(copy)
    interrupted = run(copy, "-c", INTERRUPTED, str(writes // 4), "removeplatform", NEW_PLATFORM)
    assert "KeyboardInterrupt" in interrupted.stderr
    assert "Look yourself" not in remove(copy)
    assert changes_of_copy(copy) == ""


def test_work_that_is_not_committed_stops_the_removal(copy: Path) -> None:
    commit_copy(copy)
    start(copy)
    view = copy / "apps" / NEW_PLATFORM / "views" / "trucks.py"
    view.write_text("# an afternoon's work\n")
    before = changes_of_copy(copy)
    refused = run(copy, "manage.py", "removeplatform", NEW_PLATFORM)
    assert refused.returncode != 0
    assert refused.stderr == (
        "CommandError: commit these files or delete them yourself, nothing is removed: "
        f"apps/{NEW_PLATFORM}/views/trucks.py\n"
    )
    assert changes_of_copy(copy) == before
    commit_copy(copy)
    remove(copy)
    assert not view.exists()


def test_without_git_only_what_was_not_touched_is_removed(copy: Path) -> None:
    start(copy)
    overview = copy / "apps" / NEW_PLATFORM / "views" / "overview.py"
    written = overview.read_text()
    overview.write_text(f"{written}# changed\n")
    refused = run(copy, "manage.py", "removeplatform", NEW_PLATFORM)
    assert f"nothing is removed: apps/{NEW_PLATFORM}/views/overview.py" in refused.stderr
    overview.write_text(written)
    remove(copy)
    assert not overview.exists()


def test_a_removed_example_leaves_the_one_that_shows_its_rows_whole(copy: Path) -> None:
    commit_copy(copy)
    first = remove(copy, "finance")
    assert "Kept: packages/portal/services/finance, which apps/energy/views/elsewhere.py imports.\n" in first
    assert (copy / "packages" / "portal" / "services" / "finance").exists()
    output_of(copy, "manage.py", "--app", "energy", "check", DEBUG="on")
    last = remove(copy, "energy")
    assert last.startswith("Removed: packages/portal/services/finance, apps/energy,")
    assert "Look yourself" not in first + last
    assert not (copy / "packages" / "portal" / "services" / "finance").exists()
    assert (copy / "packages" / "portal" / "services" / "operations").exists()


def test_the_first_platform_of_a_product_is_named_where_the_examples_were(copy: Path) -> None:
    commit_copy(copy)
    for example in ("finance", "operations", "energy"):
        assert "Look yourself" not in remove(copy, example)
    assert "yourself" not in start(copy)
    for file, asked in (("pyproject.toml", "finance = ["), ("Makefile", "--extra finance")):
        assert asked in (ROOT / file).read_text()
        assert asked not in (copy / file).read_text(), "packages that a removed platform alone needed"
    written = (copy / "apps" / "product.py").read_text()
    assert re.findall(r'app="(\w+)"', written) == [NEW_PLATFORM]
    files = ("README.md", "CODEOWNERS", ".env.example", "docs/reference/environment.md", "deploy/nginx/portal.conf")
    for file in files:
        text = (copy / file).read_text()
        assert NEW_PLATFORM in text.lower(), file
        assert not re.search(r"\bapps/(energy|operations|finance)\b|(ENERGY|OPERATIONS|FINANCE)_APP_URL", text), file
