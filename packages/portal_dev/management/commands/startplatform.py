"""`./manage.py startplatform logistics`: all that a new platform needs, written in one go."""

from typing import Any

from portal.config.places import PROGRAM, SOURCE_ROOT
from portal.config.platforms import PLATFORMS
from portal_dev.platforms.platform_folders import platform_folders, why_no_platform, write_folders
from portal_dev.platforms.platform_places import REGISTRY_FILE, add_platform
from portal_operate.answers import FINE, AdministrationCommand, CommandAnswer, not_asked


class Command(AdministrationCommand):
    """Writes nothing where the name can be no platform's."""

    help = "Write a new platform: its folders, its line in the registry, and its name wherever platforms are listed."
    examples = ("startplatform logistics", "startplatform logistics --json")
    statuses = {FINE: "written"}

    def add_arguments(self, parser: Any) -> None:
        parser.add_argument("name", help="folder, route prefix and host name: lower-case letters and digits")

    def answer(self, **options: Any) -> CommandAnswer:
        name = options["name"]
        if reason := why_no_platform(name):
            raise not_asked(f"{name!r} can't be a platform: {reason}")
        edits = add_platform(name, platforms=[platform.app for platform in PLATFORMS])
        if REGISTRY_FILE not in edits.texts:
            before = f"the platform {PLATFORMS[-1].app}" if PLATFORMS else "PLATFORMS"
            raise not_asked(f"{REGISTRY_FILE} has no line of {before}, after which to add one")
        # The registry first: `removeplatform` clears away whatever an interruption leaves.
        edits.write()
        write_folders(name, SOURCE_ROOT)
        folders, permission = platform_folders(name), f"{name.upper()}_APP"
        return CommandAnswer(
            data={
                "platform": name,
                "permission": permission,
                "folders": folders,
                "files": list(edits.texts),
                "missed": edits.missed,
            },
            lines=[
                f"Written: {', '.join(folders)}, and the platform's name in {', '.join(edits.texts)}.",
                *(f"Add it yourself, there was nothing to add it to: {missed}" for missed in edits.missed),
                f"Whoever has the permission {permission} may open /{name}. In the sandbox that is:",
                f"  {PROGRAM} --app sandbox_api create_account --email you@example.com --permissions {permission}",
                "Next: docs/how-to/add-a-platform.md, step 2.",
            ],
        )
