"""`./manage.py --app energy serve`: that project alone, with the production server (contract, section 2)."""

from __future__ import annotations

import logging
import sys
import time
from argparse import ArgumentParser
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final

from django.apps import apps
from django.conf import settings
from django.core.checks import CheckMessage, run_checks
from django.core.management import call_command
from django.core.management.base import BaseCommand, CommandError

from portal.config.current import portal_config
from portal.config.environment import port_base
from portal.config.places import PACKAGES, SOURCE_ROOT
from portal.store import STORE_IS_AWAY
from portal_operate.serve_options import add_serve_options
from portal_server.ports import listen, why_not_free
from portal_server.prepared_files import provide, release_of
from portal_server.static.sharing import share
from portal_server.static_files import UNUSED_FILES

if TYPE_CHECKING:
    import socket  # noqa: TID251  it calls nobody


logger = logging.getLogger("portal.server")

#: How long the start waits for a store that is away, seconds. With the pause after an end, it is longer than a fifth of
#: the unit's `StartLimitIntervalSec`: systemd then starts the server again and again, until the store is back.
STORE_WAIT_S: Final = 15
#: Pause between two looks, seconds.
STORE_PAUSE_S: Final = 0.5


class Command(BaseCommand):
    """Prepares a server; :mod:`portal_operate.program.entry` then starts it. Static files go to `APP_STATIC_ROOT`.

    :ivar listener: the socket of the server, which listens when all is ready.
    """

    help = "Serve this project with the production server; needs nothing run before it."
    requires_system_checks = "__all__"
    statuses = {0: "stopped by SIGTERM or SIGINT", 1: "not started: a line says why", 2: "the command line is wrong"}
    listener: socket.socket

    def add_arguments(self, parser: ArgumentParser) -> None:
        add_serve_options(parser)

    def handle(self, *args: object, **options: Any) -> None:
        config = portal_config()
        host = options["host"]
        instance, stop_timeout_s = options["instance"], options["stop_timeout"]
        own_port = config.project.instance_port(instance, port_base=port_base())
        port = own_port if options["port"] is None else options["port"]
        workers, threads = options["workers"], options["threads"]
        if not 0 < port < 65536:  # noqa: PLR2004  the range of a port
            raise CommandError(f"--port should be from 1 to 65535, not {port}")
        if min(workers, threads, instance, stop_timeout_s) <= 0:
            raise CommandError("--workers, --threads, --instance and --stop-timeout should be above 0")
        if options["only_prepare"]:
            if config.debug:
                raise CommandError("nothing is kept in DEBUG")
            sys.exit(not _provide_files())
        if refusal := why_not_free(host, port):
            raise CommandError(refusal)
        _provide_files()
        _share_static_files()
        mode = " in DEBUG" if config.debug else ""
        logger.info("serving at http://%s:%d%s: %d worker(s) of %d threads", host, port, mode, workers, threads)
        # Another server may have taken the port meanwhile.
        if refusal := listen(self.listener, host, port):
            raise CommandError(refusal)

    def check(self, *args: Any, **kwargs: Any) -> None:
        """Run the system checks: a warning is a line of the log; an error stops the start with its message.

        A store that is away may be starting just now, as after a reboot: it has :data:`STORE_WAIT_S` (ADR 45).
        """
        end = time.monotonic() + STORE_WAIT_S
        waits = False
        while True:
            messages = [message for message in run_checks() if not message.is_silenced()]
            serious = [message for message in messages if message.is_serious()]
            away = bool(serious) and all(message.id == STORE_IS_AWAY for message in serious)
            if not away or time.monotonic() >= end:
                break
            if not waits:
                logger.warning("%s Waiting for at most %d s", serious[0].msg, STORE_WAIT_S)
                waits = True
            time.sleep(STORE_PAUSE_S)
        if serious and all(str(message.id).startswith("portal.store.") for message in serious):
            # As for a variable that can't be read: one line.
            sys.exit("\n".join(f"{portal_config().project.app}: {_in_one_line(message)}" for message in serious))
        if serious:
            super().check(*args, **kwargs)
        for message in messages:
            logger.warning("check %s: %s", message.id, _in_one_line(message))


def _in_one_line(message: CheckMessage) -> str:
    return "; ".join(part.rstrip(".") for part in (message.msg, message.hint) if part)


def _provide_files() -> bool:
    """Make static files and, so that no worker does it, compiled templates; or find those of an earlier start.

    :returns: whether later starts find them. Not in DEBUG, where both may change at any time.
    """
    config = portal_config()
    if config.debug or config.static_root is None or config.compiled_templates_dir is None:
        _collect_static_files()
        return False
    release = partial(
        release_of,
        {
            PACKAGES / "portal",
            SOURCE_ROOT / "apps",
            *(Path(each.path) for each in apps.get_app_configs()),
        },
        # The names of these folders have the versions of all packages.
        sorted(each.name for folder in sys.path for each in Path(folder).glob("*.dist-info")),
        *(settings.INSTALLED_APPS, settings.STORAGES, settings.STATIC_URL, settings.LANGUAGES),
    )
    folders = (config.static_root, config.compiled_templates_dir)
    kept = config.state_dir / "prepared" / config.project.app
    try:
        reason = provide(_make_files, folders=folders, kept=kept, release=release)
    except OSError as error:
        raise CommandError(f"static files and templates can't be written: {error}") from error
    if reason:
        logger.warning("static files and templates are made at each start: %s", reason)
    return not reason


def _make_files() -> None:
    _collect_static_files()
    from portal.web.templating import compile_templates  # noqa: PLC0415  its modules need the settings

    compile_templates()


def _collect_static_files() -> None:
    call_command("collectstatic", interactive=False, verbosity=0, ignore_patterns=UNUSED_FILES)


def _share_static_files() -> None:
    """With the servers of other releases. A server that can't do so serves its own pages all the same."""
    config = portal_config()
    if config.static_root is None or config.static_shared_folder is None:
        return
    try:
        share(config.static_root, config.static_shared_folder)
    except OSError as error:
        logger.warning("static files are not shared with other releases: %s", error)
