"""`startproduct acme` in an empty folder: a product that runs, and is whole, without a change of the portal's packages."""

import re
import shutil
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


def in_product(product: Path, **variables: str) -> dict[str, str | None]:
    """The portal's packages are this checkout's; its apps are not found."""
    return clean_environment(PYTHONPATH=f"{product}:{ROOT / 'packages'}", **variables)


def output_of(product: Path, *command: str, **variables: str) -> str:
    return checkout_copy.output_of(product, *command, **in_product(product, **variables))


@pytest.fixture(scope="module")
def product(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("product")
    checkout_copy.output_of(folder, str(ROOT / "manage.py"), "startproduct", NAME)
    return folder


@pytest.fixture
def own(product: Path, tmp_path: Path) -> Path:
    """A copy of the product, to change."""
    ignored = shutil.ignore_patterns(".venv", "__pycache__")
    return Path(shutil.copytree(product, tmp_path / "own", ignore=ignored))


@pytest.fixture
def running(product: Path, tmp_path: Path) -> Iterator[Run]:
    link_environment(product)
    (packages,) = (product / ".venv").rglob("workspace.pth")
    packages.write_text(f"{ROOT / 'packages'}\n{packages.read_text()}")
    with Run(tmp_path, free_port_base(), checkout=product) as started:
        yield started


def test_platform_passes_its_checks(product: Path) -> None:
    output_of(product, "manage.py", "--app", NAME, "check", DEBUG="on")


def test_its_code_is_formatted_and_migrated(product: Path, tmp_path: Path) -> None:
    for words in (("format", "--check", "."), ("check", ".")):
        output_of(product, "-m", "ruff", *words, "--no-cache")
    variables = {"DEBUG": "on", "SANDBOX_STATE_DIR": str(tmp_path)}
    output_of(product, "manage.py", "--app", "sandbox_api", "makemigrations", "--check", **variables)


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


def test_further_platform_and_languages_are_added(own: Path) -> None:
    assert "yourself" not in output_of(own, "manage.py", "startplatform", "fleet")
    assert "8 passed" in output_of(own, *PYTEST)
    described = own / "apps" / "product.py"
    text = described.read_text().replace('msgid("Acme"),', 'msgid("Acme"),\n    msgid("Fleet"),')
    languages = '"de": "Deutsch", "en": "English", "fr": "Français"'
    described.write_text(text.replace('"en": "English"', languages))
    # Commands need no variables after `make install`.
    link_environment(own, server=True)
    run_program("make", "install", "PIP=true", cwd=own)
    told = output_of(own, "manage.py", "--app", "fleet", "update_catalogs", DEBUG="")
    catalog = "apps/locale/{}/LC_MESSAGES/django.po: no translation of '{}'"
    assert catalog.format("de", "Fleet") in told
    # The packages' texts are translated into German; in French, which they lack, their texts are the product's.
    assert catalog.format("fr", "Sign in") in told
    assert catalog.format("de", "Sign in") not in told
    assert "packages" not in told
    # The texts are written in English, whatever the default language is.
    assert "locale/en" not in told
    assert not list((ROOT / "packages").rglob("locale/fr"))
    checked = run_in(own, "manage.py", "--app", "auth_app", "check", variables=in_product(own, DEBUG="on"))
    assert "(portal.source.E006) the text 'Fleet' has no translation" in checked.stderr
    # The gateway lacks nothing else.
    assert set(re.findall(r"\((portal\.[\w.]+)\) ", checked.stderr)) == {"portal.source.E006"}


def test_products_files_and_calls_replace_the_portals(own: Path, tmp_path: Path) -> None:
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
        "from django.core.management import call_command\n"
        "call_command('list_endpoints')\n"
    )
    state = str(tmp_path / "state")
    variables = {"DEBUG": "on", "DJANGO_SETTINGS_MODULE": "apps.auth_app.settings", "APP_STATE_DIR": state}
    shown = output_of(own, "-c", program, **variables)
    assert str(style) in shown
    assert "Our own sign-in" in shown
    assert "/acme/orders/{id}" in shown
    assert "/me" in shown
    assert "/energy/clients" not in shown


@pytest.mark.parametrize(
    ("name", "folder", "told"),
    [
        ("Acme", "new", "'Acme' can't be a product"),
        (NAME, ".", " is no empty folder: give another one by --folder"),
        (NAME, "notes.txt", "notes.txt is no empty folder: give another one by --folder"),
    ],
)
def test_refused_name_or_folder_writes_nothing(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path, name: str, folder: str, told: str
) -> None:
    (tmp_path / "notes.txt").write_text("mine")
    monkeypatch.chdir(tmp_path)
    with pytest.raises(CommandError, match=re.escape(told)) as refused:
        call_command("startproduct", name, "--folder", folder)
    assert refused.value.returncode == 2
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
