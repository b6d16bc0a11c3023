"""`./manage.py check_services --schema schema.yaml`: the declared calls, held against a backend; and what it offers."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Any

from django.core.management.base import BaseCommand, CommandError

from portal.services.endpoint_list import declared_hooks
from portal.services.service_imports import import_services
from portal_dev.openapi import SchemaError, differences, offered_by, read_document, read_operations, read_schema
from portal_operate.answers import read_token
from portal_operate.doctor import Probe, caller_with

if TYPE_CHECKING:
    from argparse import ArgumentParser
    from collections.abc import Iterable


class Command(BaseCommand):
    """Prints each difference on a line of its own. Ends with 1 if there are any, and with 2 if it can't compare.

    What is optional and not in the schema is printed as absent, and is no difference.
    """

    help = (
        "Compares the declared calls with a backend's OpenAPI 3.0 or 3.1 schema, and names every difference with file"
        " and line. What is optional and not in the schema is printed as absent. With --write, the names of all that"
        " is optional and there go into a file for APP_BACKEND_OFFERS. With --live, the running backend is asked, with"
        " --app and the token of a user who may read everything; no write is tried."
    )
    requires_system_checks = ()
    statuses = {
        0: "no difference; something may be absent",
        1: "differences, a line each",
        2: "it can't compare, or the command line is wrong",
    }

    def add_arguments(self, parser: ArgumentParser) -> None:
        given = parser.add_mutually_exclusive_group(required=True)
        given.add_argument("--schema", help="file, YAML or JSON; - for standard input")
        given.add_argument("--live", action="store_true", help="ask the running backend")
        parser.add_argument("--token-file", type=Path, help="with --live: a user's access token; - is standard input")
        parser.add_argument("--path", default="", help="only the calls of this path and below, such as /finance/orders")
        parser.add_argument("--write", type=Path, help="file for the names of what is offered")

    def handle(self, *args: object, **options: Any) -> None:
        if failed := import_services():
            raise CommandError("\n".join(map(str, failed)), returncode=2)
        if options["live"]:
            if options["token_file"] is None:
                raise CommandError("--live needs --token-file, the access token of a user", returncode=2)
            caller = caller_with(read_token(options["token_file"]))
            probed = [each for each in Probe(caller=caller).look(declared_hooks()) if each.is_optional]
            untold = [f"# {each.name}  # {each.seen}" for each in probed if each.is_there is None]
            self._say_offers([*(each.name for each in probed if each.is_there), *untold], options["write"])
            return
        try:
            schema = read_schema(options["schema"])
            found = differences(schema, declared_hooks(), below=options["path"])
            if options["write"]:
                self._say_offers(offered_by(declared_hooks(), read_operations(read_document(schema))), options["write"])
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

    def _say_offers(self, names: Iterable[str], file: Path | None) -> None:
        lines = [
            "# What the backend offers beyond the required calls; a name after # is not told.",
            *sorted(names, key=lambda name: name.strip("# ")),
        ]
        if file is None:
            self.stdout.write("\n".join(lines))
        else:
            file.write_text("\n".join(lines) + "\n", encoding="utf-8")
