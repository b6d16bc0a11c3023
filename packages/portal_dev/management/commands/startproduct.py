"""`./manage.py startproduct acme`: a product of one's own, in an empty folder."""

from pathlib import Path
from typing import Any, Final

from portal.config.places import PACKAGES
from portal_dev.platforms import platform_folders
from portal_operate.answers import FINE, AdministrationCommand, CommandAnswer, not_asked

#: The distributions that a product needs, and their folders below `packages`.
_DISTRIBUTIONS: Final = {"portal-library[dev,server,testing]": "", "portal-sandbox-api": "sandbox_api"}


class Command(AdministrationCommand):
    """Writes nothing where the folder is not empty, or the name can be no platform's."""

    help = "Write a product of one's own: a gateway, a platform with one resource, a sandbox backend, tests."
    examples = ("startproduct acme", "startproduct acme --folder ../acme --json")
    statuses = {FINE: "written"}

    def add_arguments(self, parser: Any) -> None:
        parser.add_argument("name", help="of the product and its first platform: lower-case letters and digits")
        parser.add_argument("--folder", type=Path, default=Path(), help="an empty one; by default the working folder")

    def answer(self, **options: Any) -> CommandAnswer:
        name, folder = options["name"], options["folder"].absolute()
        if reason := platform_folders.why_no_name(name):
            raise not_asked(f"{name!r} can't be a product: {reason}")
        if folder.exists() and not (folder.is_dir() and all(path.name == ".git" for path in folder.iterdir())):
            raise not_asked(f"{folder} is no empty folder: give another one by --folder")
        if not (PACKAGES / "pyproject.toml").is_file():
            # A name alone would ask an index, where it may be anybody's.
            raise not_asked("this portal is no checkout, which a product's requirements name: start it from one")
        requirements = [f"{each} @ {(PACKAGES / place).as_uri()}" for each, place in _DISTRIBUTIONS.items()]
        values = platform_folders.values_of(name, services="services") | {"requirements": "\n".join(requirements)}
        platform_folders.write_product(folder, values=values)
        written = sorted({path.relative_to(folder).parts[0] for path in folder.rglob("*") if path.is_file()} - {".git"})
        return CommandAnswer(
            data={"product": name, "folder": str(folder), "written": written},
            lines=[
                f"Written into {folder}: {', '.join(written)}.",
                f"Next, there: `make run`, and sign in at http://localhost:8000 as {name}@example.com with `demo`.",
            ],
        )
