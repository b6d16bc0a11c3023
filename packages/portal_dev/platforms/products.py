"""A product of one's own in an empty folder: a gateway, one platform, a sandbox, tests."""

from __future__ import annotations

import json
from importlib.metadata import PackageNotFoundError, distribution
from pathlib import Path
from typing import Final

from portal.config.places import PACKAGES
from portal.errors import ConfigurationError
from portal_dev.platforms.platform_folders import PLATFORM_TEMPLATE, values_of
from portal_dev.platforms.templates import write_template

_TEMPLATE: Final = Path(__file__).with_name("product_template")
#: The distributions, and their folders below `packages`.
_LIBRARY: Final = "portal-library"
_DISTRIBUTIONS: Final = {f"{_LIBRARY}[dev,server,testing]": "", "portal-sandbox-api": "sandbox_api"}
#: Of the folders of a platform those that a product begins with.
_FOLDERS: Final = ("apps/", "tests/")


def write_product(name: str, root: Path) -> None:
    """Write the product `name`, whose first platform has the same name, into the folder `root`.

    :raises ConfigurationError: as :func:`requirements`; nothing is written.
    """
    values = values_of(name, services="services") | {"requirements": "\n".join(requirements())}
    write_template(PLATFORM_TEMPLATE, root, values=values, only=_FOLDERS)
    write_template(_TEMPLATE, root, values=values)


def requirements() -> list[str]:
    """Where this portal came from, as lines of a requirements file.

    :raises ConfigurationError: it was installed from a wheel.
    """
    origins = {name: _origin(folder) for name, folder in _DISTRIBUTIONS.items()}
    if not all(origins.values()):
        # A name alone would ask an index, where it may be anybody's.
        raise ConfigurationError("nobody knows where this portal came from: give this command in a checkout of it")
    return [f"{name} @ {origin}" for name, origin in origins.items()]


def _origin(folder: str) -> str:
    """The address of a folder below `packages`: in this checkout, or where this portal was installed from."""
    if (PACKAGES / "pyproject.toml").is_file():
        return (PACKAGES / folder).as_uri()
    try:
        told = json.loads(distribution(_LIBRARY).read_text("direct_url.json") or "{}")
    except PackageNotFoundError:
        return ""
    if "vcs_info" in told:
        vcs, path = told["vcs_info"], "/".join(filter(None, (told.get("subdirectory"), folder)))
        return f"{vcs['vcs']}+{told['url']}@{vcs['commit_id']}#subdirectory={path}"
    # Of a wheel that was given by its path nobody knows where the other one is.
    return f"{told['url']}/{folder}".rstrip("/") if "dir_info" in told else ""
