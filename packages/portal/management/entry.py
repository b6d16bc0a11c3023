"""The work of `manage.py`: reads the project from `--app`, then calls Django (contract, section 2)."""

from __future__ import annotations

import os
import sys
from typing import TYPE_CHECKING

from portal.config.projects import PROJECT_BY_APP, PROJECTS

if TYPE_CHECKING:
    from collections.abc import Sequence

#: Commands for the whole workspace, which need no project; each with its help text.
WORKSPACE_COMMANDS = {
    "run": "start the sandbox backend and all projects on this machine",
    "startplatform": "write a new platform: its registry line, its folder and its first tests",
}


def main(argv: Sequence[str]) -> int:
    """Run one command line; gives the exit status.

    `--app NAME` or `--app=NAME` may stand anywhere before a lone `--`. Without it, only the commands of
    the workspace run; everything else prints what there is to choose from.
    """
    program, *words = argv
    app, rest = split_app(words)
    if app is None:
        return _run_workspace_command(program, rest)
    if app not in PROJECT_BY_APP:
        return _complain(f"--app {app}: no such project; there are {', '.join(PROJECT_BY_APP)}")
    # Assigned, never a default: a test runner exports its own settings to the processes that it starts.
    os.environ["DJANGO_SETTINGS_MODULE"] = PROJECT_BY_APP[app].settings_module
    if rest[:1] == ["serve"]:
        from portal.management.serving import serve  # noqa: PLC0415  needs granian, as no other command

        serve([program, *rest], project=PROJECT_BY_APP[app])
        return 0
    from django.core.management import execute_from_command_line  # noqa: PLC0415  reads the settings

    execute_from_command_line([program, *rest])
    return 0


def split_app(words: Sequence[str]) -> tuple[str | None, list[str]]:
    """Take `--app` out of the words.

    Gives the app (None without the option, empty without its value) and the other words.
    """
    rest: list[str] = []
    app: str | None = None
    remaining = iter(words)
    for word in remaining:
        if word == "--":
            rest.append(word)
            break
        if word == "--app":
            app = next(remaining, "")
        elif word.startswith("--app="):
            app = word.removeprefix("--app=")
        else:
            rest.append(word)
    return app, [*rest, *remaining]


def _run_workspace_command(program: str, words: Sequence[str]) -> int:
    if not words or words[0] in {"help", "-h", "--help"}:
        sys.stdout.write(f"{usage(program)}\n")
        return 0
    name = words[0]
    if name not in WORKSPACE_COMMANDS:
        return _complain(f"{name} runs in one project: {program} --app APP {name}\n\n{usage(program)}")
    from django.core.management import load_command_class  # noqa: PLC0415  only where it is needed

    load_command_class("portal", name).run_from_argv([program, *words])
    return 0


def usage(program: str) -> str:
    """The help text: the projects, and the commands that need none."""
    width = max(map(len, WORKSPACE_COMMANDS))
    return "\n".join(
        [
            f"{program} --app APP COMMAND    any command, in that project's settings",
            f"{program} COMMAND              a command of the whole workspace",
            "",
            "apps:",
            *(f"  {project.app}" for project in PROJECTS),
            "",
            "commands that need no app:",
            *(f"  {name.ljust(width)}  {what}" for name, what in WORKSPACE_COMMANDS.items()),
        ]
    )


def _complain(text: str) -> int:
    sys.stderr.write(f"{text}\n")
    return 2
