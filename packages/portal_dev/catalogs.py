"""Translation catalogs: Babel finds the texts of code and templates, and brings `.po` files up to date.

Every folder of :func:`catalog_folders` has `locale/<language>/LC_MESSAGES/django.po`; :mod:`portal_operate.catalogs`
compiles them. A catalog is written so that two branches rarely change the same lines: sorted by the texts, each text
and each translation on one line, without dates and without the files that use them. Where both add lines at one place,
git keeps both (`.gitattributes`).
"""

import io
import re
from collections.abc import Iterable
from functools import cache
from pathlib import Path
from typing import Any, Final

from babel.messages.catalog import Catalog
from babel.messages.extract import DEFAULT_KEYWORDS, extract_from_file
from babel.messages.pofile import write_po
from jinja2 import TemplateSyntaxError

from portal.config.locales import LOCALES
from portal.config.places import PACKAGES, SOURCE_ROOT, place
from portal.config.projects import PROJECTS
from portal.errors import ConfigurationError
from portal.services.service_imports import services_folder
from portal_operate import catalogs

#: The languages with catalogs: all but English, in which the texts are written, whatever the default language is.
TRANSLATED: Final = tuple(locale for locale in LOCALES if locale != "en")
_WEB: Final = PACKAGES / "portal" / "web"
#: The packages that have texts. Those of a language that they do not have are the product's.
_PACKAGES: Final = (_WEB, PACKAGES / "portal_pages", PACKAGES / "portal_gateway")
#: What the product's own projects share: its name for each platform, and its services.
_PRODUCT: Final = SOURCE_ROOT / "apps"
#: What all apps share: a text of one of these is translated there, and in no folder after it.
_SHARED: Final = (*_PACKAGES[:2], _PRODUCT)
_METHODS: Final = {".py": "python", ".html": "jinja2"}
_KEYWORDS: Final[dict[str, Any]] = {
    **DEFAULT_KEYWORDS,
    **dict.fromkeys(("gettext_lazy", "gettext_noop", "msgid")),
    "ngettext_lazy": (1, 2),
}
_HEADER: Final = r"""# {name}: the texts of this folder. Made by `update_catalogs`; translations are kept.
msgid ""
msgstr ""
"Language: {language}\n"
"Plural-Forms: {plural_forms}\n"
"MIME-Version: 1.0\n"
"Content-Type: text/plain; charset=utf-8\n"
"Content-Transfer-Encoding: 8bit"

"""


def catalog_folders() -> tuple[Path, ...]:
    """Return the folders of this checkout with catalogs: of the shared packages, of the product, and of each app.

    Packages that a product has installed keep theirs as they came.
    """
    packages = _PACKAGES if PACKAGES.parent == SOURCE_ROOT else ()
    # The gateway's pages are a package's; a product may have some of its own.
    apps = (
        project.app for project in PROJECTS if not project.is_gateway or (_PRODUCT / project.app / "templates").is_dir()
    )
    return (*packages, _PRODUCT, *(_PRODUCT / app for app in apps))


def files_in(folder: Path, *suffixes: str) -> list[Path]:
    """Return the files below a folder that end so; no links to nowhere, which an editor makes for each open file."""
    return sorted(path for path in folder.rglob("*") if path.suffix in suffixes and path.is_file())


def texts_of(folder: Path) -> dict[str | tuple[str, str], list[tuple[Path, int]]]:
    """Return all texts of `folder`, each with the files and lines that use it; one with a plural form is a pair.

    The web layer's catalog serves `portal_oidc` as well, and the services: all apps show the names of their lists.
    """
    found: dict[str | tuple[str, str], list[tuple[Path, int]]] = {}
    for path in _files_of(folder):
        for line, text in _texts_in(path, path.stat().st_mtime_ns):
            found.setdefault(text, []).append((path, line))
    return found


def _files_of(folder: Path) -> list[Path]:
    if folder == _PRODUCT:
        services = [] if services_folder().is_relative_to(PACKAGES) else files_in(services_folder(), ".py")
        return [*folder.glob("*.py"), *files_in(folder / "templates", ".html"), *services]
    folders = (folder, PACKAGES / "portal_oidc", folder.with_name("services")) if folder == _WEB else (folder,)
    return [path for each in folders for path in files_in(each, *_METHODS)]


