"""The work of `manage.py`: reads the project from `--app`, then calls Django (contract, section 2)."""

from __future__ import annotations

import os
import runpy
import sys
from argparse import ArgumentParser
from collections.abc import Sequence
from functools import partial
from importlib.util import find_spec
from typing import TYPE_CHECKING, Any

from portal import __version__
from portal.config.places import IN_CHECKOUT, PROGRAM, SOURCE_ROOT
from portal.config.projects import GATEWAY, PROJECT_BY_APP, PROJECTS, SANDBOX_VARIABLES, Project
from portal.errors import ConfigurationError
from portal_operate.program.command_names import (
    ANY_CONFIGURATION,
    CHECKOUT_COMMANDS,
    DEVELOPERS,
    IN_THE_GATEWAY,
    PROGRAMS,
    SANDBOX,
    WORKSPACE_COMMANDS,
    split_app,
)

if TYPE_CHECKING:
    import socket


def program() -> int:
    """The program `portal` of an installed wheel; gives the exit status."""
    app, rest = split_app(sys.argv[1:])
    if not IN_CHECKOUT and app != SANDBOX and rest and rest[0] in CHECKOUT_COMMANDS:
        return _complain(f"{rest[0]} needs a checkout of the repository; this portal was installed from a wheel")
    return main(sys.argv)


def main(argv: Sequence[str]) -> int:
    """Run one command line; gives the exit status.

    `--app NAME` or `--app=NAME` may stand anywhere before a lone `--`. Without it, only the commands of
    the workspace run; everything else prints what there is to choose from.
    """
    program, *words = argv
    app, rest = split_app(words)
    if app is None:
        return _run_workspace_command(program, rest)
    if app == SANDBOX:
        return _run_sandbox_command(program, rest)
    if app not in PROJECT_BY_APP:
        return _complain(f"--app {app}: no such project; there are {', '.join(PROJECT_BY_APP)} and {SANDBOX}")
    # Assigned, never a default: a test runner exports its own settings to the processes that it starts.
    os.environ["DJANGO_SETTINGS_MODULE"] = PROJECT_BY_APP[app].settings_module
    if rest[:1] == ["serve"]:
        return _serve([program, *rest], project=PROJECT_BY_APP[app])
    if rest[:1] == [ANY_CONFIGURATION]:
        _configure(app)
    return _run_project_command([program, *rest])


def _serve(argv: Sequence[str], *, project: Project) -> int:
    """Prepare and serve a project until SIGTERM or SIGINT; gives the exit status.

    :param argv: the program, `serve`, and its options.
    """
    if find_spec("granian") is None:
        return _complain("serve needs the extra `server`: pip install 'portal-library[server]'")
    from portal_operate.serve_options import add_serve_options  # noqa: PLC0415  as above
    from portal_server.supervisor import supervise  # noqa: PLC0415  needs granian, as no other command
    from portal_server.workers import status_of  # noqa: PLC0415  as above

    # The command says what is wrong with other options, and has those of Django.
    parser = ArgumentParser(prog=" ".join(argv[:2]), add_help=False)
    add_serve_options(parser)
    try:
        supervise(
            parser.parse_known_args(argv[2:])[0],
            app=project.app,
            target=f"apps.{project.app}.wsgi:application",
            load=partial(_load, project.settings_module),
            prepare=partial(_prepare, argv),
        )
    except SystemExit as end:
        return status_of(end)
    return 0


def _load(settings: str) -> None:
    from portal_server.startup import import_project  # noqa: PLC0415  imports Django

    import_project(settings=settings)


def _prepare(argv: Sequence[str], listener: socket.socket) -> None:
    from django.core.management import load_command_class  # noqa: PLC0415  in a process that has imported Django

    from portal_server.workers import in_log_format  # noqa: PLC0415  as above

    command: Any = load_command_class("portal_operate", "serve")
    command.listener = listener
    plain = command.stderr.write
    command.stderr.write = lambda message="", *more: plain(in_log_format(message.rstrip()), *more)
    command.run_from_argv(list(argv))


