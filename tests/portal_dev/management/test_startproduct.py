"""`startproduct acme` in an empty folder: a product that runs, and is whole, without a change of the portal's packages."""

from __future__ import annotations

import subprocess
from collections.abc import Iterator
from pathlib import Path

import pytest

from portal.errors import ConfigurationError
from portal_dev.platforms import products
from tests.support import checkout_copy
from tests.support.checkout_copy import run as run_in
from tests.support.harness import ROOT, clean_environment
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
    return new_product(tmp_path_factory.mktemp("product"))


def new_product(folder: Path, *, languages: str = '"en": "English"') -> Path:
    """A product in a folder, with these languages."""
    written = start(folder, NAME)
    assert written.returncode == 0, written.stderr
    described = folder / "apps" / "product.py"
    described.write_text(described.read_text().replace('"en": "English"', languages))
    return folder


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


def test_its_code_is_formatted_and_has_no_fault(product: Path) -> None:
    for words in (("format", "--check", "."), ("check", ".")):
        output_of(product, "-m", "ruff", *words, "--no-cache")


def test_its_own_tests_pass(product: Path) -> None:
    assert "5 passed" in output_of(product, *PYTEST)


def test_the_tables_of_its_sandbox_are_those_of_its_models(product: Path, tmp_path: Path) -> None:
    variables = {"DEBUG": "on", "SANDBOX_STATE_DIR": str(tmp_path)}
    output_of(product, "manage.py", "--app", "sandbox_api", "makemigrations", "--check", **variables)


def test_it_has_the_calls_of_its_own_services_and_none_of_the_examples(product: Path) -> None:
    listed = output_of(product, "manage.py", "--app", NAME, "list_endpoints", DEBUG="on")
    assert "/acme/orders/{id}" in listed
    assert "/me" in listed
    assert "/energy/clients" not in listed


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


def test_a_further_platform_and_a_language_are_added_there(tmp_path: Path) -> None:
    new_product(tmp_path, languages='"en": "English", "de": "Deutsch"')
    assert "yourself" not in output_of(tmp_path, "manage.py", "startplatform", "fleet")
    described = tmp_path / "apps" / "product.py"
    described.write_text(described.read_text().replace('msgid("Acme"),', 'msgid("Acme"),\n    msgid("Fleet"),'))
    missing = output_of(tmp_path, "manage.py", "--app", "fleet", "update_catalogs", DEBUG="on")
    assert "apps/locale/de/LC_MESSAGES/django.po: no translation of 'Fleet'" in missing
    assert "Sign in" not in missing, "a text of the portal's packages, which are translated"
    checked = run_in(tmp_path, "manage.py", "--app", "auth_app", "check", variables=in_product(tmp_path, DEBUG="on"))
    assert "(portal.source.E006) the text 'Fleet' has no translation" in checked.stderr
    output_of(tmp_path, *PYTEST)


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
def test_a_language_of_the_product_is_its_own_to_translate(
    tmp_path: Path, languages: str, missing: str, not_written: str
) -> None:
    new_product(tmp_path, languages=languages)
    told = output_of(tmp_path, "manage.py", "--app", NAME, "update_catalogs", DEBUG="on")
    assert f"apps/locale/{missing}" in told
    assert not_written not in told
    assert not list((ROOT / "packages").rglob("locale/fr"))


def test_a_file_of_the_product_takes_the_place_of_one_of_the_portals(tmp_path: Path) -> None:
    new_product(tmp_path)
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
    state = str(tmp_path / "state")
    variables = {"DEBUG": "on", "DJANGO_SETTINGS_MODULE": "apps.auth_app.settings", "APP_STATE_DIR": state}
    shown = output_of(tmp_path, "-c", program, **variables)
    assert str(logo) in shown
    assert "Our own sign-in" in shown


@pytest.mark.parametrize("name", ["Acme", "class"])
def test_a_name_that_no_platform_can_have_writes_nothing(tmp_path: Path, name: str) -> None:
    refused = start(tmp_path, name)
    assert refused.returncode == 2
    assert f"{name!r} can't be a product" in refused.stderr
    assert list(tmp_path.iterdir()) == []


@pytest.mark.parametrize(
    ("folder", "told"),
    [(".", " is not empty: give another one"), ("notes.txt", "notes.txt is no folder: give another")],
)
def test_a_folder_that_is_not_empty_or_is_a_file_is_left_alone(tmp_path: Path, folder: str, told: str) -> None:
    (tmp_path / "notes.txt").write_text("mine")
    refused = start(tmp_path, NAME, "--folder", folder)
    assert refused.returncode == 2
    assert told in refused.stderr
    assert "by --folder" in refused.stderr
    assert "Traceback" not in refused.stderr
    assert [path.name for path in tmp_path.iterdir()] == ["notes.txt"]


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
