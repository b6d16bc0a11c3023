"""Fill the database with data that looks real."""

from datetime import UTC, datetime
from typing import Any

from django.conf import settings
from django.core.management.base import BaseCommand, CommandError, CommandParser
from django.utils import timezone

from sandbox_api.seed import fill


class Command(BaseCommand):
    """Does nothing where there is data already."""

    help = "Add the demonstration accounts and data that looks real; a second run does nothing."

    def add_arguments(self, parser: CommandParser) -> None:
        parser.add_argument("--reset", action="store_true", help="delete all data first")
        parser.add_argument(
            "--until",
            metavar="TIME",
            help="when the data ends, such as 2026-01-31T12:00 (UTC); by default this hour",
        )

    def handle(self, *args: Any, **options: Any) -> None:
        until = _hour(options["until"])
        if options["reset"]:
            fill.empty()
        if settings.SANDBOX.allow_demo_accounts:
            added = fill.add_demo_accounts(until=until)
            self.stdout.write(f"demonstration accounts: {added} added")
        else:
            self.stdout.write("demonstration accounts: none without DEBUG; SANDBOX_ALLOW_DEMO_ACCOUNTS=on makes them")
        if fill.is_filled():
            self.stdout.write("data: there already")
            return
        for name, count in fill.fill(until=until).items():
            self.stdout.write(f"{name}: {count}")


def _hour(text: str | None) -> datetime:
    try:
        moment = datetime.fromisoformat(text) if text else timezone.now()
    except ValueError as error:
        raise CommandError("--until should be a time such as 2026-01-31T12:00") from error
    if moment.tzinfo is None:
        moment = moment.replace(tzinfo=UTC)
    return moment.astimezone(UTC).replace(minute=0, second=0, microsecond=0)
