"""One style sheet for each app: the readable ones, each in place of its import."""

import json
import posixpath
import re
from dataclasses import replace
from pathlib import Path

import pytest
from django.core.management import call_command
from django.templatetags.static import static

from portal.config.base_settings import build_settings
from portal_server.static.storage import bundle
from portal_server.static_files import UNUSED_FILES
from tests.settings import PORTAL
from tests.support.harness import ROOT

GATEWAY = ROOT / "packages" / "portal_gateway" / "static"
TEMPLATE = ROOT / "packages" / "portal_dev" / "platforms" / "platform_template" / "apps" / "app_name" / "static"
SHARED = ROOT / "packages" / "portal" / "web" / "static" / "portal" / "css"


def bundled(name: str = "app/app.css", **sheets: str) -> str:
    """The sheets are given by name, `__` for `/`, without `.css`."""
    texts = {f"{name.replace('__', '/')}.css": text for name, text in sheets.items()}
    return bundle(name, read=texts.__getitem__)


def test_an_import_is_replaced_by_its_sheet_and_what_that_imports() -> None:
    text = bundled(
        app__app='@import "../shared/all.css";\nc {}',
        shared__all='@import "one.css";\n@import "two.css";\n',
        shared__one="a {}",
        shared__two="b {}",
    )
    assert text.split() == ["a", "{}", "b", "{}", "c", "{}"]


@pytest.mark.parametrize(
    ("address", "written"),
    [
        *((form, '"../shared/img/a.svg"') for form in ('"../img/a.svg"', "'../img/a.svg'", "../img/a.svg")),
        *(
            (other, other)
            for other in ('"data:image/png;base64,AA=="', '"https://a.test/b.svg"', '"/b.svg"', '"#part"')
        ),
    ],
)
def test_relative_address_leads_to_the_same_file(address: str, written: str) -> None:
    rule = f"a {{ background: url({address}) }}"
    text = bundled(app__app='@import "../shared/css/one.css";', shared__css__one=rule)
    assert text == f"a {{ background: url({written}) }}"


def test_a_comment_is_left_as_it_is() -> None:
    comment = '/* @import "gone.css"; url(a.svg)\n@import url(b.css); */'
    assert bundled(app__app=f'{comment}@import "one.css";', app__one="a {}") == f"{comment}a {{}}"


@pytest.mark.parametrize(
    ("sheets", "told"),
    [
        *(
            ({"app__app": line, "app__one": "a {}"}, r"app/app\.css should import with")
            for line in ('@import url("one.css");', "@import 'one.css';", '@import "one.css" screen;')
        ),
        (
            {"app__app": '@import "one.css";', "app__one": '@import "two.css";', "app__two": '@import "one.css";'},
            r"app/app\.css imports app/one\.css twice",
        ),
    ],
)
def test_another_form_of_import_and_one_of_the_same_sheet_are_mistakes(sheets: dict[str, str], told: str) -> None:
    with pytest.raises(ValueError, match=told):
        bundled(**sheets)


@pytest.fixture
def production(settings, tmp_path: Path) -> Path:
    """An empty static root, with the storage that production has, and the static files of every app."""
    root = tmp_path / "root"
    for name, value in build_settings(replace(PORTAL, static_root=root)).items():
        if name in {"STATIC_ROOT", "STORAGES", "WHITENOISE_KEEP_ONLY_HASHED_FILES"}:
            setattr(settings, name, value)
    settings.STATICFILES_DIRS = [TEMPLATE, GATEWAY, *ROOT.glob("apps/*/static")]
    return root


def collect(root: Path) -> dict[str, str]:
    """Name of each collected file, to its hashed name."""
    call_command("collectstatic", interactive=False, verbosity=0, ignore_patterns=UNUSED_FILES)
    names: dict[str, str] = json.loads((root / "staticfiles.json").read_text())["paths"]
    return names


def test_one_sheet_and_used_files_are_collected(production: Path, settings, caplog: pytest.LogCaptureFixture) -> None:
    settings.DEBUG = True
    names = collect(production)
    folders = (TEMPLATE, GATEWAY, *ROOT.glob("apps/*/static"))
    apps = {path.parent.name: path for folder in folders for path in folder.glob("*/app.css")}
    parts = [SHARED / name for name in re.findall(r'@import "(.+)";', (SHARED / "portal.css").read_text())]
    assert min(len(apps), len(parts)) >= 5
    for app, own in apps.items():
        text = (production / names[f"{app}/app.css"]).read_text()
        assert "@import" not in text
        rules = [re.sub(r"@import .*|url\(.*\)", "", path.read_text()) for path in [*parts, own]]
        flat = re.sub(r"url\(.*\)", "", text)
        places = [flat.index(rule.strip()) for rule in rules]
        assert places == sorted(places), "all rules in the order of the cascade"
    addresses = [
        posixpath.normpath(posixpath.join(posixpath.dirname(name), address))
        for name in names.values()
        if name.endswith(".css")
        for address in re.findall(r'url\("(?!data:)([^"]+)"\)', (production / name).read_text())
    ]
    assert names["portal/img/chevron.svg"] in addresses
    assert [address for address in addresses if not (production / address).is_file()] == []
    assert {name for name in names if name.startswith("django_htmx/")} == {"django_htmx/htmx-2.min.js"}
    collected = {str(path.relative_to(production)) for path in production.rglob("*") if path.is_file()}
    compressed = {name for name in collected if name.endswith((".br", ".gz"))}
    assert collected - compressed == {*names.values(), "staticfiles.json"}, "no file without a hash"
    assert {f"{names['energy/app.css']}.br", f"{names['energy/app.css']}.gz"} <= compressed
    assert static("energy/app.css") == f"/static/{names['energy/app.css']}"
    assert static("energy/missing.css") == "/static/energy/missing.css"
    assert "'energy/missing.css' is not among the collected files" in caplog.text


def test_an_import_of_a_file_that_does_not_exist_stops_the_start(production: Path, settings, tmp_path: Path) -> None:
    (tmp_path / "own").mkdir()
    (tmp_path / "own" / "a.css").write_text('@import "gone.css";')
    settings.STATICFILES_DIRS = [tmp_path / "own"]
    with pytest.raises(ValueError, match=r"no static file 'gone\.css', which a style sheet imports"):
        collect(production)


def test_the_debug_toolbar_finds_its_scripts_by_their_plain_names() -> None:
    settings = build_settings(replace(PORTAL, static_root=ROOT, debug=True, debug_toolbar=True))
    assert settings["WHITENOISE_KEEP_ONLY_HASHED_FILES"] is False
