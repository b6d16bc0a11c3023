"""`startproduct acme` in an empty folder: a product that runs, and is whole, without a change of the portal's packages."""

from __future__ import annotations

import shutil
import subprocess
from collections.abc import Iterator
from pathlib import Path

import pytest
from django.core.management import CommandError, call_command

from portal_dev.management.commands import startproduct
from tests.support import checkout_copy
from tests.support.checkout_copy import run as run_in
from tests.support.harness import ROOT, clean_environment, run_program
from tests.support.http_browser import HttpBrowser
from tests.support.linked_environment import link_environment
from tests.support.local_run import Run
from tests.support.ports import free_port_base

NAME = "acme"
PYTEST = ("-m", "pytest", "-q", "-p", "no:cacheprovider")


def start(folder: Path, *words: str) -> subprocess.CompletedProcess[str]:
    return run_in(folder, str(ROOT / "manage.py"), "startproduct", *words)


def in_product(product: Path, **variables: str) -> dict[str, str | None]:
    """The portal's packages are this checkout's; its apps are not found."""
    return clean_environment(PYTHONPATH=f"{product}:{ROOT / 'packages'}", **variables)


def output_of(product: Path, *command: str, **variables: str) -> str:
    return checkout_copy.output_of(product, *command, **in_product(product, **variables))


