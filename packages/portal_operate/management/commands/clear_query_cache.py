"""`clear_query_cache`: drop cached queries of one user, of one endpoint, or all, in all processes at once."""

from __future__ import annotations

import sys
from typing import Any

from portal.query import REGISTRY, KeyUse, process_runtime
from portal.services.service_imports import import_services
from portal_operate.answers import BAD, FINE, AdministrationCommand, CommandAnswer, not_asked
from portal_operate.cache_report import principals_of, report_cache

#: Keys of the store that are looked through to count what is dropped.
_LIMIT = 100_000


class Command(AdministrationCommand):
    """The records of the token refresh stay, so no user is signed out."""

    help = (
        "Drop cached queries of one user, of one endpoint, or all of them, in all processes at once. Nobody is signed "
        "out. Says how many pages were cached; of one endpoint, those of queries without parameters are counted. At a "
        "terminal it asks before it drops all."
    )
    examples = (
        "--app energy clear_query_cache",
        "--app energy clear_query_cache --no-input",
        "--app energy clear_query_cache --user usr_1",
        "--app energy clear_query_cache --endpoint energy.get_clients --json",
    )
    statuses = {FINE: "cleared", BAD: "not cleared: the answer was no"}
    without_store = "nothing was cleared: "

    def add_arguments(self, parser: Any) -> None:
        which = parser.add_mutually_exclusive_group()
        which.add_argument("--user", metavar="ID", help="only what is cached for the user with this id")
        which.add_argument("--endpoint", metavar="KEY", help="only this endpoint, such as energy.get_clients")
        parser.add_argument(
            "--no-input", "--noinput", action="store_false", dest="interactive", help="ask nothing, also at a terminal"
        )

    def answer(self, **options: Any) -> CommandAnswer:
        user, endpoint = options["user"], options["endpoint"]
        import_services()
        if endpoint is not None and endpoint not in REGISTRY.queries:
            raise not_asked(f"{endpoint!r} is no query's key; list_endpoints prints them all")
        drops_all = user is None and endpoint is None
        if drops_all and options["interactive"] and sys.stdin.isatty() and not self._confirmed():
            return CommandAnswer(
                data={"cleared": False, "user": None, "endpoint": None, "pages": 0, "counted_all": True},
                lines=["nothing was cleared"],
                status=BAD,
            )
        runtime = process_runtime()
        pages, complete = _count(user, endpoint)
        if user is not None:
            for principal in principals_of(user):
                runtime.namespaces.purge(principal)
        else:
            runtime.cache.clear(endpoint=endpoint)
        what = f"user {user}" if user is not None else endpoint or "all users and endpoints"
        count = f"{pages} pages" if complete else f"at least {pages} pages"
        return CommandAnswer(
            data={"cleared": True, "user": user, "endpoint": endpoint, "pages": pages, "counted_all": complete},
            lines=[f"cleared what was cached for {what}: {count}"],
        )

    def _confirmed(self) -> bool:
        """Ask at the terminal, on standard error: standard output has the answer alone."""
        self.progress("Drop what is cached for all users and endpoints? Pages are slower for some minutes.")
        self.progress("Type 'yes' to drop it, or anything else to leave it:")
        return sys.stdin.readline().strip() == "yes"


def _count(user: str | None, endpoint: str | None) -> tuple[int, bool]:
    """How many pages are cached, and whether all of the store's keys were seen."""
    report = report_cache(limit=_LIMIT, user=user)
    if endpoint is not None:
        return report.by_endpoint[endpoint].entries, report.complete
    return sum(report.by_use[use].entries for use in (KeyUse.PAGE, KeyUse.VARIANT)), report.complete
