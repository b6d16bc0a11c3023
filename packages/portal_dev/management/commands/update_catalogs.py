"""`./manage.py --app energy update_catalogs`: brings all catalogs up to date with the texts."""

from typing import Any

from django.core.management.base import BaseCommand, CommandError

from portal.config.places import SOURCE_ROOT
from portal.errors import ConfigurationError
from portal_dev.catalogs import TRANSLATED, catalog_folders, po_path, write_catalog


class Command(BaseCommand):
    """Writes `django.po` of every folder, whatever `--app` says, and names what still lacks a translation."""

    help = "Update the translations' catalogs; servers and tests compile them themselves."
    requires_system_checks = ()

    def handle(self, *args: object, **options: Any) -> None:
        for folder in catalog_folders():
            for language in TRANSLATED:
                path = po_path(folder, language).relative_to(SOURCE_ROOT)
                try:
                    missing = write_catalog(folder, language)
                except ConfigurationError as error:
                    raise CommandError(str(error)) from error
                for text in missing:
                    self.stdout.write(f"{path}: no translation of {text!r}")
