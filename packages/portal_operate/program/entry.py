"""The work of `manage.py`: reads the project from `--app`, then calls Django (contract, section 2)."""

from __future__ import annotations

import os
import runpy
import sys
from functools import partial
from importlib.util import find_spec
from typing import TYPE_CHECKING, Any

from portal import __version__
from portal.config.places import IN_CHECKOUT, PROGRAM, SOURCE_ROOT
from portal.config.projects import GATEWAY, PROJECT_BY_APP, PROJECTS, SANDBOX_VARIABLES
from portal_operate.program.command_names import (
    ANY_CONFIGURATION,
    CHECKOUT_COMMANDS,
    DEVELOPERS,
    IN_THE_GATEWAY,
    NOT_ASKED_WITHOUT_CONFIGURATION,
    PROGRAMS,
    SANDBOX,
    WORKSPACE_COMMANDS,
    split_app,
)

if TYPE_CHECKING:
    from collections.abc import Sequence

    from portal.config.projects import Project
    from portal.errors import ConfigurationError
    from portal.server.workers import PreparedServer


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
    if rest[:1] and rest[0] in ANY_CONFIGURATION:
        _configure(app)
    return _run_project_command([program, *rest])


def _serve(argv: Sequence[str], *, project: Project) -> int:
    """Run `serve` in a child process, and supervise its workers until SIGTERM or SIGINT; gives the exit status.

    This process imports Django only where there are several workers (:mod:`portal.server.supervisor`).

    :param argv: the program, `serve`, and its options.
    """
    if find_spec("granian") is None:
        return _complain("serve needs the extra `server`: pip install 'portal-library[server]'")
    from portal.server.supervisor import supervise  # noqa: PLC0415  needs granian, as no other command

    supervise(
        partial(_prepare, argv), load=partial(_load, project), load_shared=_load_templates_and_formats, app=project.app
    )
    return 0


def _prepare(argv: Sequence[str]) -> PreparedServer:
    import django  # noqa: PLC0415  in the child process
    from django.core.management import load_command_class  # noqa: PLC0415  as above

    django.setup()
    from portal.server.workers import in_log_format  # noqa: PLC0415  as above

    command: Any = load_command_class("portal_operate", "serve")
    plain = command.stderr.write
    command.stderr.write = lambda message="", *more: plain(in_log_format(message.rstrip()), *more)
    command.run_from_argv(list(argv))
    prepared: PreparedServer = command.prepared
    return prepared


def _load(project: Project) -> None:
    from portal.server.imported_later import import_later  # noqa: PLC0415  before Django is imported

    import_later()
    from portal.server.startup import import_project  # noqa: PLC0415  imports Django

    import_project(settings=project.settings_module)


def _load_templates_and_formats() -> None:
    from portal.config.locales import LOCALES  # noqa: PLC0415  in a process with several workers alone
    from portal.web.present import formats_of  # noqa: PLC0415  as above
    from portal.web.templating import compile_templates  # noqa: PLC0415  as above

    compile_templates()
    for language in LOCALES:
        formats_of(language).load()


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
        # The settings end the process with a line and status 1, which such a command gives another meaning.
        if isinstance(end.code, str) and NOT_ASKED_WITHOUT_CONFIGURATION.intersection(argv[1:2]):
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
