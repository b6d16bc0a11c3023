"""`./manage.py --app finance runserver`: Django's development server, for one app that is run by hand.

It differs from Django's own in three points. Its port is the project's own. WhiteNoise serves static files, so they
pass the same middlewares as in production. A request may wait at a breakpoint.
"""

import logging
import os
from dataclasses import replace
from typing import Any, Final

from django.conf import settings
from django.core.handlers.wsgi import WSGIHandler
from django.core.management.base import CommandParser
from django.core.management.commands.runserver import Command as DjangoRunserver
from django.utils.autoreload import raise_last_exception

from portal.config.current import portal_config
from portal.config.environment import port_base
from portal_server.parent_watch import end_with_process

logger = logging.getLogger("portal.server")

#: Seconds that the backend calls of one request have together: time for a person at the debugger's prompt.
BUDGET_AT_BREAKPOINTS_S: Final = 24 * 3600


class Command(DjangoRunserver):
    """Serves until Ctrl-C, and starts again when code changes."""

    help = "Serve this project with Django's development server: reloads code, and breakpoint() works."
    #: Django sets it from the arguments.
    addr: str

    def add_arguments(self, parser: CommandParser) -> None:
        super().add_arguments(parser)
        ends = "stop as soon as the process that started this one is gone"
        parser.add_argument("--end-with-parent", action="store_true", help=ends)

    @property
    def default_port(self) -> str:  # type: ignore[override]  # Django reads it as it would an attribute
        """The project's own port."""
        return str(port_base() + portal_config().project.port_offset)

    def inner_run(self, *args: Any, **options: Any) -> None:
        """Check and serve; with the reloader, in its child process."""
        raise_last_exception()
        if options["end_with_parent"]:
            end_with_process(os.getppid())
        if not options["skip_checks"]:
            self.check()
        super().inner_run(*args, **{**options, "skip_checks": True})

    def get_handler(self, *args: Any, **options: Any) -> WSGIHandler:
        """The project's WSGI application."""
        if not options["end_with_parent"]:
            # Started by hand. The servers of `make dev` have no terminal for a debugger.
            settings.PORTAL = replace(portal_config(), request_budget_s=BUDGET_AT_BREAKPOINTS_S)
        return super().get_handler(*args, **options)

    def on_bind(self, server_port: int) -> None:
        """Say that the server is up."""
        logger.info("serving at http://%s:%d, with Django's development server", self.addr, server_port)
