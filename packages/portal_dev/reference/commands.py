"""The table of `manage.py` commands, made from their parsers and help texts."""

from __future__ import annotations

from argparse import SUPPRESS
from importlib import import_module
from pkgutil import iter_modules
from typing import TYPE_CHECKING, Any, Final

from django.core.management import load_command_class

if TYPE_CHECKING:
    from argparse import Action
    from collections.abc import Iterator, Mapping

PAGE: Final = "docs/reference/commands.md"
#: The Django apps that have commands, and the entry. By their names, as Django finds them: they are above this layer.
_APPS: Final = ("portal_operate", "portal_dev")
_ENTRY: Final = "portal_operate.program.command_names"
#: The exit status whose meaning depends on the command. The page says what the others mean.
_OWN_STATUS: Final = 1


def markdown() -> str:
    """The list: commands of the whole workspace first, then those of a project."""
    rows = sorted(_rows(), key=lambda row: ("--app" in row, row))
    return "\n".join(rows)


def _rows() -> Iterator[str]:
    entry = import_module(_ENTRY)
    workspace: Mapping[str, str] = entry.WORKSPACE_COMMANDS
    for name in entry.PROGRAMS:
        yield _row(f"./manage.py {name} […]", workspace[name])
    for app in _APPS:
        for name in _names(app):
            command: Any = load_command_class(app, name)
            parser = command.create_parser("manage.py", name)
            options = " ".join(_usage(action) for action in parser._actions if _is_needed(action))  # noqa: SLF001  told nowhere else
            start = "./manage.py" if name in workspace else "./manage.py --app energy"
            does = command.help.partition(". ")[0].rstrip(".")
            failure = getattr(command, "statuses", {}).get(_OWN_STATUS)
            yield _row(f"{start} {name} {options}".rstrip(), f"{does}. Status 1: {failure}" if failure else does)


def _row(command: str, does: str) -> str:
    return f"- `{command.strip()}`: {does.strip()}"


def _names(app: str) -> list[str]:
    folder = import_module(f"{app}.management.commands")
    return sorted(module.name for module in iter_modules(folder.__path__))


def _is_needed(action: Action) -> bool:
    return action.help is not SUPPRESS and (action.required or not action.option_strings) and action.dest != "help"


def _usage(action: Action) -> str:
    """One option or word of the command line that it needs, or in brackets a word that may be left out."""
    value = action.metavar or action.dest.upper()
    if not action.option_strings:
        return f"[{value} …]" if action.nargs in {"*", "+", "?"} else str(value)
    return f"{action.option_strings[-1]} {value}"
