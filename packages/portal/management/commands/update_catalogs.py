"""`./manage.py --app energy update_catalogs`: brings all catalogs up to date with the texts, and compiles them."""

from __future__ import annotations

from typing import Any

from django.core.management.base import BaseCommand

from portal.config.environment import REPOSITORY
from portal.devtools.catalogs import (
    TRANSLATED,
    catalog_folders,
    mo_bytes,
    po_bytes,
    po_path,
    untranslated,
    updated_catalog,
)


class Command(BaseCommand):
    """Writes `.po` and `.mo` of every folder, whatever `--app` says, and names what still lacks a translation."""

    help = "Update and compile the translations' catalogs."

    def handle(self, *args: object, **options: Any) -> None:
        for folder in catalog_folders():
            for language in TRANSLATED:
                catalog = updated_catalog(folder, language)
                path = po_path(folder, language)
                path.parent.mkdir(parents=True, exist_ok=True)
                path.write_bytes(po_bytes(catalog))
                path.with_suffix(".mo").write_bytes(mo_bytes(catalog))
                for text in untranslated(catalog):
                    self.stdout.write(f"{path.relative_to(REPOSITORY)}: no translation of {text!r}")
