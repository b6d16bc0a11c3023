"""A new platform is one line and one folder: made in a copy, booted, its home page opened, its first tests run."""

from __future__ import annotations

import shutil
from pathlib import Path

import pytest

from tests.support.checkout_copy import copy_of_checkout, in_copy, run, servers_in_copy
from tests.support.http_browser import HttpBrowser
from tests.support.nested_pytest import run_app_tests_in_copy

PASSWORD = "a long enough password"


@pytest.fixture
def copy(tmp_path: Path) -> Path:
    """This checkout's code in another folder."""
    return copy_of_checkout(tmp_path / "copy")


def test_a_new_platform_boots_and_shows_its_home_to_whoever_has_the_permission(copy: Path) -> None:
    made = run(copy, "manage.py", "startplatform", "logistics")
    assert made.returncode == 0, made.stderr
    account = ("create_account", "--email", "logistics@example.com", "--permissions", "LOGISTICS_APP")
    with (
        servers_in_copy(copy, "auth_app", "logistics", seed=account, typed=f"{PASSWORD}\n") as urls,
        HttpBrowser() as browser,
    ):
        signed_in = browser.sign_in(urls["auth_app"], email="logistics@example.com", password=PASSWORD)
        page = browser.get(f"{urls['auth_app']}{signed_in.headers['Location']}")
        assert page.url == f"{urls['logistics']}/en/logistics"
        assert page.status_code == 200
        assert 'data-pathname="/en/logistics"' in page.text
        assert "Logistics" in page.text


def test_its_first_tests_pass_and_fail_where_the_page_does_not_open(copy: Path) -> None:
    assert run(copy, "manage.py", "startplatform", "logistics").returncode == 0
    passed = run_app_tests_in_copy(copy, "logistics")
    assert "3 passed" in passed.stdout, passed.stdout
    (copy / "apps" / "logistics" / "templates" / "logistics" / "overview.html").unlink()
    failed = run_app_tests_in_copy(copy, "logistics")
    assert "1 failed, 2 passed" in failed.stdout, failed.stdout


def test_a_folder_without_its_line_fails_a_check(copy: Path) -> None:
    shutil.copytree(copy / "apps" / "finance", copy / "apps" / "logistics")
    result = run(copy, "manage.py", "--app", "energy", "check", variables=in_copy(copy, DEBUG="on"))
    assert result.returncode != 0
    assert "portal.E002" in result.stderr


def test_a_line_without_its_folder_fails_a_check(copy: Path) -> None:
    shutil.rmtree(copy / "apps" / "finance")
    result = run(copy, "manage.py", "--app", "energy", "check", variables=in_copy(copy, DEBUG="on"))
    assert result.returncode != 0
    assert "portal.E001" in result.stderr


@pytest.mark.parametrize(
    "name", ["energy", "login", "profile", "static", "../up", "Logistics", "new-one", "auth_app", ""]
)
def test_a_name_that_can_be_no_platform_is_refused_and_nothing_is_written(copy: Path, name: str) -> None:
    before = {path: path.stat().st_mtime for path in copy.rglob("*") if path.suffix == ".py"}
    result = run(copy, "manage.py", "startplatform", name)
    assert result.returncode != 0
    assert result.stderr.startswith("CommandError: ")
    assert {path: path.stat().st_mtime for path in copy.rglob("*") if path.suffix == ".py"} == before
