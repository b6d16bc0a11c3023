"""`manage.py --app energy check`: Django's system checks, and beside them what can be told of the app's source."""

from __future__ import annotations

from typing import Any

from django.core.checks import register
from django.core.management.commands import check

from portal.source_checks import check_source


class Command(check.Command):
    """Other commands, and servers, run the system checks without those of the source: a page shows its own faults."""

    def handle(self, *app_labels: Any, **options: Any) -> None:
        register(check_source, "source")
        super().handle(*app_labels, **options)