def _configure(app: str) -> list[ConfigurationError]:
    """Set the settings of a project whose configuration can't be read: harmless values stand in for what is missing.

    Where it can be read, the project's own settings module is used.

    :param app: a project.
    :returns: what can't be read.
    """
    from django.conf import settings  # noqa: PLC0415  no other command needs them here

    from portal.config.base_settings import build_settings  # noqa: PLC0415  as above
    from portal.config.environment import try_config  # noqa: PLC0415  reads the environment

    reading = try_config(app)
    if reading.problems:
        settings.configure(**build_settings(reading.config))
    return reading.problems


def _run_project_command(argv: Sequence[str]) -> int:
    from django.core.management import execute_from_command_line, load_command_class  # noqa: PLC0415  reads the settings

    if argv[1:2] and argv[1] in DEVELOPERS:
        import django  # noqa: PLC0415  as above

        django.setup()
        load_command_class("portal_dev", argv[1]).run_from_argv(list(argv))
        return 0
    try:
        execute_from_command_line(list(argv))
    except SystemExit as end:
        # The settings end the process with a line and status 1, which a command may give another meaning.
        if isinstance(end.code, str):
            return _complain(end.code)
        raise
    return 0


def _run_workspace_command(program: str, words: Sequence[str]) -> int:
    if not words or words[0] in {"help", "-h", "--help"}:
        sys.stdout.write(f"{usage()}\n")
        return 0
    name = words[0]
    if name == "--version":
        sys.stdout.write(f"portal {__version__}\n")
        return 0
    if name not in WORKSPACE_COMMANDS:
        return _complain(f"{name} runs in one project: {PROGRAM} --app APP {name}\n\n{usage()}")
    # A shell may have the settings of another project of its user.
    os.environ.pop("DJANGO_SETTINGS_MODULE", None)
    if name in IN_THE_GATEWAY:
        os.environ["DJANGO_SETTINGS_MODULE"] = GATEWAY.settings_module
        # Another class than the one that is meant would be taken for the backend's.
        for problem in map(str, _configure(GATEWAY.app)):
            if problem.startswith("APP_BACKEND "):
                return _complain(problem)
    if name in PROGRAMS:
        return _run_program(program, words)
    from django.core.management import load_command_class  # noqa: PLC0415  only where it is needed

    load_command_class("portal_dev", name).run_from_argv([program, *words])
    return 0


def _run_program(program: str, words: Sequence[str]) -> int:
    name, *rest = words
    if find_spec("pytest") is None:
        return _complain(f"{name} needs the extra `testing`: pip install 'portal-library[testing]'")
    sys.argv = [program, *rest]
    runpy.run_module(PROGRAMS[name], run_name="__main__")
    return 0


def _run_sandbox_command(program: str, words: Sequence[str]) -> int:
    from portal.config.environment import complete_environment  # noqa: PLC0415  `serve` imports no Django

    if find_spec("rest_framework") is None:
        return _complain(
            f"{SANDBOX} needs its packages: install the distribution portal-sandbox-api with all it asks for"
        )
    complete_environment(SOURCE_ROOT)
    for name, value in SANDBOX_VARIABLES.items():
        os.environ.setdefault(name, value)
    sys.argv = [program, *words]
    # By its name, as a program: the portal imports nothing of the sandbox.
    runpy.run_module(SANDBOX, run_name="__main__")
    return 0


def usage() -> str:
    """The help text: the projects, and the commands that need none."""
    commands = {name: what for name, what in WORKSPACE_COMMANDS.items() if IN_CHECKOUT or name not in CHECKOUT_COMMANDS}
    width = max(map(len, commands))
    return "\n".join(
        [
            f"{PROGRAM} --app APP COMMAND    any command, in that project's settings",
            f"{PROGRAM} COMMAND              a command of the whole workspace",
            "",
            "apps:",
            *(f"  {project.app}" for project in PROJECTS),
            f"  {SANDBOX}    the stand-in backend; its commands are migrate, seed, serve, create_account and Django's",
            "",
            "commands that need no app:",
            *(f"  {name.ljust(width)}  {what}" for name, what in commands.items()),
        ]
    )


def _complain(text: str) -> int:
    sys.stderr.write(f"{text}\n")
    return 2
