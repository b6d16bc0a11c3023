"""The translations are whole, and merge. `manage.py --app energy update_catalogs` brings them up to date."""

import re
from pathlib import Path

import pytest
from babel.messages.catalog import Catalog
from jinja2 import TemplateSyntaxError

from portal.errors import ConfigurationError
from portal_dev.catalogs import (
    TRANSLATED,
    catalog_folders,
    po_bytes,
    po_path,
    read_catalog,
    texts_of,
    untranslated,
    updated_catalog,
    write_catalog,
)
from tests.support.checkout_copy import git
from tests.support.harness import ROOT, require_tool

CATALOGS = [(folder, language) for folder in catalog_folders() for language in TRANSLATED]
IDS = [f"{folder.name}-{language}" for folder, language in CATALOGS]
each_catalog = pytest.mark.parametrize(("folder", "language"), CATALOGS, ids=IDS)


@each_catalog
def test_catalog_has_every_text_and_no_other(folder: Path, language: str) -> None:
    """In any order: a merge leaves what two branches have added unsorted."""
    catalog = updated_catalog(folder, language)
    assert untranslated(catalog) == []
    lines = po_path(folder, language).read_text().splitlines()
    assert sorted(set(lines)) == sorted(set(po_bytes(catalog).decode().splitlines()))


@pytest.mark.parametrize(
    ("string", "is_fine"),
    [
        ("%(name)s zu %(p)s %%", True),
        ("%(nmae)s zu %(p)s %%", False),
        ("%(name)s ist %%", False),
        ("%(name)s: % v %(p)s", False),
    ],
)
def test_translation_has_the_same_values(string: str, is_fine: bool) -> None:
    """Templates fill in values with `%`, so a single one breaks the page of that language."""
    catalog = Catalog(locale="de")
    catalog.add("%(name)s is at %(p)s %%", string)
    assert untranslated(catalog) == ([] if is_fine else ["%(name)s is at %(p)s %%"])


def test_text_stands_in_the_line_of_its_call(tmp_path: Path) -> None:
    page, view = tmp_path / "page.html", tmp_path / "view.py"
    page.write_text("<p>\n\n{% trans n=1 %}\n  {{ n }} car{% pluralize %}{{ n }} cars{% endtrans %}\n{{ _('Next') }}")
    view.write_text("x = 1\n_('Next')\n")
    assert texts_of(tmp_path) == {("%(n)s car", "%(n)s cars"): [(page, 3)], "Next": [(page, 5), (view, 2)]}


def test_text_without_a_translation_is_named(tmp_path: Path) -> None:
    (tmp_path / "page.html").write_text('{{ _("Brand new") }}')
    (tmp_path / "view.py").write_text('ngettext("%(n)d cat", "%(n)d cats", n)')
    cats = "('%(n)d cat', '%(n)d cats')"
    assert sorted(write_catalog(tmp_path, "de")) == [cats, "Brand new"]
    path = po_path(tmp_path, "de")
    for form, still in ((0, [cats, "Brand new"]), (1, ["Brand new"])):
        path.write_text(path.read_text().replace(f'msgstr[{form}] ""', f'msgstr[{form}] "%(n)d Katzen"'))
        assert sorted(write_catalog(tmp_path, "de")) == still


def test_fault_of_a_template_names_its_file(tmp_path: Path) -> None:
    (tmp_path / "page.html").write_text("{% if %}")
    with pytest.raises(TemplateSyntaxError, match=r"page\.html"):
        write_catalog(tmp_path, "de")


def test_second_translation_of_a_text_is_told(tmp_path: Path) -> None:
    (tmp_path / "page.html").write_text('{{ _("City") }}')
    write_catalog(tmp_path, "de")
    path = po_path(tmp_path, "de")
    for second in ('msgstr "Ort"', 'msgid "City"\nmsgstr "Ort"'):
        path.write_text(path.read_text().partition('msgid "City')[0] + f'msgid "City"\nmsgstr "Stadt"\n{second}\n')
        with pytest.raises(ConfigurationError, match=rf"django\.po:{path.read_text().count(chr(10))}: .*delete one"):
            write_catalog(tmp_path, "de")


LONG = "This text is so long that no editor shows it on one line; in a catalog it stands on one, all the same. " * 2
#: Of each page: a text that is there already, texts that are new, and one that is new on both.
PAYMENTS = {"Client": "Kunde", "Reminder sent": "Erinnert", "Sent": "Gesendet", f"Reply. {LONG}": f"Antwort. {LONG}"}
REFUNDS = {"Client": "Kunde", "Reminder due": "Zu erinnern", "Sent": "Gesendet", f"Rest. {LONG}": f"Rest. {LONG}"}


class Clone:
    """A repository with one app's catalog, under this repository's `.gitattributes`."""

    def __init__(self, folder: Path) -> None:
        require_tool("git")
        self.folder = folder
        self.git("init", "-q", "-b", "main")
        (folder / ".gitattributes").write_text((ROOT / ".gitattributes").read_text())
        (folder / ".gitignore").write_text((ROOT / ".gitignore").read_text())
        self.add_page("clients", {"Client": "Kunde", "Settled": "Beglichen", "Region": "Gebiet"})

    def git(self, *words: str) -> str:
        return git(self.folder, *words)

    def add_page(self, name: str, texts: dict[str, str]) -> None:
        """A template, the update of the catalog, the translations, and a commit."""
        (self.folder / f"{name}.html").write_text("".join(f'{{{{ _("{text}") }}}}\n' for text in texts))
        assert write_catalog(self.folder, "de") == sorted(text for text in texts if text not in self.translations())
        path = po_path(self.folder, "de")
        for text, translation in texts.items():
            path.write_text(
                path.read_text().replace(f'msgid "{text}"\nmsgstr ""', f'msgid "{text}"\nmsgstr "{translation}"')
            )
        assert write_catalog(self.folder, "de") == []
        self.git("add", "-A")
        self.git("commit", "-q", "-m", f"Add {name}")

    def translations(self) -> dict[str, str]:
        return {
            str(message.id): str(message.string)
            for message in read_catalog(self.folder, "de")
            if message.id and message.string
        }


def test_branches_that_add_texts_merge(tmp_path: Path) -> None:
    """The new texts stand beside each other, between the same two of before."""
    clone = Clone(tmp_path)
    clone.git("switch", "-q", "-c", "payments")
    clone.add_page("payments", PAYMENTS)
    clone.git("switch", "-q", "-c", "refunds", "main")
    clone.add_page("refunds", REFUNDS)
    clone.git("merge", "-q", "payments")
    assert clone.translations() == {"Region": "Gebiet", "Settled": "Beglichen"} | PAYMENTS | REFUNDS
    assert write_catalog(clone.folder, "de") == []
    texts = re.findall(r'^msgid "(.+)"$', po_path(clone.folder, "de").read_text(), flags=re.MULTILINE)
    assert texts == sorted(texts)
