"""What a shell completes after `./manage.py`: apps, commands, and the options of a command.

A key press must not wait, so Django is imported only for the options of one command. The names of commands are those of
files. Run as a program, this prints what the shell needs: `./manage.py completion bash`.
"""

from __future__ import annotations

import os
import sys
from argparse import ArgumentParser
from importlib.util import find_spec
from pathlib import Path
from typing import Final

import argcomplete
from argcomplete.shell_integration import shellcode

from portal.config.places import IN_CHECKOUT
from portal.config.projects import PROJECT_BY_APP
from portal_operate.program.command_names import PROGRAMS, SANDBOX, WORKSPACE_COMMANDS, split_app

#: Where a project's commands are; a later one replaces an earlier one of the same name.
_PACKAGES: Final = (
    "django.core",
    "django.contrib.staticfiles",
    "portal_operate",
    *(["portal_dev"] if IN_CHECKOUT else []),
)
#: Commands of Django for what a project has not: a database and its models.
_NOT_HERE: Final = frozenset(
    {
        *("createcachetable", "dbshell", "dumpdata", "flush", "inspectdb", "loaddata", "makemigrations", "migrate"),
        *("optimizemigration", "showmigrations", "sqlflush", "sqlmigrate", "sqlsequencereset", "squashmigrations"),
        *("compilemessages", "makemessages", "startapp", "startproject", "testserver", "test"),
    }
)


def complete() -> int:
    """Answer the shell, which has put the command line into the environment. Ends this process."""
    app, rest = split_app(_words_so_far())
    typed = next((word for word in rest if not word.startswith("-")), None)
    argcomplete.autocomplete(make_parser(app, typed), always_complete_options=False)
    return 0


def _words_so_far() -> list[str]:
    """The words of the command line before the cursor, without the program and the word that is being typed."""
    line = os.environ.get("COMP_LINE", "")[: int(os.environ.get("COMP_POINT", "0"))]
    words = line.split()[1:]
    return words if line.endswith(" ") else words[:-1]


def make_parser(app: str | None, typed: str | None) -> ArgumentParser:
    """A parser that knows the apps, the names of the commands, and the options of the one that was typed.

    :param app: None while there is none; then the commands of the workspace are known, and no other.
    """
    parser = ArgumentParser(add_help=False)
    parser.add_argument("--app", choices=[*PROJECT_BY_APP, SANDBOX])
    names = command_places(app)
    commands = parser.add_subparsers(dest="command", metavar="COMMAND")
    for name in names:
        added = commands.add_parser(name, add_help=False)
        if name == typed:
            _copy_options(names[name], name, added)
        # It may stand behind the command as well.
        if not any("--app" in action.option_strings for action in added._actions):  # noqa: SLF001  argparse tells it nowhere else
            added.add_argument("--app", choices=[*PROJECT_BY_APP, SANDBOX])
    return parser


def command_places(app: str | None) -> dict[str, str]:
    """The commands that can be typed now, each with the package that has it; empty for a program of its own."""
    if app is None:
        return {name: "" if name in PROGRAMS else "portal" for name in WORKSPACE_COMMANDS}
    if app == SANDBOX:
        return _names_in(SANDBOX) | {"migrate": "django.core"}
    found: dict[str, str] = {}
    for package in _PACKAGES:
        found |= {name: place for name, place in _names_in(package).items() if name not in _NOT_HERE}
    return {name: place for name, place in sorted(found.items()) if name not in WORKSPACE_COMMANDS}


def _names_in(package: str) -> dict[str, str]:
    """The commands of a package, by the names of their files: nothing of it is imported."""
    spec = find_spec(package.partition(".")[0])
    if spec is None or spec.origin is None:
        return {}
    folder = Path(spec.origin).parent.joinpath(*package.split(".")[1:], "management", "commands")
    return {path.stem: package for path in folder.glob("[a-z]*.py")}


def _copy_options(package: str, name: str, parser: ArgumentParser) -> None:
    """Give the parser the options of a command. One that can't be imported here has none."""
    if not package:
        return
    from django.core.management import load_command_class  # noqa: PLC0415  only where there are options to tell

    try:
        options = load_command_class(package, name).create_parser("manage.py", name)
    except Exception:  # noqa: BLE001  a key press is no place for an error
        return
    for action in options._actions:  # noqa: SLF001  as above
        parser._add_action(action)  # noqa: SLF001  argparse has no public way to share an action


def main() -> int:
    """Print the function that a shell calls for `manage.py` and `portal`; gives the exit status."""
    parser = ArgumentParser(prog="completion", description="Print what lets a shell complete the portal's commands.")
    parser.add_argument(
        "shell", choices=["bash", "zsh", "fish"], help='use it so: eval "$(./manage.py completion bash)"'
    )
    shell = parser.parse_args().shell
    sys.stdout.write(f"{shellcode(['manage.py', 'portal'], shell=shell)}\n")
    return 0


if __name__ == "__main__":
    sys.exit(main())
