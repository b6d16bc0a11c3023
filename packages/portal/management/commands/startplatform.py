"""`./manage.py startplatform logistics`: one line of the registry, one folder, and its first tests."""

from __future__ import annotations

import re
from pathlib import Path
from typing import TYPE_CHECKING, Any

from django.core.management.base import BaseCommand, CommandError
from django.core.management.templates import TemplateCommand

from portal.config import platforms
from portal.config.environment import REPOSITORY
from portal.config.projects import PROJECT_BY_APP
from portal.edge import NEUTRAL_PATHS, PROFILE_PATH, PUBLIC_PATHS, UNGATED_PATHS

if TYPE_CHECKING:
    from argparse import ArgumentParser

#: Templates of the app's folder, and of that of its tests.
TEMPLATE = Path(__file__).parents[1] / "platform_template"
TESTS_TEMPLATE = Path(__file__).parents[1] / "platform_tests"
#: The end of the tuple in the registry's source: the new line goes before it.
REGISTRY_END = re.compile(r"^(PLATFORMS\b.*?)^\)$", re.DOTALL | re.MULTILINE)
#: First path segments that every app already has a meaning for.
TAKEN_PREFIXES = {path.split("/")[1] for path in (*PUBLIC_PATHS, *NEUTRAL_PATHS, *UNGATED_PATHS, PROFILE_PATH)}


class Command(BaseCommand):
    """Writes all of it, or nothing."""

    help = "Write a new platform: its registry line, its folder below apps/, and its first tests."
    requires_system_checks = ()

    def add_arguments(self, parser: ArgumentParser) -> None:
        parser.add_argument("name", help="folder, route prefix and host name: lower-case letters and digits")

    def handle(self, *args: object, **options: Any) -> None:
        name = options["name"]
        folder, tests = REPOSITORY / "apps" / name, REPOSITORY / "tests" / "apps" / name
        if not re.fullmatch(r"[a-z][a-z0-9]{1,30}", name) or name in TAKEN_PREFIXES:
            raise CommandError(f"{name!r} should be a name of lower-case letters and digits, and no page of every app")
        if name in PROJECT_BY_APP or folder.exists() or tests.exists():
            raise CommandError(f"there is a platform {name} already")
        registry = Path(platforms.__file__)
        source = registry.read_text()
        written = REGISTRY_END.sub(rf"\1    {registry_line(name)}\n)", source, count=1)
        if written == source:
            raise CommandError(f"{registry} has no tuple PLATFORMS that could be added to")
        write_folder(folder, name=name, template=TEMPLATE)
        write_folder(tests, name=name, template=TESTS_TEMPLATE)
        registry.write_text(written)
        self.stdout.write(
            f"apps/{name} and tests/apps/{name} are written, and the registry has its line. Whoever has the permission "
            f"{name.upper()}_APP may open /{name}. Next: docs/how-to/add-a-platform.md, step 2."
        )


def write_folder(folder: Path, *, name: str, template: Path) -> None:
    """Fill in the template for the app `name`, in a folder that is made."""
    folder.mkdir(parents=True)
    TemplateCommand().handle(
        "app", name, str(folder), template=str(template), extensions=["py", "po"], files=[], exclude=[], verbosity=0
    )


def registry_line(name: str) -> str:
    """The platform's line in `portal.config.platforms`."""
    return f'Platform(name="{name.upper()}", permission="{name.upper()}_APP", prefix="/{name}", app="{name}"),'
