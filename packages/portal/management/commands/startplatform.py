"""`./manage.py startplatform logistics`: all that a new platform needs, written in one go."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from django.core.management.base import BaseCommand, CommandError

from portal.config.places import PROGRAM, SOURCE_ROOT
from portal.config.platforms import PLATFORMS
from portal.management.platform_folders import platform_folders, write_folders
from portal.management.platform_names import why_no_platform
from portal.management.platform_places import REGISTRY_FILE, add_platform

if TYPE_CHECKING:
    from argparse import ArgumentParser


class Command(BaseCommand):
    """Writes nothing where the name can be no platform's."""

    help = "Write a new platform: its folders, its line in the registry, and its name wherever platforms are listed."
    requires_system_checks = ()

    def add_arguments(self, parser: ArgumentParser) -> None:
        parser.add_argument("name", help="folder, route prefix and host name: lower-case letters and digits")

    def handle(self, *args: object, **options: Any) -> None:
        name = options["name"]
        if reason := why_no_platform(name):
            raise CommandError(f"{name!r} can't be a platform: {reason}")
        edits = add_platform(name, platforms=[platform.app for platform in PLATFORMS])
        if REGISTRY_FILE not in edits.texts:
            raise CommandError(
                f"{REGISTRY_FILE} has no line of the platform {PLATFORMS[-1].app}, after which to add one"
            )
        # The registry first: `removeplatform` clears away whatever an interruption leaves.
        edits.write()
        write_folders(name, SOURCE_ROOT)
        folders = ", ".join(platform_folders(name))
        self.stdout.write(f"Written: {folders}, and the platform's name in {', '.join(edits.texts)}.")
        for missed in edits.missed:
            self.stdout.write(f"Add it yourself, there was nothing to add it to: {missed}")
        self.stdout.write(f"Whoever has the permission {name.upper()}_APP may open /{name}. In the sandbox that is:")
        self.stdout.write(
            f"  {PROGRAM} --app sandbox_api create_account --email you@example.com --permissions {name.upper()}_APP"
        )
        self.stdout.write("Next: docs/how-to/add-a-platform.md, step 2.")
