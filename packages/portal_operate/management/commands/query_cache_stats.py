"""`./manage.py --app energy query_cache_stats`: how much is cached, of which endpoints, and for how many users."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final

from portal.services.service_imports import import_services
from portal_operate.answers import FINE, AdministrationCommand, CommandAnswer, not_asked, table
from portal_operate.cache_report import report_cache

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

    from portal_operate.cache_report import CacheReport

_LIMIT: Final = 100_000


class Command(AdministrationCommand):
    """Reads keys and sizes in small steps; no value, and nothing is changed."""

    help = (
        "Print how many entries the query cache has and how large they are: by use, by endpoint, and for the largest "
        "users. Users are told apart by the random names of their namespaces. Reads the store in small steps."
    )
    examples = (
        "--app energy query_cache_stats",
        "--app energy query_cache_stats --json --limit 1000000",
    )
    statuses = {FINE: "printed"}

    def add_arguments(self, parser: Any) -> None:
        parser.add_argument("--limit", type=int, default=_LIMIT, help=f"stop after this many keys (default: {_LIMIT})")
        parser.add_argument("--users", type=int, default=5, help="how many of the largest users (default: 5)")

    def answer(self, **options: Any) -> CommandAnswer:
        import_services()
        if options["limit"] <= 0 or options["users"] < 0:
            raise not_asked("--limit should be above 0, and --users not below 0")
        self.progress("the keys of the store …")
        report = report_cache(limit=options["limit"])
        return CommandAnswer(data=report.as_data(users=options["users"]), lines=_lines(report, options["users"]))


def _lines(report: CacheReport, users: int) -> Iterator[str]:
    data = report.as_data(users=users)
    counts = f"{report.total.entries} entries, {report.total.bytes:,} bytes, {data['users']} users"
    yield counts if report.complete else f"at least {counts}: the limit was reached"
    for title, amounts in (("USE", data["by_use"]), ("ENDPOINT", data["by_endpoint"])):
        yield from _amounts(title, amounts)
    yield from _amounts("NAMESPACE", {each["namespace"]: each for each in data["largest_users"]})


def _amounts(title: str, amounts: Mapping[str, Mapping[str, Any]]) -> Iterator[str]:
    """A table below an empty line; nothing where there is nothing."""
    if amounts:
        rows = [(name, amount["entries"], amount["bytes"]) for name, amount in amounts.items()]
        yield ""
        yield from table([(title, "ENTRIES", "BYTES"), *rows])
