"""What `apps/product.py` says is read once; a product that does not fit ends the start with one line."""

import subprocess
import sys
from pathlib import Path

import pytest

from tests.support.harness import ROOT, clean_environment, run_program

DESCRIBED = """
from portal.config.product import Platform, Product

def platform(name="ORDERS", permission="ORDERS_APP", prefix="/orders", app="orders"):
    return Platform(name=name, permission=permission, prefix=prefix, app=app)

"""
SHOWN = (
    "from portal.config.locales import DEFAULT_LOCALE\n"
    "from portal.config.places import IN_CHECKOUT, SOURCE_ROOT\n"
    "from portal.config.platforms import PLATFORMS, PRODUCT\n"
    "print(PRODUCT.name, DEFAULT_LOCALE, [each.app for each in PLATFORMS], SOURCE_ROOT, IN_CHECKOUT)\n"
)


def read(folder: Path) -> subprocess.CompletedProcess[str]:
    """What a process sees whose `apps` is in this folder."""
    variables = {name: value for name, value in clean_environment().items() if value is not None}
    environment = {**variables, "PYTHONPATH": f"{folder}:{ROOT / 'packages'}"}
    return run_program(sys.executable, "-S", "-c", SHOWN, status=None, cwd=folder, env=environment)


def describe(folder: Path, product: str) -> Path:
    (folder / "apps").mkdir()
    (folder / "apps" / "__init__.py").touch()
    (folder / "apps" / "product.py").write_text(f"{DESCRIBED}PRODUCT = {product}\n")
    return folder


def test_a_product_names_itself_its_languages_and_its_platforms(tmp_path: Path) -> None:
    described = 'Product(name="Acme", locales={"de": "Deutsch", "en": "English"}, platforms=[platform()])'
    done = read(describe(tmp_path, described))
    assert done.stdout == f"Acme de ['orders'] {tmp_path} False\n", done.stderr


def test_its_code_is_a_checkout_where_the_program_is_beside_its_apps(tmp_path: Path) -> None:
    (tmp_path / "manage.py").touch()
    assert read(describe(tmp_path, "Product()")).stdout.endswith(f"{tmp_path} True\n")


@pytest.mark.parametrize(
    "contents",
    [
        *({}, {"apps.py": ""}, {"apps/product.py": "NAME = 1\n"}),
        {"apps/product/__init__.py": "", "apps/product/models.py": ""},
    ],
)
def test_a_project_without_our_apps_has_no_platform(tmp_path: Path, contents: dict[str, str]) -> None:
    for name, text in contents.items():
        (tmp_path / name).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / name).write_text(text)
    done = read(tmp_path)
    assert done.stdout.startswith("Portal en [] "), done.stderr
    assert (tmp_path / "apps").is_dir() or done.stdout.endswith(f" {ROOT / 'packages'} False\n")


def test_what_its_apps_can_not_import_is_told(tmp_path: Path) -> None:
    (tmp_path / "apps").mkdir()
    (tmp_path / "apps" / "__init__.py").write_text("import not_installed")
    assert "No module named 'not_installed'" in read(tmp_path).stderr


@pytest.mark.parametrize(
    ("product", "told"),
    [
        ("Product(locales={})", "locales should name a language"),
        ("Product(platforms=[platform(), platform()])", "two platforms have the name 'ORDERS'"),
        ('Product(platforms=[platform(), platform(name="B", prefix="/b")])', "two platforms have the app 'orders'"),
        ('Product(platforms=[platform(prefix="orders")])', "one segment, such as /orders: 'orders'"),
        ('Product(platforms=[platform(prefix="/a/b")])', "one segment, such as /orders: '/a/b'"),
        ('Product(platforms=[platform(prefix="/en")])', "the prefix of ORDERS is a language of the product"),
        ('Product(platforms=[platform(app="auth_app")])', "the app of ORDERS is the gateway's"),
        ('"Acme"', "PRODUCT should be a Product"),
    ],
)
def test_what_does_not_fit_is_one_line(tmp_path: Path, product: str, told: str) -> None:
    done = read(describe(tmp_path, product))
    assert (done.returncode, done.stderr.count("\n"), told in done.stderr) == (1, 1, True)
    assert done.stderr.startswith("apps.product: ")
