"""`clear_query_cache`: drop cached queries of one user, of one endpoint, or all, in all processes at once."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from django.core.management.base import BaseCommand, CommandError

from portal.errors import StoreUnavailableError
from portal.query import REGISTRY, principal_of_id, process_runtime
from portal.services.service_imports import import_services

if TYPE_CHECKING:
    from django.core.management.base import CommandParser


class Command(BaseCommand):
    """The records of the token refresh stay, so no user is signed out."""

    help = "Drops cached queries: of one user, of one endpoint, or all of them."

    def add_arguments(self, parser: CommandParser) -> None:
        which = parser.add_mutually_exclusive_group()
        which.add_argument("--user", metavar="ID", help="only what is cached for the user with this id")
        which.add_argument("--endpoint", metavar="KEY", help="only this endpoint, such as energy.get_clients")

    def handle(self, *args: Any, **options: Any) -> None:
        user, endpoint = options["user"], options["endpoint"]
        import_services()
        if endpoint is not None and endpoint not in REGISTRY.queries:
            raise CommandError(f"{endpoint!r} is no query's key; list_endpoints prints them all")
        runtime = process_runtime()
        try:
            if user is not None:
                runtime.namespaces.purge(principal_of_id(user))
            else:
                runtime.cache.clear(endpoint=endpoint)
        except StoreUnavailableError as error:
            raise CommandError(f"nothing was cleared: {error}") from error
        what = f"user {user}" if user is not None else endpoint or "all users and endpoints"
        self.stdout.write(f"cleared what was cached for {what}")
