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
def test_every_text_is_translated_and_the_files_are_current(folder: Path, language: str) -> None:
    catalog = updated_catalog(folder, language)
    assert untranslated(catalog) == []
    path = po_path(folder, language)
    assert path.read_bytes() == po_bytes(catalog)
    assert path.with_suffix(".mo").read_bytes() == mo_bytes(catalog)


@each_catalog
def test_a_translation_fills_in_the_same_values_and_doubles_other_percent_signs(folder: Path, language: str) -> None:
    """Templates fill in values with `%`, so a single one breaks the page of that language."""
    values = r"%\(\w+\)[sd]"
    for message in read_catalog(folder, language):
        ids, strings = (each if isinstance(each, tuple) else (each,) for each in (message.id, message.string))
        for text in (*ids, *strings):
            assert "%" not in re.sub(rf"{values}|%%", "", text)
        for string in strings if message.id else ():
            assert set(re.findall(values, string)) == set(re.findall(values, ids[-1]))


def test_texts_are_found_in_code_and_templates() -> None:
    texts = {text.singular: files for folder in catalog_folders() for text, files in texts_of(folder).items()}
    assert any(name.endswith(".py") for name in texts["Email or password is wrong."])
    assert any(name.endswith(".html") for name in texts["You are signed out"])
    assert any(text.plural for folder in catalog_folders() for text in texts_of(folder))


def test_a_text_that_lacks_a_translation_is_named(tmp_path: Path) -> None:
    (tmp_path / "page.html").write_text('{{ _("Brand new") }}')
    (tmp_path / "view.py").write_text('ngettext("%(n)d cat", "%(n)d cats", n)')
    assert untranslated(updated_catalog(tmp_path, "de")) == ["('%(n)d cat', '%(n)d cats')", "Brand new"]
