"""`startproduct acme` in an empty folder: a product that runs, and is whole, without a change of the portal's packages."""

from __future__ import annotations

import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

from portal.errors import ConfigurationError
from portal_dev.platforms import products
from tests.support.checkout_copy import run as run_in
from tests.support.harness import ROOT, clean_environment
from tests.support.http_browser import HttpBrowser
from tests.support.linked_environment import link_environment
from tests.support.local_run import Run
from tests.support.ports import free_port_base

NAME = "acme"


def start(folder: Path, *words: str) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [sys.executable, str(ROOT / "manage.py"), "startproduct", *words],
        cwd=folder,
        capture_output=True,
        text=True,
        check=False,
    )


def in_product(product: Path, **variables: str) -> dict[str, str | None]:
    """The portal's packages are this checkout's; its apps are not found."""
    return clean_environment(PYTHONPATH=f"{product}:{ROOT / 'packages'}", **variables)


@pytest.fixture(scope="module")
def product(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("product")
    written = start(folder, NAME)
    assert written.returncode == 0, written.stderr
    return folder


@pytest.fixture
def running(product: Path, tmp_path: Path) -> Iterator[Run]:
    link_environment(product)
    (packages,) = (product / ".venv").rglob("workspace.pth")
    packages.write_text(f"{ROOT / 'packages'}\n{packages.read_text()}")
    started = Run(tmp_path, free_port_base(), checkout=product)
    try:
        yield started
    finally:
        started.end()


@pytest.mark.parametrize("app", ["auth_app", NAME])
def test_each_app_passes_its_checks(product: Path, app: str) -> None:
    checked = run_in(product, "manage.py", "--app", app, "check", variables=in_product(product, DEBUG="on"))
    assert checked.returncode == 0, checked.stderr


def test_its_code_is_formatted_and_has_no_fault(product: Path) -> None:
    for words in (("format", "--check", "."), ("check", ".")):
        done = run_in(product, "-m", "ruff", *words, "--no-cache")
        assert done.returncode == 0, done.stdout


def test_its_own_tests_pass(product: Path) -> None:
    tested = run_in(product, "-m", "pytest", "-q", "-p", "no:cacheprovider", variables=in_product(product))
    assert tested.returncode == 0, tested.stdout
    assert "5 passed" in tested.stdout


def test_the_tables_of_its_sandbox_are_those_of_its_models(product: Path, tmp_path: Path) -> None:
    variables = in_product(product, DEBUG="on", SANDBOX_STATE_DIR=str(tmp_path))
    made = run_in(product, "manage.py", "--app", "sandbox_api", "makemigrations", "--check", variables=variables)
    assert made.returncode == 0, made.stdout + made.stderr


def test_it_has_the_calls_of_its_own_services_and_none_of_the_examples(product: Path) -> None:
    listed = run_in(product, "manage.py", "--app", NAME, "list_endpoints", variables=in_product(product, DEBUG="on"))
    assert "/acme/orders/{id}" in listed.stdout
    assert "/me" in listed.stdout
    assert "/energy/clients" not in listed.stdout


def test_somebody_signs_in_and_creates_an_order(running: Run) -> None:
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


def test_a_further_platform_and_a_language_are_added_there(product: Path, tmp_path: Path) -> None:
    started = start(tmp_path, NAME)
    assert started.returncode == 0, started.stderr
    added = run_in(tmp_path, "manage.py", "startplatform", "fleet", variables=in_product(tmp_path))
    assert added.returncode == 0, added.stderr
    assert "yourself" not in added.stdout
    described = tmp_path / "apps" / "product.py"
    text = described.read_text().replace('"en": "English"', '"en": "English", "de": "Deutsch"')
    described.write_text(text.replace('msgid("Acme"),', 'msgid("Acme"),\n    msgid("Fleet"),'))
    variables = in_product(tmp_path, DEBUG="on")
    missing = run_in(tmp_path, "manage.py", "--app", "fleet", "update_catalogs", variables=variables)
    assert "apps/locale/de/LC_MESSAGES/django.po: no translation of 'Fleet'" in missing.stdout
    assert "Sign in" not in missing.stdout, "a text of the portal's packages, which are translated"
    checked = run_in(tmp_path, "manage.py", "--app", "auth_app", "check", variables=variables)
    assert "(portal.source.E006) the text 'Fleet' has no translation" in checked.stderr
    tested = run_in(tmp_path, "-m", "pytest", "-q", "-p", "no:cacheprovider", variables=in_product(tmp_path))
    assert tested.returncode == 0, tested.stdout


def test_a_language_that_the_packages_do_not_have_is_the_products_to_translate(tmp_path: Path) -> None:
    assert start(tmp_path, NAME).returncode == 0
    described = tmp_path / "apps" / "product.py"
    described.write_text(described.read_text().replace('"en": "English"', '"en": "English", "fr": "Français"'))
    variables = in_product(tmp_path, DEBUG="on")
    missing = run_in(tmp_path, "manage.py", "--app", NAME, "update_catalogs", variables=variables)
    assert "apps/locale/fr/LC_MESSAGES/django.po: no translation of 'Sign in'" in missing.stdout
    assert not list((ROOT / "packages").rglob("locale/fr"))


def test_a_default_language_other_than_english_is_translated_and_english_is_not(tmp_path: Path) -> None:
    """The texts are written in English, whatever the first language is."""
    assert start(tmp_path, NAME).returncode == 0
    described = tmp_path / "apps" / "product.py"
    described.write_text(described.read_text().replace('"en": "English"', '"de": "Deutsch", "en": "English"'))
    variables = in_product(tmp_path, DEBUG="on")
    missing = run_in(tmp_path, "manage.py", "--app", NAME, "update_catalogs", variables=variables)
    assert "apps/locale/de/LC_MESSAGES/django.po: no translation of 'Acme'" in missing.stdout
    assert "locale/en" not in missing.stdout


def test_a_file_of_the_product_takes_the_place_of_one_of_the_portals(tmp_path: Path) -> None:
    assert start(tmp_path, NAME).returncode == 0
    own = tmp_path / "apps" / "templates" / "auth_app" / "login.html"
    own.parent.mkdir(parents=True)
    own.write_text('{% extends "portal/plain.html" %}{% block content %}Our own sign-in{% endblock %}')
    logo = tmp_path / "apps" / "static" / "portal" / "css" / "portal.css"
    logo.parent.mkdir(parents=True)
    logo.write_text(":root { --accent: #123456; }")
    program = (
        "import django; django.setup()\n"
        "from django.contrib.staticfiles.finders import find\n"
        "from django.test import Client\n"
        "print(find('portal/css/portal.css'))\n"
        "print(Client(SERVER_NAME='localhost').get('/en/login').content.decode())\n"
    )
    variables = in_product(
        tmp_path, DEBUG="on", DJANGO_SETTINGS_MODULE="apps.auth_app.settings", APP_STATE_DIR=str(tmp_path / "state")
    )
    shown = run_in(tmp_path, "-c", program, variables=variables)
    assert str(logo) in shown.stdout, shown.stderr
    assert "Our own sign-in" in shown.stdout


@pytest.mark.parametrize("name", ["Acme", "class", "login", "auth", "json", "all", "1st", "product"])
def test_a_name_that_no_platform_can_have_writes_nothing(tmp_path: Path, name: str) -> None:
    refused = start(tmp_path, name)
    assert refused.returncode == 2
    assert f"{name!r} can't be a product" in refused.stderr
    assert list(tmp_path.iterdir()) == []


def test_a_folder_that_is_not_empty_is_left_alone(tmp_path: Path) -> None:
    (tmp_path / "notes.txt").write_text("mine")
    refused = start(tmp_path, NAME)
    assert refused.returncode == 2
    assert "is not empty: give another one by --folder" in refused.stderr
    assert [path.name for path in tmp_path.iterdir()] == ["notes.txt"]


def test_a_file_is_no_folder(tmp_path: Path) -> None:
    (tmp_path / "notes.txt").write_text("mine")
    refused = start(tmp_path, NAME, "--folder", "notes.txt")
    assert refused.returncode == 2
    assert "notes.txt is no folder: give another one by --folder" in refused.stderr
    assert "Traceback" not in refused.stderr


def test_a_portal_of_nobody_knows_where_writes_nothing(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    """An index could have anybody's package of the name."""
    monkeypatch.setattr(products, "PACKAGES", tmp_path)
    with pytest.raises(ConfigurationError, match="give this command in a checkout"):
        products.write_product(NAME, tmp_path / "acme")
    assert list(tmp_path.iterdir()) == []


def test_what_it_installs_is_this_checkout() -> None:
    library, sandbox = products.requirements()
    assert library == f"portal-library[dev,server,testing] @ {(ROOT / 'packages').as_uri()}"
    assert sandbox == f"portal-sandbox-api @ {(ROOT / 'packages' / 'sandbox_api').as_uri()}"
