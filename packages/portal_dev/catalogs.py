"""Translation catalogs: finds the texts in code and templates, and writes them to `.po`.

It uses Babel, so that no gettext programs are needed. Every folder of :func:`catalog_folders` keeps its texts in
`locale/<language>/LC_MESSAGES/django.po`; :mod:`portal_operate.catalogs` compiles them.

A catalog is written so that two branches rarely change the same lines: sorted by the texts, each text and each
translation on one line, and not a word of the files that use them. Where both add lines at one place, git keeps both
(`.gitattributes`).
"""

from __future__ import annotations

import io
import os.path
from dataclasses import dataclass
from functools import cache
from typing import TYPE_CHECKING, Final

from babel.messages.catalog import Catalog
from babel.messages.extract import extract
from babel.messages.pofile import write_po
from jinja2 import Environment

from portal.config.locales import LOCALES
from portal.config.places import PACKAGES, SOURCE_ROOT, place
from portal.config.projects import PROJECTS
from portal.errors import ConfigurationError
from portal.services.service_imports import services_folder
from portal.web.templating import TEMPLATE_POLICIES
from portal_operate import catalogs

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

#: The languages with catalogs: all but English, in which the texts are written, whatever the default language is.
TRANSLATED: Final = tuple(locale for locale in LOCALES if locale != "en")
_WEB: Final = PACKAGES / "portal" / "web"
#: The packages that have texts. Those of a language that they do not have are the product's.
_PACKAGES: Final = (_WEB, PACKAGES / "portal_pages", PACKAGES / "portal_gateway")
#: What the product's own projects share: its name for each platform, and its services.
_PRODUCT: Final = SOURCE_ROOT / "apps"
#: What all apps share: a text of one of these is translated there, and in no folder after it.
_SHARED: Final = (*_PACKAGES[:2], _PRODUCT)
_KEYWORDS: Final = dict.fromkeys(("_", "gettext", "gettext_lazy", "gettext_noop", "msgid")) | {
    "ngettext": (1, 2),
    "ngettext_lazy": (1, 2),
}


@dataclass(frozen=True, slots=True, order=True)
class Text:
    """One text to translate.

    :param plural: empty where the text has no plural form.
    """

    singular: str
    plural: str = ""

    @property
    def id(self) -> str | tuple[str, str]:
        """Babel's id of the text."""
        return (self.singular, self.plural) if self.plural else self.singular


def catalog_folders() -> tuple[Path, ...]:
    """The folders of this checkout with their own catalogs: of the shared packages, of the product, and of each app.

    Packages that a product has installed keep theirs as they came.
    """
    packages = _PACKAGES if PACKAGES.parent == SOURCE_ROOT else ()
    # The gateway's pages are a package's; a product may have some of its own.
    apps = (
        project.app for project in PROJECTS if not project.is_gateway or (_PRODUCT / project.app / "templates").is_dir()
    )
    return (*packages, _PRODUCT, *(_PRODUCT / app for app in apps))


def files_in(folder: Path, *suffixes: str) -> list[Path]:
    """The files below a folder that end so; no links to nowhere, which an editor makes for each file it has open."""
    return sorted(path for path in folder.rglob("*") if path.suffix in suffixes and path.is_file())


def texts_of(folder: Path) -> dict[Text, list[str]]:
    """All texts of `folder`, each with the files that use it.

    The web layer's catalog serves `portal_oidc` as well, and the services: all apps show the names of their lists.
    """
    found: dict[Text, set[str]] = {}
    for path in sorted(_files_of(folder)):
        for text in _texts_in(path, path.stat().st_mtime_ns):
            found.setdefault(text, set()).add(os.path.relpath(path, SOURCE_ROOT))
    return {text: sorted(found[text]) for text in sorted(found)}


def _files_of(folder: Path) -> Iterator[Path]:
    if folder == _PRODUCT:
        yield from folder.glob("*.py")
        yield from files_in(folder / "templates", ".html")
        if not services_folder().is_relative_to(PACKAGES):
            yield from files_in(services_folder(), ".py")
        return
    folders = (folder, PACKAGES / "portal_oidc", folder.with_name("services")) if folder == _WEB else (folder,)
    for each in folders:
        yield from files_in(each, ".py", ".html")


def po_path(folder: Path, language: str) -> Path:
    """Path of a folder's catalog."""
    return folder / "locale" / language / "LC_MESSAGES" / "django.po"


def read_catalog(folder: Path, language: str) -> Catalog:
    """The catalog on disk; an empty one where there is none.

    :raises ConfigurationError: it can't be read, or has two translations of a text, as a merge may leave them.
    """
    path = po_path(folder, language)
    if not path.exists():
        return _empty(language)
    catalog = catalogs.read_catalog(path)
    kept = _translations(po_bytes(catalog))
    for number, line in enumerate(path.read_bytes().splitlines(), 1):
        if line in _translations(line) - kept:
            raise ConfigurationError(
                f"{place(path, number)}: a text has two translations, as after a merge: delete one, here or above"
            )
    return catalog


