"""`list_endpoints`: all backend endpoints that the services declare."""

from dataclasses import asdict
from typing import Any

from portal.services.endpoint_list import all_entries
from portal.services.service_imports import import_services
from portal_operate.answers import FINE, AdministrationCommand, CommandAnswer, not_asked, table


class Command(AdministrationCommand):
    """Print them as a table."""

    help = "Print all declared backend endpoints: method, path, key and hook."
    examples = ("--app energy list_endpoints", "--app energy list_endpoints --json")
    statuses = {FINE: "printed"}

    def answer(self, **options: Any) -> CommandAnswer:
        if failed := import_services():
            raise not_asked("\n".join(map(str, failed)))
        entries = all_entries()
        rows = [("METHOD", "PATH", "KEY", "HOOK"), *((each.method, each.path, each.key, each.hook) for each in entries)]
        return CommandAnswer(data=[asdict(entry) for entry in entries], lines=table(rows))
