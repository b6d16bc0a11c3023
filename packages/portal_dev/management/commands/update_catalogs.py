"""`./manage.py --app energy update_catalogs`: brings all catalogs up to date with the texts, and compiles them."""

from __future__ import annotations

from typing import Any

from django.core.management.base import BaseCommand

from portal.config.places import SOURCE_ROOT
from portal_dev.catalogs import TRANSLATED, catalog_folders, po_path, write_catalog


class Command(BaseCommand):
    """Writes `.po` and `.mo` of every folder, whatever `--app` says, and names what still lacks a translation."""

    help = "Update and compile the translations' catalogs."

    def handle(self, *args: object, **options: Any) -> None:
        for folder in catalog_folders():
            for language in TRANSLATED:
                path = po_path(folder, language).relative_to(SOURCE_ROOT)
                for text in write_catalog(folder, language):
                    self.stdout.write(f"{path}: no translation of {text!r}")
