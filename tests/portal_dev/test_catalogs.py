"""The translations are whole and compiled. `manage.py --app energy update_catalogs` brings them up to date."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from portal_dev.catalogs import (
    TRANSLATED,
    catalog_folders,
    mo_bytes,
    po_bytes,
    po_path,
    read_catalog,
    texts_of,
    untranslated,
    updated_catalog,
)

CATALOGS = [(folder, language) for folder in catalog_folders() for language in TRANSLATED]
IDS = [f"{folder.name}-{language}" for folder, language in CATALOGS]
each_catalog = pytest.mark.parametrize(("folder", "language"), CATALOGS, ids=IDS)


@each_catalog
def test_every_text_is_translated(folder: Path, language: str) -> None:
    assert untranslated(updated_catalog(folder, language)) == []


@each_catalog
def test_the_files_are_current(folder: Path, language: str) -> None:
    catalog = updated_catalog(folder, language)
    path = po_path(folder, language)
    assert path.read_bytes() == po_bytes(catalog)
    assert path.with_suffix(".mo").read_bytes() == mo_bytes(catalog)


@each_catalog
def test_a_translation_fills_in_the_same_values(folder: Path, language: str) -> None:
    values = re.compile(r"%\(\w+\)[sd]")
    for message in read_catalog(folder, language):
        if message.id:
            ids = message.id if isinstance(message.id, tuple) else (message.id,)
            strings = message.string if isinstance(message.string, tuple) else (message.string,)
            for string in strings:
                assert set(values.findall(string)) == set(values.findall(ids[-1]))


@each_catalog
def test_a_percent_sign_is_doubled(folder: Path, language: str) -> None:
    """Templates fill in values with `%`, so a single one breaks the page of that language."""
    for message in read_catalog(folder, language):
        for texts in (message.id, message.string):
            for text in texts if isinstance(texts, tuple) else (texts,):
                assert "%" not in re.sub(r"%\(\w+\)[sd]|%%", "", text)


def test_texts_are_found_in_code_and_templates() -> None:
    texts = {text.singular: files for folder in catalog_folders() for text, files in texts_of(folder).items()}
    assert any(name.endswith(".py") for name in texts["Email or password is wrong."])
    assert any(name.endswith(".html") for name in texts["You are signed out"])
    assert any(text.plural for folder in catalog_folders() for text in texts_of(folder))


def test_a_text_that_lacks_a_translation_is_named(tmp_path: Path) -> None:
    (tmp_path / "page.html").write_text('{{ _("Brand new") }}')
    (tmp_path / "view.py").write_text('ngettext("%(n)d cat", "%(n)d cats", n)')
    assert untranslated(updated_catalog(tmp_path, "de")) == ["('%(n)d cat', '%(n)d cats')", "Brand new"]
