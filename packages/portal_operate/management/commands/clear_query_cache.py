"""`clear_query_cache`: drop cached queries of one endpoint, or all, in all processes at once."""

import sys
from typing import Any

from portal.query import REGISTRY, process_runtime
from portal.services.service_imports import import_services
from portal_operate.answers import BAD, FINE, AdministrationCommand, CommandAnswer, not_asked


class Command(AdministrationCommand):
    """The records of the token refresh stay, so no user is signed out."""

    help = (
        "Drop cached queries of one endpoint, or all of them, in all processes at once. Nobody is signed out. At a "
        "terminal it asks before it drops all."
    )
    examples = (
        "--app energy clear_query_cache",
        "--app energy clear_query_cache --no-input",
        "--app energy clear_query_cache --endpoint energy.get_clients --json",
    )
    statuses = {FINE: "cleared", BAD: "not cleared: the answer was no"}
    without_store = "nothing was cleared: "

    def add_arguments(self, parser: Any) -> None:
        parser.add_argument("--endpoint", metavar="KEY", help="only this endpoint, such as energy.get_clients")
        parser.add_argument(
            "--no-input", "--noinput", action="store_false", dest="interactive", help="ask nothing, also at a terminal"
        )

    def answer(self, **options: Any) -> CommandAnswer:
        endpoint = options["endpoint"]
        import_services()
        if endpoint is not None and endpoint not in REGISTRY.queries:
            raise not_asked(f"{endpoint!r} is no query's key; list_endpoints prints them all")
        if endpoint is None and options["interactive"] and sys.stdin.isatty() and not self._confirmed():
            return CommandAnswer(data={"cleared": False, "endpoint": None}, lines=["nothing was cleared"], status=BAD)
        process_runtime().caches.clear(endpoint=endpoint)
        return CommandAnswer(
            data={"cleared": True, "endpoint": endpoint},
            lines=[f"cleared what was cached for {endpoint or 'all users and endpoints'}"],
        )

    def _confirmed(self) -> bool:
        """Ask at the terminal, on standard error: standard output has the answer alone."""
        self.progress("Drop what is cached for all users and endpoints? Pages are slower for some minutes.")
        self.progress("Type 'yes' to drop it, or anything else to leave it:")
        return sys.stdin.readline().strip() == "yes"
