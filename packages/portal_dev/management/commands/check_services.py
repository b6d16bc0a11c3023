"""`./manage.py check_services --schema schema.yaml`: the declared calls, held against a backend; and what it offers."""

from pathlib import Path
from typing import Any, Final

from django.conf import settings
from django.core.management.base import BaseCommand, CommandError, CommandParser

from portal.errors import ApiError, SignInEndedError
from portal.services.endpoint_list import declared_hooks
from portal.services.service_imports import import_services
from portal.services.user import UserQueries
from portal_dev.openapi import SchemaError, differences, offered_by, read_document, read_operations, read_schema
from portal_operate.answers import not_asked, read_token
from portal_operate.doctor import Probe, caller_with, write_offers

STDOUT: Final = Path("/dev/stdout")


class Command(BaseCommand):
    """Prints each difference on a line of its own. Ends with 1 if there are any, and with 2 if it can't compare.

    What is optional and not in the schema is printed as absent, and is no difference.
    """

    help = (
        "Compares the declared calls with a backend's OpenAPI 3.0 or 3.1 schema, and names each difference with file"
        " and line; what is optional and not in it is absent. --write: the names of what is optional and there, for"
        " APP_BACKEND_OFFERS. --live, with --app: the running backend is asked, and no write is tried."
    )
    requires_system_checks = ()
    statuses = {
        0: "no difference; something may be absent",
        1: "differences, a line each",
        2: "it can't compare, or the command line is wrong",
    }

    def add_arguments(self, parser: CommandParser) -> None:
        given = parser.add_mutually_exclusive_group(required=True)
        given.add_argument("--schema", help="file, YAML or JSON; - for standard input")
        given.add_argument("--live", action="store_true", help="ask the running backend, with --token-file and --write")
        parser.add_argument("--token-file", type=Path, default="-", help="the access token of who may read everything")
        parser.add_argument("--path", default="", help="only the calls of this path and below, such as /finance/orders")
        parser.add_argument("--write", type=Path, default=STDOUT, help="file for the names of what is offered")

    def handle(self, *args: object, **options: Any) -> None:
        if failed := import_services():
            raise CommandError("\n".join(map(str, failed)), returncode=2)
        if options["live"] and not settings.configured:
            raise not_asked("--live asks the backend of an app: ./manage.py --app energy check_services --live")
        hooks, file = declared_hooks(), Path(options["write"])
        try:
            if options["live"]:
                caller = caller_with(read_token(Path(options["token_file"])))
                # Without an answer to this one, all others would count as absent.
                caller.read(UserQueries.use_get_me_query.spec().query.address())
                lines = [each.line for each in Probe(caller=caller).look(hooks) if each.is_optional and each.line]
                write_offers(lines, file)
                return
            document = read_schema(options["schema"])
            found = differences(document, hooks, below=options["path"])
            if file != STDOUT:
                write_offers(offered_by(hooks, read_operations(read_document(document))), file)
        except (SchemaError, RecursionError) as error:
            raise CommandError(f"{options['schema']}: {error}", returncode=2) from None
        except (ApiError, SignInEndedError, OSError) as error:
            raise not_asked(f"nothing is written: {error}") from error
        for difference in found:
            self.stdout.write(str(difference))
        wrong = sum(not difference.is_absent for difference in found)
        counts = f"{wrong} different, {len(found) - wrong} absent"
        if wrong:
            raise CommandError(counts, returncode=1)
        if found:
            self.stderr.write(counts, style_func=str)