def updated_catalog(folder: Path, language: str) -> Catalog:
    """The catalog with exactly the texts that are in use, keeping their translations.

    :raises ConfigurationError: as :func:`read_catalog`.
    """
    known = read_catalog(folder, language)
    fresh = _empty(language)
    for text in own_texts_of(folder, language):
        message = known.get(text.id)
        fresh.add(
            text.id,
            string=message.string if message else None,
            flags=message.flags - {"fuzzy"} if message else (),
        )
    return fresh


def own_texts_of(folder: Path, language: str) -> dict[Text, list[str]]:
    """As :func:`texts_of`, without what is translated in a folder above.

    A text of the web layer is translated there, once: the catalogs of the kit of pages, of the product and of an app
    leave it out. So do the latter with a text of the kit, and an app with one of the product. In a language that the
    packages do not have, their texts are the product's.
    """
    above = _SHARED[: _SHARED.index(folder)] if folder in _SHARED else _SHARED
    shared = {text for each in above if _has(each, language) for text in texts_of(each)}
    texts = texts_of(folder)
    if folder == _PRODUCT:
        for package in _PACKAGES:
            texts |= {} if _has(package, language) else texts_of(package)
    return {text: files for text, files in texts.items() if text not in shared}


def _has(folder: Path, language: str) -> bool:
    """Whether the folder's texts of this language are its own: an installed package has some languages only."""
    return folder in catalog_folders() or po_path(folder, language).exists()


def write_catalog(folder: Path, language: str) -> list[str]:
    """Bring a catalog up to date; gives the texts that lack a translation.

    :raises ConfigurationError: as :func:`read_catalog`.
    """
    catalog = updated_catalog(folder, language)
    path = po_path(folder, language)
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_bytes(po_bytes(catalog))
    return untranslated(catalog)


def po_bytes(catalog: Catalog) -> bytes:
    """A catalog as a `.po` file; it changes only with its texts."""
    file = io.BytesIO()
    write_po(file, catalog, sort_output=True, no_location=True, omit_header=False, width=0)
    return file.getvalue()


def untranslated(catalog: Catalog) -> list[str]:
    """The texts that lack a translation, or one of their plural forms."""
    missing = []
    for message in catalog:
        strings = message.string if isinstance(message.string, list | tuple) else (message.string,)
        if message.id and (not all(strings) or (message.pluralizable and len(strings) != catalog.num_plurals)):
            missing.append(str(message.id))
    return missing


def _translations(po: bytes) -> set[bytes]:
    """The lines with a translation. One that another program has wrapped begins with an empty line."""
    return {line for line in po.splitlines() if line.startswith(b"msgstr") and not line.endswith(b' ""')}


def _empty(language: str) -> Catalog:
    comment = f"# {LOCALES[language]}: the texts of this folder. Made by `update_catalogs`; translations are kept."
    return _PlainCatalog(locale=language, charset="utf-8", fuzzy=False, header_comment=comment)


class _PlainCatalog(Catalog):
    """A catalog whose header has no dates, so that it does not change from day to day."""

    @property
    def mime_headers(self) -> list[tuple[str, str]]:
        return [
            ("Language", self.locale_identifier or ""),
            ("Plural-Forms", self.plural_forms),
            ("MIME-Version", "1.0"),
            ("Content-Type", "text/plain; charset=utf-8"),
            ("Content-Transfer-Encoding", "8bit"),
        ]


@cache
def _texts_in(path: Path, _changed_ns: int) -> tuple[Text, ...]:
    return tuple(_python_texts(path) if path.suffix == ".py" else _template_texts(path))


def _python_texts(path: Path) -> Iterator[Text]:
    with path.open("rb") as file:
        for _line, message, _comments, _context in extract("python", file, keywords=_KEYWORDS):
            yield Text(*message) if isinstance(message, tuple) else Text(message)


def _template_texts(path: Path) -> Iterator[Text]:
    environment = Environment(autoescape=True, extensions=["jinja2.ext.i18n"])
    environment.policies |= TEMPLATE_POLICIES
    # Parsed here, so that a mistake is reported with the file's name.
    tree = environment.parse(path.read_text(), path.name, str(path))
    for _line, _function, message in environment.extract_translations(tree):  # type: ignore[attr-defined]  # the extension adds it
        texts = message if isinstance(message, tuple) else (message,)
        # None stands for an argument that is no text, such as the number or a value.
        yield Text(*(text for text in texts if text is not None))
