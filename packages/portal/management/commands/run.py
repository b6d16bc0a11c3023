"""`make run`: the sandbox backend and every project, on this machine, until Ctrl-C (contract, section 2)."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import time
from typing import TYPE_CHECKING, Any

from django.core.management.base import BaseCommand, CommandError

from portal.config.environment import REPOSITORY, complete_environment, port_base
from portal.config.projects import PROJECTS
from portal.errors import ConfigurationError
from portal.server.local_stack import BACKEND, DEMO_ACCOUNTS, DEMO_PASSWORD, LocalStack
from portal.server.ports import port_is_free
from portal.server.server_group import ServerGroup, ServerGroupError
from portal.server.workers import end_with_process

if TYPE_CHECKING:
    from collections.abc import Mapping
    from types import FrameType

WATCH_INTERVAL_S = 0.2


class StopRequestedError(Exception):
    """SIGTERM or SIGINT arrived."""


class Command(BaseCommand):
    """Migrates and seeds the sandbox, starts all servers, prints their addresses, and `ready`."""

    help = "Start the sandbox backend and all projects on this machine."
    requires_system_checks: list[str] = []  # noqa: RUF012  Django's own type

    def handle(self, *args: object, **options: Any) -> None:
        try:
            complete_environment(REPOSITORY)
            environment = _local_environment()
            stack = LocalStack(port_base=port_base(), environment=environment)
        except ConfigurationError as error:
            raise CommandError(str(error)) from error
        taken = [f"{port} ({name})" for name, port in stack.ports().items() if not port_is_free("127.0.0.1", port)]
        if taken:
            raise CommandError(f"taken: port {', '.join(taken)}; stop what listens there, or set PORT_BASE")
        for number in (signal.SIGTERM, signal.SIGINT, signal.SIGHUP):
            signal.signal(number, _request_stop)
        # make may be killed without a chance to pass the signal on.
        end_with_process(os.getppid())
        group = ServerGroup()
        try:
            self._prepare_backend(environment)
            self._say("starting the servers")
            group.start(stack.servers())
            group.wait_until_ready()
            self._say_where(stack)
            while True:
                group.check()
                time.sleep(WATCH_INTERVAL_S)
        except StopRequestedError:
            self._say("stopping")
        except ServerGroupError as error:
            raise CommandError(str(error)) from error
        finally:
            for number in (signal.SIGTERM, signal.SIGINT, signal.SIGHUP):
                signal.signal(number, signal.SIG_IGN)
            group.stop()

    def _prepare_backend(self, environment: Mapping[str, str]) -> None:
        for step in ("migrate", "seed"):
            self._say(f"sandbox backend: {step}")
            command = [sys.executable, "-m", BACKEND, step]
            result = subprocess.run(command, cwd=REPOSITORY, env={**os.environ, **environment}, check=False)
            if result.returncode:
                raise CommandError(f"the sandbox backend's {step} failed with status {result.returncode}")

    def _say_where(self, stack: LocalStack) -> None:
        lines = ["", *(f"  {p.app:<12} {p.local_url(port_base=stack.port_base)}" for p in PROJECTS)]
        lines += [
            f"  {BACKEND:<12} http://127.0.0.1:{stack.backend_port}",
            "",
            f"  password {DEMO_PASSWORD!r} for",
        ]
        lines += [f"  {email}" for email in DEMO_ACCOUNTS]
        self._say("\n".join([*lines, "", "ready"]))

    def _say(self, text: str) -> None:
        self.stdout.write(text)
        self.stdout.flush()


def _local_environment() -> dict[str, str]:
    """A developer's machine: DEBUG unless it was set; the addresses follow from the ports."""
    return {"DEBUG": os.environ.get("DEBUG") or "on"}


def _request_stop(_number: int, _frame: FrameType | None) -> None:
    raise StopRequestedError
