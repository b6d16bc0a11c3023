"""`./manage.py --app energy print_config`: every variable, its value without secrets, and where it comes from."""

from __future__ import annotations

import re
from typing import Any

from portal.config.current import portal_config
from portal.config.environment import Source, try_config, undeclared_names, variable_values
from portal_operate.answers import BAD, FINE, AdministrationCommand, CommandAnswer, table


class Command(AdministrationCommand):
    """Also runs where the configuration can't be read."""

    help = (
        "Print every environment variable of the portal with its value and its source. The source is the environment, "
        ".env, or the file that <NAME>_FILE names. Secrets are masked, and so are users and passwords in addresses."
    )
    examples = ("--app energy print_config", "--app energy print_config --set", "--app energy print_config --json")
    statuses = {FINE: "the configuration can be read", BAD: "a variable is missing or malformed; it is named"}

    def add_arguments(self, parser: Any) -> None:
        parser.add_argument("--set", action="store_true", help="only variables that are set")

    def answer(self, **options: Any) -> CommandAnswer:
        problems = [str(problem) for problem in try_config(portal_config().project.app).problems]
        variables = [
            {
                "name": each.variable.name,
                "value": each.shown or None,
                "source": each.source.value,
                "default": _plain(each.variable.default),
            }
            for each in variable_values()
            if not options["set"] or each.source is not Source.DEFAULT
        ]
        rows = [(each["name"], each["source"], each["value"] or f"({each['default']})") for each in variables]
        return CommandAnswer(
            data={
                "project": portal_config().project.app,
                "problems": problems,
                "unknown": undeclared_names(),
                "variables": variables,
            },
            lines=[
                *table([("VARIABLE", "FROM", "VALUE"), *rows]),
                *(f"set, and nothing reads it: {name}" for name in undeclared_names()),
                *(f"problem: {problem}" for problem in problems),
            ],
            status=BAD if problems else FINE,
        )


def _plain(markdown: str) -> str:
    """Without links and code marks."""
    return re.sub(r"\[([^\]]+)\]\([^)]+\)", r"\1", markdown).replace("`", "")
