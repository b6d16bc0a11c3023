"""`./manage.py removeplatform logistics`: what `startplatform` wrote is gone, and the work of its team."""

import shutil
from typing import Any

from django.core.management.base import BaseCommand, CommandError, CommandParser

from portal.config.places import SOURCE_ROOT
from portal.config.platforms import PLATFORMS
from portal_dev.platforms.platform_folders import domain_users, platform_folders, services_of, uncommitted_work
from portal_dev.platforms.platform_places import remove_platform


class Command(BaseCommand):
    """Deletes nothing that git could not bring back, or `startplatform`."""

    help = "Remove a platform: its folders, its line in the registry, and its name wherever platforms are listed."
    requires_system_checks = ()

    def add_arguments(self, parser: CommandParser) -> None:
        parser.add_argument("name", help="the platform's folder below apps/")

    def handle(self, *args: object, **options: Any) -> None:
        name = options["name"]
        platforms = [platform.app for platform in PLATFORMS]
        if name not in platforms:
            raise CommandError(f"{name!r} is no platform; there are {', '.join(platforms)}")
        users, own = domain_users(SOURCE_ROOT), f"apps/{name}/"
        # Pages of another app may show what the backend has of this domain; they go on without its platform.
        uses = [file for file in users.get(name, ()) if not file.startswith(own)]
        # Services that this app alone imports, and whose platform was removed before.
        unused = [
            services_of(domain)
            for domain, files in sorted(users.items())
            if domain not in platforms and all(file.startswith(own) for file in files)
        ]
        folders = [*unused, *(each for each in platform_folders(name) if not uses or each != services_of(name))]
        if work := uncommitted_work(name, SOURCE_ROOT, folders=folders):
            raise CommandError(f"commit these files or delete them yourself, nothing is removed: {', '.join(work)}")
        edits = remove_platform(name, platforms=platforms)
        removed = [folder for folder in folders if (SOURCE_ROOT / folder).exists()]
        for folder in removed:
            shutil.rmtree(SOURCE_ROOT / folder)
        # The registry last: until then this command can be given again.
        edits.write()
        self.stdout.write(f"Removed: {', '.join(removed)}, and the platform's name in {', '.join(edits.texts)}.")
        for use in uses:
            self.stdout.write(f"Kept: {services_of(name)}, which {use} imports.")
        for missed in edits.missed:
            self.stdout.write(f"Look yourself, this was not there: {missed}")
        self.stdout.write("Next: docs/how-to/remove-a-platform.md, step 2.")
