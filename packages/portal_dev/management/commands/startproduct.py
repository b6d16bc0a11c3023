"""`./manage.py startproduct acme`: a product of one's own, in an empty folder."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from portal.errors import ConfigurationError
from portal_dev.platforms.platform_folders import why_no_name
from portal_dev.platforms.products import write_product
from portal_operate.answers import FINE, AdministrationCommand, CommandAnswer, not_asked


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
        if reason := why_no_name(name):
            raise not_asked(f"{name!r} can't be a product: {reason}")
        if folder.exists() and not (folder.is_dir() and all(path.name == ".git" for path in folder.iterdir())):
            raise not_asked(f"{folder} is no empty folder: give another one by --folder")
        try:
            write_product(name, folder)
        except ConfigurationError as error:
            raise not_asked(str(error)) from error
        written = sorted({path.relative_to(folder).parts[0] for path in folder.rglob("*") if path.is_file()} - {".git"})
        return CommandAnswer(
            data={"product": name, "folder": str(folder), "written": written},
            lines=[
                f"Written into {folder}: {', '.join(written)}.",
                f"Next, there: `make run`, and sign in at http://localhost:8000 as {name}@example.com with `demo`.",
            ],
        )
