"""`make run`: the sandbox backend and every project, on this machine, until Ctrl-C (contract, section 2)."""

import os
import signal
import subprocess
import sys
import time
from typing import Any, Final

from django.core.management.base import BaseCommand, CommandError, CommandParser

from portal.config.environment import complete_environment, port_base
from portal.config.places import SOURCE_ROOT
from portal.config.projects import PROJECTS
from portal.errors import ConfigurationError
from portal_dev.local_servers.local_stack import BACKEND, DEMO_ACCOUNTS, DEMO_PASSWORD, OFFERS, SERVER_NAMES, LocalStack
from portal_dev.local_servers.reloader import Reloader
from portal_dev.local_servers.server_group import ServerGroup, ServerGroupError
from portal_server.parent_watch import end_with_process
from portal_server.ports import port_is_free

WATCH_INTERVAL_S = 0.2
#: The signals that stop the servers, as Ctrl-C does.
_STOPS: Final = (signal.SIGTERM, signal.SIGINT, signal.SIGHUP)


class Command(BaseCommand):
    """Migrates and seeds the sandbox, starts all servers, prints their addresses, and `ready`."""

    help = "Start the sandbox backend and all projects on this machine."
    requires_system_checks = ()

    def add_arguments(self, parser: CommandParser) -> None:
        reloads = "restart a server when its code changes; most templates and static files need no restart"
        parser.add_argument("--reload", action="store_true", help=reloads)
        left_out = f"do not start these, of {', '.join(SERVER_NAMES)}: start them yourself"
        parser.add_argument("--without", nargs="+", default=[], choices=SERVER_NAMES, metavar="NAME", help=left_out)

    def handle(self, *args: object, reload: bool, without: list[str], **options: Any) -> None:
        try:
            complete_environment(SOURCE_ROOT)
            environment = _local_environment()
            stack = LocalStack(port_base=port_base(), environment=environment, development=reload)
        except ConfigurationError as error:
            raise CommandError(str(error)) from error
        servers = [server for server in stack.servers() if server.name not in without]
        taken = [f"{server.port} ({server.name})" for server in servers if not port_is_free("127.0.0.1", server.port)]
        if taken:
            raise CommandError(f"taken: port {', '.join(taken)}; stop what listens there, or set PORT_BASE")
        for number in _STOPS:
            signal.signal(number, signal.default_int_handler)
        # make may be killed without a chance to pass the signal on.
        end_with_process(os.getppid())
        group = ServerGroup()
        try:
            reloader = Reloader(servers, say=self._say) if reload else None
            if BACKEND not in without:
                self._prepare_backend(environment)
            self._say("starting the servers")
            group.start(servers)
            group.wait_until_ready(may_end=reloader is not None)
            self._say_where(stack, without)
            while True:
                if reloader is None:
                    group.check()
                    time.sleep(WATCH_INTERVAL_S)
                else:
                    reloader.follow(group)
        except KeyboardInterrupt:
            self._say("stopping")
        except ServerGroupError as error:
            raise CommandError(str(error)) from error
        finally:
            for number in _STOPS:
                signal.signal(number, signal.SIG_IGN)
            group.stop()

    def _prepare_backend(self, environment: dict[str, str]) -> None:
        for step in ("migrate", "seed"):
            self._say(f"sandbox backend: {step}")
            command = [sys.executable, "manage.py", "--app", BACKEND, step]
            result = subprocess.run(command, cwd=SOURCE_ROOT, env={**os.environ, **environment}, check=False)
            if result.returncode:
                raise CommandError(f"the sandbox backend's {step} failed with status {result.returncode}")

    def _say_where(self, stack: LocalStack, without: list[str]) -> None:
        addresses = {p.app: p.local_url(port_base=stack.port_base) for p in PROJECTS}
        addresses[BACKEND] = f"http://127.0.0.1:{stack.ports()[BACKEND]}"
        lines = [f"  {name:<12} {url}" for name, url in addresses.items() if name not in without]
        lines += ["", f"  password {DEMO_PASSWORD!r} for", *(f"  {email}" for email in DEMO_ACCOUNTS)]
        self._say("\n".join(["", *lines, "", "ready"]))

    def _say(self, text: str) -> None:
        self.stdout.write(text)
        self.stdout.flush()


def _local_environment() -> dict[str, str]:
    """Return the variables of a developer's machine, unless they are set; the addresses follow from the ports."""
    # The sandbox sends the "mails" of a new password: they are lines of its log. Other backends may lack the other two.
    of_the_sandbox = ("APP_PASSWORD_RESET", "APP_API_HONOURS_IDEMPOTENCY_KEY", "APP_API_FORWARD_BROWSER")
    values: dict[str, str] = dict.fromkeys(("DEBUG", *of_the_sandbox), "on")
    values["APP_BACKEND_OFFERS"] = OFFERS.get(os.environ.get("SANDBOX_PROFILE", ""), "all")
    # These servers have no terminal.
    values["PYTHONBREAKPOINT"] = "portal_dev.breakpoints.without_terminal"
    return {name: os.environ.get(name) or value for name, value in values.items()}
