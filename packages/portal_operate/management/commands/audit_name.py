"""`audit_name`: the hash by which the audit log knows a name that people enter at the sign-in page."""

import sys
from typing import Any

from django.core.management.base import BaseCommand

from portal.telemetry.audit import entered_name_tag


class Command(BaseCommand):
    """Names come from standard input, so that none stands in the shell's history or in the list of processes."""

    help = "Prints `entered_name` of the audit log for each name on standard input, one a line."

    def handle(self, *args: Any, **options: Any) -> None:
        for line in sys.stdin:
            if line.strip():
                self.stdout.write(entered_name_tag(line))
