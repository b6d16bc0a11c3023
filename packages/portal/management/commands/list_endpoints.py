"""`list_endpoints`: all backend endpoints that the services declare."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Any

from django.core.management.base import BaseCommand, CommandError

from portal.services.endpoint_list import all_entries, as_lines, as_markdown
from portal.services.service_imports import import_services

if TYPE_CHECKING:
    from django.core.management.base import CommandParser


class Command(BaseCommand):
    """Print them as a table, or as the reference page."""

    help = "Prints all declared backend endpoints: method, path, key and hook."

    def add_arguments(self, parser: CommandParser) -> None:
        parser.add_argument(
            "--markdown", action="store_true", help="print the page docs/reference/endpoints.md instead"
        )
        parser.add_argument("--output", type=Path, metavar="FILE", help="write into this file, once all is well")

    def handle(self, *args: Any, **options: Any) -> None:
        failed = import_services()
        if failed:
            raise CommandError("\n".join(map(str, failed)))
        entries = all_entries()
        text = as_markdown(entries) if options["markdown"] else as_lines(entries)
        if options["output"] is None:
            self.stdout.write(text)
        else:
            options["output"].write_text(f"{text}\n")
