"""`./manage.py --app energy check`: Django's system checks; with `--tag live` those of what is running."""

from typing import Any

from django.core.checks import register
from django.core.management.commands.check import Command as CheckCommand

from portal_operate.doctor import LIVE, check_live


class Command(CheckCommand):
    """Registers the live checks where their tag is named alone: no start waits for a backend."""

    def handle(self, *app_labels: Any, **options: Any) -> None:
        if LIVE in (options["tags"] or ()):
            register(check_live, LIVE)
        super().handle(*app_labels, **options)
