"""The steps of `docs/how-to/add-a-language.md`, taken in a copy of the checkout."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.support.checkout_copy import copy_of_checkout, in_copy, run
from tests.support.harness import ROOT

GUIDE = (ROOT / "docs" / "how-to" / "add-a-language.md").read_text(encoding="utf-8")
OPEN_THE_LOGIN_PAGE = """
from datetime import UTC, datetime
from django.test import Client
from django.utils import translation
from portal.web.present import day_text, number_text

page = Client(headers={"accept": "text/html"}).get("/fr/login", SERVER_NAME="localhost")
print(page.status_code, page.content.decode())
with translation.override("fr"):
    print(day_text(datetime(2026, 3, 9, tzinfo=UTC)), number_text(1234.5, places=1))
"""


@pytest.fixture
def copy(tmp_path: Path) -> Path:
    """This checkout's code in another folder."""
    return copy_of_checkout(tmp_path / "copy")


def test_its_line_and_its_catalogs_are_all_that_a_language_needs(copy: Path) -> None:
    (line,) = (line.strip() for line in GUIDE.splitlines() if line.strip().startswith("LOCALES: "))
    locales = copy / "packages" / "portal" / "config" / "locales.py"
    before = locales.read_text(encoding="utf-8").splitlines()
    after = [line if old.startswith("LOCALES: ") else old for old in before]
    assert before != after
    locales.write_text("\n".join(after), encoding="utf-8")

    variables = in_copy(copy, DEBUG="on")
    updated = run(copy, "manage.py", "--app", "energy", "update_catalogs", variables=variables)
    assert updated.returncode == 0, updated.stderr
    catalogs = sorted(copy.glob("**/locale/fr/LC_MESSAGES/django.po"))
    assert [path.relative_to(copy).parts[1] for path in catalogs] == [
        "auth_app",
        "energy",
        "finance",
        "operations",
        "portal",
    ]
    assert "apps/auth_app/locale/fr/LC_MESSAGES/django.po: no translation of 'Email'" in updated.stdout

    login = (
        catalogs[0].read_text(encoding="utf-8").replace('msgid "Email"\nmsgstr ""', 'msgid "Email"\nmsgstr "Courriel"')
    )
    catalogs[0].write_text(login, encoding="utf-8")
    assert run(copy, "manage.py", "--app", "energy", "update_catalogs", variables=variables).returncode == 0
    opened = run(copy, "manage.py", "--app", "auth_app", "shell", "-c", OPEN_THE_LOGIN_PAGE, variables=variables)
    assert opened.returncode == 0, opened.stderr
    assert '200 <!doctype html>\n<html lang="fr"' in opened.stdout
    assert "Courriel" in opened.stdout
    assert "Français" in opened.stdout
    assert "9 mars 2026 1\N{NARROW NO-BREAK SPACE}234,5" in opened.stdout
