"""Rules that every template keeps: the policy against inline code, tokens in forms, whole documents."""

import gzip
import re
from pathlib import Path

import django_htmx
import pytest
import responses
from django.test import Client, override_settings

from portal.config.platforms import PLATFORMS
from tests.portal.web.conftest import BACKEND

ROOT = Path(__file__).resolve().parents[3]
SHARED = tuple(ROOT / "packages" / name for name in ("portal/web", "portal_pages", "portal_gateway"))
FOLDERS = [*(each / "templates" for each in SHARED), *sorted((ROOT / "apps").glob("*/templates"))]
TEMPLATES = [path for folder in FOLDERS for path in sorted(folder.rglob("*.html"))]


@pytest.mark.parametrize("path", TEMPLATES, ids=lambda path: str(path.relative_to(ROOT)))
def test_no_template_needs_an_exception_from_the_content_security_policy(path: Path) -> None:
    text = path.read_text()
    assert not re.search(r"<style\b|\sstyle=|\son[a-z]+=|javascript:|hx-on", text)
    assert not re.search(r"<script(?![^>]*\ssrc=)", text)
    assert not re.search(r"https?://", text)
    assert "|safe" not in text
    # HTML has it for fields that are typed into. A form may have it, for what its scripts change.
    assert not re.search(r'<input type="(hidden|radio|checkbox)"[^>]*\sautocomplete=', text)
    assert "autoescape" not in text


def test_one_template_writes_the_document_and_says_what_it_is() -> None:
    assert len(FOLDERS) == len(PLATFORMS) + len(SHARED)
    assert len(TEMPLATES) > 40
    documents = [path for path in TEMPLATES if "<html" in path.read_text()]
    assert [path.name for path in documents] == ["base.html"]
    assert re.search(r'<html lang="[^"]+" data-pathname="[^"]+"', documents[0].read_text())


#: A script that a page loads by itself, and one that a script loads when somebody first asks for it.
SCRIPT = re.compile(r"<script src=\"\{\{ static\('([^']+\.js)'\)")
LATER = re.compile(r"data-script=\"\{\{ static\('([^']+\.js)'\)")
STATIC = [
    Path(django_htmx.__file__).parent / "static",
    *(each / "static" for each in SHARED),
    *sorted((ROOT / "apps").glob("*/static")),
]


#: Bytes, compressed by gzip, of all scripts that a page loads by itself. What it loads when somebody first asks for it,
#: the palette and the export of a list, comes later.
SCRIPT_LIMIT = 32_000


def weight_of(script: str) -> int:
    """Bytes, compressed by gzip."""
    (file,) = [folder / script for folder in STATIC if (folder / script).exists()]
    return len(gzip.compress(file.read_bytes()))


def test_a_page_ships_little_script_and_each_script_is_part_of_a_page() -> None:
    texts = {path: path.read_text() for path in TEMPLATES}
    (everywhere,) = [set(SCRIPT.findall(text)) for path, text in texts.items() if path.name == "base.html"]
    assert len(everywhere) >= 6
    weights = {path: sum(map(weight_of, everywhere | set(SCRIPT.findall(text)))) for path, text in texts.items()}
    assert {path: weight for path, weight in weights.items() if weight > SCRIPT_LIMIT} == {}
    named = set().union(*(pattern.findall(text) for pattern in (SCRIPT, LATER) for text in texts.values()))
    scripts = {f"portal/js/{path.name}" for each in SHARED for path in each.glob("static/portal/js/*.js")}
    assert len(scripts) > 15
    assert scripts - named == set()


def test_debug_adds_no_script_of_htmx(backend: responses.RequestsMock, energy_user: Client) -> None:
    backend.get(f"{BACKEND}/energy/clients", json={"items": [], "hasNext": False, "nextCursor": None})
    with override_settings(DEBUG=True):
        body = energy_user.get("/en/energy/clients").content.decode()
    htmx, *own = re.findall(r'<script[^>]* src="/static/([^"]+)"', body)
    assert htmx == "django_htmx/htmx-2.min.js"
    assert [script for script in own if not script.startswith("portal/js/")] == []