@pytest.fixture(scope="module")
def product(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("product")
    written = start(folder, NAME)
    assert written.returncode == 0, written.stderr
    return folder


@pytest.fixture
def own(product: Path, tmp_path: Path) -> Path:
    """A copy of the product, to change."""
    ignored = shutil.ignore_patterns(".venv", "__pycache__")
    return Path(shutil.copytree(product, tmp_path / "own", ignore=ignored))


def set_languages(product: Path, languages: str) -> None:
    described = product / "apps" / "product.py"
    described.write_text(described.read_text().replace('"en": "English"', languages))


@pytest.fixture
def running(product: Path, tmp_path: Path) -> Iterator[Run]:
    link_environment(product)
    (packages,) = (product / ".venv").rglob("workspace.pth")
    packages.write_text(f"{ROOT / 'packages'}\n{packages.read_text()}")
    with Run(tmp_path, free_port_base(), checkout=product) as started:
        yield started


@pytest.mark.parametrize("app", ["auth_app", NAME])
def test_each_app_passes_its_checks(product: Path, app: str) -> None:
    output_of(product, "manage.py", "--app", app, "check", DEBUG="on")


def test_commands_of_an_installed_product_need_no_variables(own: Path) -> None:
    link_environment(own, server=True)
    run_program("make", "install", "PIP=true", cwd=own)
    output_of(own, "manage.py", "--app", NAME, "update_catalogs", DEBUG="")


def test_its_code_is_formatted_tested_and_migrated(product: Path, tmp_path: Path) -> None:
    for words in (("format", "--check", "."), ("check", ".")):
        output_of(product, "-m", "ruff", *words, "--no-cache")
    assert "5 passed" in output_of(product, *PYTEST)
    variables = {"DEBUG": "on", "SANDBOX_STATE_DIR": str(tmp_path)}
    output_of(product, "manage.py", "--app", "sandbox_api", "makemigrations", "--check", **variables)


def test_it_has_the_calls_of_its_services_alone(product: Path) -> None:
    listed = output_of(product, "manage.py", "--app", NAME, "list_endpoints", DEBUG="on")
    assert "/acme/orders/{id}" in listed
    assert "/me" in listed
    assert "/energy/clients" not in listed


def test_user_signs_in_and_creates_an_order(running: Run) -> None:
    running.wait_for("ready", seconds=120)
    gateway, platform = (f"http://localhost:{running.port_base + offset}" for offset in (0, 1))
    with HttpBrowser() as person:
        person.sign_in(gateway, email=f"{NAME}@example.com")
        assert "Acme" in person.get(f"{platform}/en/acme").text
        form = person.get(f"{platform}/en/acme/orders/new")
        created = person.submit(form, "/orders/new", customer="Zeynep Kaya", city="Ankara")
        assert created.status_code == 200
        assert "Zeynep Kaya" in person.get(f"{platform}/en/acme/orders").text
        # The profile is a page of the gateway's package.
        assert "Acme" in person.get(f"{gateway}/en/profile").text


def test_further_platform_and_language_are_added(own: Path) -> None:
    set_languages(own, '"en": "English", "de": "Deutsch"')
    assert "yourself" not in output_of(own, "manage.py", "startplatform", "fleet")
    described = own / "apps" / "product.py"
    described.write_text(described.read_text().replace('msgid("Acme"),', 'msgid("Acme"),\n    msgid("Fleet"),'))
    missing = output_of(own, "manage.py", "--app", "fleet", "update_catalogs", DEBUG="on")
    assert "apps/locale/de/LC_MESSAGES/django.po: no translation of 'Fleet'" in missing
    assert "Sign in" not in missing, "a text of the portal's packages, which are translated"
    checked = run_in(own, "manage.py", "--app", "auth_app", "check", variables=in_product(own, DEBUG="on"))
    assert "(portal.source.E006) the text 'Fleet' has no translation" in checked.stderr
    output_of(own, *PYTEST)


@pytest.mark.parametrize(
    ("languages", "missing", "not_written"),
    [
        # Which the packages do not have: their texts are the product's to translate.
        ('"en": "English", "fr": "Français"', "fr/LC_MESSAGES/django.po: no translation of 'Sign in'", "packages"),
        # The texts are written in English, whatever the default language is.
        ('"de": "Deutsch", "en": "English"', "de/LC_MESSAGES/django.po: no translation of 'Acme'", "locale/en"),
    ],
    ids=["a language that the packages do not have", "a default language other than English"],
)
def test_language_of_the_product_is_its_own(own: Path, languages: str, missing: str, not_written: str) -> None:
    set_languages(own, languages)
    told = output_of(own, "manage.py", "--app", NAME, "update_catalogs", DEBUG="on")
    assert f"apps/locale/{missing}" in told
    assert not_written not in told
    assert not list((ROOT / "packages").rglob("locale/fr"))


def test_products_file_replaces_one_of_the_portals(own: Path, tmp_path: Path) -> None:
    login = own / "apps" / "templates" / "auth_app" / "login.html"
    login.parent.mkdir(parents=True)
    login.write_text('{% extends "portal/plain.html" %}{% block content %}Our own sign-in{% endblock %}')
    style = own / "apps" / "static" / "portal" / "css" / "portal.css"
    style.parent.mkdir(parents=True)
    style.write_text(":root { --accent: #123456; }")
    program = (
        "import django; django.setup()\n"
        "from django.contrib.staticfiles.finders import find\n"
        "from django.test import Client\n"
        "print(find('portal/css/portal.css'))\n"
        "print(Client(SERVER_NAME='localhost').get('/en/login').content.decode())\n"
    )
    state = str(tmp_path / "state")
    variables = {"DEBUG": "on", "DJANGO_SETTINGS_MODULE": "apps.auth_app.settings", "APP_STATE_DIR": state}
    shown = output_of(own, "-c", program, **variables)
    assert str(style) in shown
    assert "Our own sign-in" in shown


@pytest.mark.parametrize(
    ("words", "told"),
    [
        (("Acme", "--folder", "new"), "'Acme' can't be a product"),
        ((NAME, "--folder", "."), " is no empty folder: give another one by --folder"),
        ((NAME, "--folder", "notes.txt"), "notes.txt is no empty folder: give another one by --folder"),
    ],
)
def test_refused_name_or_folder_writes_nothing(tmp_path: Path, words: tuple[str, ...], told: str) -> None:
    (tmp_path / "notes.txt").write_text("mine")
    refused = start(tmp_path, *words)
    assert refused.returncode == 2
    assert told in refused.stderr
    assert [path.name for path in tmp_path.iterdir()] == ["notes.txt"]


def test_installed_portal_writes_nothing(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    """An index could have anybody's package of the name."""
    monkeypatch.setattr(startproduct, "PACKAGES", tmp_path)
    with pytest.raises(CommandError, match="start it from one"):
        call_command("startproduct", NAME, folder=tmp_path / "acme")
    assert list(tmp_path.iterdir()) == []


def test_what_it_installs_is_this_checkout(product: Path) -> None:
    _, library, sandbox, *_ = (product / "requirements.txt").read_text().splitlines()
    assert library == f"portal-library[dev,server,testing] @ {(ROOT / 'packages').as_uri()}"
    assert sandbox == f"portal-sandbox-api @ {(ROOT / 'packages' / 'sandbox_api').as_uri()}"
