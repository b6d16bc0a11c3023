"""The exit status of commands where the configuration can't be read."""

from __future__ import annotations

from importlib import import_module
from pkgutil import iter_modules

from django.core.management import load_command_class

from portal_operate.answers import AdministrationCommand
from portal_operate.program.command_names import (
    ANY_CONFIGURATION,
    NOT_ASKED_WITHOUT_CONFIGURATION,
    WORKSPACE_COMMANDS,
)
from tests.support.command_line import run_command


def test_a_command_whose_status_means_something_was_not_asked() -> None:
    ended = run_command("decode_token", "--json", DEBUG="off")
    assert (ended.status, ended.out) == (2, "")
    assert ended.err == "energy: SECRET_KEY is missing: it should be a long random text\n"


def test_all_commands_that_answer_questions_are_among_them() -> None:
    found = {
        module.name
        for app in ("portal_operate", "portal_dev")
        for module in iter_modules(import_module(f"{app}.management.commands").__path__)
        if isinstance(load_command_class(app, module.name), AdministrationCommand)
    }
    assert found - ANY_CONFIGURATION - WORKSPACE_COMMANDS.keys() == NOT_ASKED_WITHOUT_CONFIGURATION
