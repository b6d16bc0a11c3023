"""Each how-to is followed to the letter in a copy of the checkout, and then proven there."""

import re
from pathlib import Path

import pytest

from tests.support.checkout_copy import NEW_PLATFORM, changes_of_copy, commit_copy, output_of
from tests.support.harness import ROOT
from tests.support.how_to import follow, follow_all, section
from tests.support.linked_environment import copy_with_environment
from tests.support.nested_pytest import run_pytest

PAGES = ROOT / "docs" / "how-to"
ROWS = PAGES / "relate-and-act-on-rows.md"
RESOURCE, NAME = PAGES / "change-a-resource.md", PAGES / "change-a-name-a-number-or-a-text.md"
#: Changes that do not meet: all of them are made in one copy. The last ones translate what the others wrote.
PARTS = {
    "field": (RESOURCE, "Add a field"),
    "path": (RESOURCE, "Another path"),
    "stale_time": (RESOURCE, "Another stale time"),
    "sort": (RESOURCE, "Sort a list by another column"),
    "relation": (ROWS, "Show what belongs to a row"),
    "action": (ROWS, "Give a row an action"),
    "cookie": (NAME, "The name of a cookie"),
    "refresh_timeout": (NAME, "The time limit of a token refresh"),
    "sign_in_text": (NAME, "The text of the sign-in page"),
    "list_helper": (PAGES / "add-a-list-helper.md", None),
    "log": (PAGES / "log-a-field.md", None),
    "language": (PAGES / "add-a-language.md", None),
}
#: Tests that should pass after all these changes: those that the pages name, and others where a changed name is used.
STILL_PASS = (
    "tests/apps/finance",
    "tests/apps/auth_app/test_pages.py",
    "tests/contract/test_cookies.py",
    "tests/portal/config/test_limits.py",
    "tests/portal/api/test_call_log.py",
    "tests/architecture/test_reference_pages.py",
    "tests/portal/web/views/test_logout.py",
)
#: Tests that read what names each platform: they pass with one platform more, as other ones do in a product of one's own.
WITH_A_PLATFORM = (
    f"tests/apps/{NEW_PLATFORM}",
    "tests/architecture/test_drawn_folders.py",
    "tests/docs/test_codeowners.py",
    "tests/portal/edge/test_rules_table.py",
    "tests/portal/web/test_templates.py",
    "tests/deploy/test_examples.py",
)
PROOFS = "tests/docs/proofs_of_how_tos.py"


@pytest.fixture(scope="module")
def copy(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A copy in which all parts were followed."""
    made = copy_with_environment(tmp_path_factory.mktemp("how-tos") / "copy", whole=True)
    follow_all((section(page, heading) if heading else page.read_text() for page, heading in PARTS.values()), made)
    return made


def test_each_how_to_does_what_it_is_for_and_other_tests_pass(copy: Path) -> None:
    done = run_pytest(copy / PROOFS, *(copy / path for path in STILL_PASS), checkout=copy, status=1)
    # The platform has a copy of its own.
    assert failed(done.stdout) == {f"{PROOFS}::test_platform"}, done.stdout + done.stderr
    assert set(re.findall(rf"^PASSED {PROOFS}::test_(\w+)", done.stdout, flags=re.MULTILINE)) >= PARTS.keys()


def failed(output: str) -> set[str]:
    """Return the tests that have failed, without their parameters."""
    return set(re.findall(r"^(?:FAILED|ERROR) ([^\s[]+)", output, flags=re.MULTILINE))


def test_code_of_the_pages_is_formatted_and_free_of_lint(copy: Path) -> None:
    for command in (["format", "--check"], ["check"]):
        output_of(copy, "-m", "ruff", *command, "packages", "apps", "tests/apps")


def page_of_a_platform(name: str) -> str:
    """A how-to about a platform. It is about another name than the page's, which the checkout may have."""
    text = (PAGES / name).read_text()
    for change in (str.lower, str.upper, str.capitalize):
        text = text.replace(change("logistics"), change(NEW_PLATFORM))
    return text


def test_with_a_new_platform_the_tests_of_a_checkout_pass_and_removed_it_leaves_the_checkout_as_it_was(
    tmp_path: Path,
) -> None:
    copy = copy_with_environment(tmp_path / "copy", whole=True)
    commit_copy(copy)
    follow(page_of_a_platform("add-a-platform.md"), copy)
    done = run_pytest(copy / PROOFS, *(copy / path for path in WITH_A_PLATFORM), checkout=copy, status=1)
    # Without the other changes no other proof passes.
    assert failed(done.stdout) == {f"{PROOFS}::test_{part}" for part in PARTS}, done.stdout
    assert f"PASSED {PROOFS}::test_platform" in done.stdout
    assert f"tests/apps/{NEW_PLATFORM}/test_pages.py::test_the_home_opens" in done.stdout
    assert f"apps/{NEW_PLATFORM}/urls.py" in changes_of_copy(copy)
    follow(page_of_a_platform("remove-a-platform.md"), copy)
    assert changes_of_copy(copy) == ""
