"""`list_endpoints`: all backend endpoints that the services declare."""

from __future__ import annotations

from typing import Any

from django.core.management.base import BaseCommand, CommandError

from portal.services.endpoint_list import all_entries, as_lines
from portal.services.service_imports import import_services


class Command(BaseCommand):
    """Print them as a table."""

    help = "Prints all declared backend endpoints: method, path, key and hook."

    def handle(self, *args: Any, **options: Any) -> None:
        failed = import_services()
        if failed:
            raise CommandError("\n".join(map(str, failed)))
        self.stdout.write(as_lines(all_entries()))
