"""`./manage.py check_services --schema schema.yaml`: the declared calls, held against a backend's OpenAPI schema."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from django.core.management.base import BaseCommand, CommandError

from portal.services.endpoint_list import declared_hooks
from portal.services.service_imports import import_services
from portal_dev.openapi import SchemaError, differences, read_schema

if TYPE_CHECKING:
    from argparse import ArgumentParser


class Command(BaseCommand):
    """Prints each difference on a line of its own. Ends with 1 if there are any, and with 2 if it can't compare.

    What is optional and not in the schema is printed as absent, and is no difference.
    """

    help = (
        "Compares the declared calls with a backend's OpenAPI 3.0 or 3.1 schema, and names every difference with file"
        " and line. What is optional and not in the schema is printed as absent, with what pages then do without."
    )
    requires_system_checks = ()
    statuses = {
        0: "no difference; something may be absent",
        1: "differences, a line each",
        2: "it can't compare, or the command line is wrong",
    }

    def add_arguments(self, parser: ArgumentParser) -> None:
        parser.add_argument("--schema", required=True, help="file, YAML or JSON; - for standard input")
        parser.add_argument("--path", default="", help="only the calls of this path and below, such as /finance/orders")

    def handle(self, *args: object, **options: Any) -> None:
        if failed := import_services():
            raise CommandError("\n".join(map(str, failed)), returncode=2)
        try:
            found = differences(read_schema(options["schema"]), declared_hooks(), below=options["path"])
        except (SchemaError, RecursionError) as error:
            raise CommandError(f"{options['schema']}: {error}", returncode=2) from None
        for difference in found:
            self.stdout.write(str(difference))
        wrong = sum(not difference.is_absent for difference in found)
        counts = f"{wrong} different, {len(found) - wrong} absent"
        if wrong:
            raise CommandError(counts, returncode=1)
        if found:
            self.stderr.write(counts, style_func=str)