@cache
def _texts_in(path: Path, _changed_ns: int) -> list[tuple[int, Any]]:
    options = {"silent": "false", "trimmed": "true"}
    try:
        found = extract_from_file(_METHODS[path.suffix], path, keywords=_KEYWORDS, options=options)
    except TemplateSyntaxError as error:
        error.filename, error.translated = str(path), False
        raise
    return [(line, text) for line, text, _comments, _context in found]


def po_path(folder: Path, language: str) -> Path:
    """Return the path of a folder's catalog."""
    return folder / "locale" / language / "LC_MESSAGES" / "django.po"


def read_catalog(folder: Path, language: str) -> Catalog:
    """Return the catalog on disk; an empty one where there is none.

    :raises ConfigurationError: it can't be read, or has two translations of a text, as a merge may leave them.
    """
    path = po_path(folder, language)
    if not path.exists():
        return Catalog(locale=language)
    catalog = catalogs.read_catalog(path)
    kept = {line for line in po_bytes(catalog).splitlines() if line.startswith(b"msgstr")}
    for number, line in enumerate(path.read_bytes().splitlines(), 1):
        # A translation that another program has wrapped begins with an empty line.
        if line.startswith(b"msgstr") and not line.endswith(b' ""') and line not in kept:
            raise ConfigurationError(
                f"{place(path, number)}: a text has two translations, as after a merge: delete one, here or above"
            )
    return catalog


def updated_catalog(folder: Path, language: str) -> Catalog:
    """Return the catalog with exactly the texts that are in use, keeping their translations.

    :raises ConfigurationError: as :func:`read_catalog`.
    """
    texts, catalog = Catalog(), read_catalog(folder, language)
    for text in _own_texts_of(folder, language):
        texts.add(text)
    catalog.update(texts, no_fuzzy_matching=True)
    catalog.obsolete.clear()
    for message in catalog:
        message.flags.discard("fuzzy")
    return catalog


def _own_texts_of(folder: Path, language: str) -> set[Any]:
    """Return the texts of a folder without those that are translated in a folder above.

    A text of the web layer is translated there, once: the catalogs of the kit of pages, of the product and of an app
    leave it out. So do the latter with a text of the kit, and an app with one of the product. In a language that the
    packages do not have, their texts are the product's.
    """
    lacking = {each for each in _PACKAGES if each not in catalog_folders() and not po_path(each, language).exists()}
    own = {text for each in (folder, *(lacking if folder == _PRODUCT else ())) for text in texts_of(each)}
    above = _SHARED[: _SHARED.index(folder)] if folder in _SHARED else _SHARED
    return own - {message.id for each in above for message in read_catalog(each, language)}


def write_catalog(folder: Path, language: str) -> list[str]:
    """Bring a catalog up to date; return the texts that lack a translation.

    :raises ConfigurationError: as :func:`read_catalog`.
    """
    catalog = updated_catalog(folder, language)
    path = po_path(folder, language)
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_bytes(po_bytes(catalog))
    return untranslated(catalog)


def po_bytes(catalog: Catalog) -> bytes:
    """Return a catalog as a `.po` file; it changes only with its texts."""
    language, file = catalog.locale_identifier or "", io.BytesIO()
    write_po(file, catalog, sort_output=True, no_location=True, omit_header=True, width=0)
    header = _HEADER.format(name=LOCALES[language], language=language, plural_forms=catalog.plural_forms)
    return header.encode() + file.getvalue()


def untranslated(catalog: Catalog) -> list[str]:
    """Return the texts that lack a translation with their values, or one of their plural forms."""
    missing = []
    for message in catalog:
        ids, strings = (each if isinstance(each, list | tuple) else (each,) for each in (message.id, message.string))
        is_whole = all(strings) and (not message.pluralizable or len(strings) == catalog.num_plurals)
        # A page can't be written in a language whose text has other values.
        if message.id and not (is_whole and _values_in(ids) == _values_in(strings)):
            missing.append(str(message.id))
    return sorted(missing)


def _values_in(texts: Iterable[str | None]) -> set[str]:
    return {*re.findall(r"%(?:%|\(\w+\)\w?|\w?)", " ".join(map(str, texts)))} - {"%%"}
