"""The portal among the `INSTALLED_APPS` of a Django project that has none of the portal's settings."""

import sys
from pathlib import Path

from tests.support.checkout_copy import in_copy, run
from tests.support.harness import ROOT, run_program


def project_with(app: str, folder: Path) -> Path:
    """What `django-admin startproject` writes, with this app among its own."""
    run_program(sys.executable, "-m", "django", "startproject", "shop", folder)
    settings = folder / "shop" / "settings.py"
    settings.write_text(f'{settings.read_text()}\nINSTALLED_APPS += ["{app}"]\n')
    return folder


def test_the_commands_of_the_portal_end_with_one_line_that_says_what_to_do(tmp_path: Path) -> None:
    project = project_with("portal_operate", tmp_path)
    ended = run(project, "manage.py", "check", variables=in_copy(ROOT, DJANGO_SETTINGS_MODULE="shop.settings"))
    assert ended.returncode == 1
    assert ended.stdout == ""
    assert ended.stderr == (
        "portal: these settings are not made by project_settings(…), so portal_operate can't be one of INSTALLED_APPS: "
        "take it out\n"
    )


def test_the_package_alone_brings_no_command_and_no_check(tmp_path: Path) -> None:
    project = project_with("portal", tmp_path)
    variables = in_copy(ROOT, DJANGO_SETTINGS_MODULE="shop.settings")
    assert run(project, "manage.py", "check", variables=variables).returncode == 0
    assert "clear_query_cache" not in run(project, "manage.py", "help", variables=variables).stdout
