"""Compiles translations: `django.po`, which git has, to `django.mo` beside it, which Django reads.

Each process does it for its own apps when Django starts, so that no other step is needed. A wheel has them from its
build (`setup.py`), and a checkout that its servers may not write to has them from `make runtime`: as a program, this
module compiles all catalogs of the checkout.
"""

import io
import os
from collections.abc import Iterable
from datetime import UTC, datetime
from pathlib import Path
from secrets import token_hex
from typing import Final

from babel.messages.catalog import Catalog

from portal.config.places import PACKAGES, SOURCE_ROOT, place
from portal.errors import ConfigurationError

#: Where a folder has its catalogs.
CATALOGS: Final = "locale/*/LC_MESSAGES/django.po"


def compile_stale(folders: Iterable[Path]) -> None:
    """Compile the catalogs of these folders whose time is not that of what was compiled. Several processes may do so.

    Installed packages come with theirs, and are left alone. A compiled file that can't be replaced is used as it is.

    :raises ConfigurationError: a catalog has a mistake, or has never been compiled and can't be written.
    """
    for folder in folders:
        for source in () if "site-packages" in folder.parts else folder.glob(CATALOGS):
            compiled = source.with_suffix(".mo")
            is_there = compiled.exists()
            if is_there and compiled.stat().st_mtime_ns == source.stat().st_mtime_ns:
                continue
            try:
                compile_catalog(source)
            except OSError as error:
                if not is_there:
                    raise ConfigurationError(
                        f"{compiled} can't be written: {error.strerror}; `make runtime` compiles it"
                    ) from error


def compile_catalog(source: Path) -> None:
    """Compile one catalog. Readers see the file of before, or all of the new one; its time is that of the source.

    :raises ConfigurationError: the catalog has a mistake.
    :raises OSError: the folder can't be written to.
    """
    from babel.messages.mofile import write_mo  # noqa: PLC0415  rarely needed, and takes a tenth of a second

    # Before it is read: what is saved meanwhile is newer than what was compiled.
    times = source.stat()
    catalog = read_catalog(source)
    # Babel would write the time of day: the same texts give the same bytes.
    catalog.creation_date = catalog.revision_date = datetime.fromtimestamp(0, UTC)
    content = io.BytesIO()
    write_mo(content, catalog)
    written = source.with_suffix(f".{token_hex(8)}.mo")
    written.write_bytes(content.getvalue())
    os.utime(written, ns=(times.st_mtime_ns, times.st_mtime_ns))
    written.replace(source.with_suffix(".mo"))


def read_catalog(source: Path) -> Catalog:
    """A `.po` file.

    :raises ConfigurationError: it has a mistake; names the line.
    """
    from babel.messages.pofile import PoFileError, read_po  # noqa: PLC0415  as above

    try:
        with source.open("rb") as file:
            return read_po(file, locale=source.parent.parent.name, abort_invalid=True)
    except PoFileError as error:
        told = str(error).removesuffix(f" on {error.lineno}")
        raise ConfigurationError(f"{place(source, error.lineno + 1)}: {told}: {error.line.strip()}") from error
    except ValueError as error:
        raise ConfigurationError(f"{place(source, 1)}: {error}") from error


if __name__ == "__main__":
    compile_stale({source.parents[3] for root in (PACKAGES, SOURCE_ROOT / "apps") for source in root.rglob(CATALOGS)})
