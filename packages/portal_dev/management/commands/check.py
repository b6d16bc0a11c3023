"""`./manage.py --app energy check`: Django's system checks, and beside them what can be told of the app's source."""

from typing import Any

from django.core.checks import register
from django.core.management.base import SystemCheckError
from django.urls import get_resolver

from portal_dev.source_checks import check_source
from portal_operate.checks import check_services, import_fault
from portal_operate.management.commands.check import Command as CheckCommand


class Command(CheckCommand):
    """Other commands, and servers, run the system checks without those of the source: a page shows its own faults."""

    statuses = {0: "no error", 1: "errors, or as --fail-level says", 2: "the command line is wrong"}

    def handle(self, *app_labels: Any, **options: Any) -> None:
        resolver = get_resolver()
        try:
            _ = resolver.url_patterns
        except Exception as error:  # noqa: BLE001  whatever the code of a team does
            # No other check can go on: Django's own of the URLs would end with a traceback. The services may have more
            # to tell. One mistake is told once.
            faults = (import_fault(str(resolver.urlconf_name), error), *check_services())
            told = {fault.obj: fault for fault in faults}
            raise SystemCheckError("\n".join(map(str, told.values()))) from None
        register(check_source, "source")
        super().handle(*app_labels, **options)
