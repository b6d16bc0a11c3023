"""A product of one's own in an empty folder: a gateway, one platform, a sandbox, tests."""

from __future__ import annotations

from pathlib import Path
from typing import Final

from portal.config.places import PACKAGES
from portal.errors import ConfigurationError
from portal_dev.platforms.platform_folders import PLATFORM_TEMPLATE, values_of, write_template

_TEMPLATE: Final = Path(__file__).with_name("product_template")
#: The distributions, and their folders below `packages`.
_DISTRIBUTIONS: Final = {"portal-library[dev,server,testing]": "", "portal-sandbox-api": "sandbox_api"}
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
    """Return where this checkout's distributions are, as lines of a requirements file.

    :raises ConfigurationError: this portal was installed.
    """
    if not (PACKAGES / "pyproject.toml").is_file():
        # A name alone would ask an index, where it may be anybody's.
        raise ConfigurationError("this portal is no checkout, which a product's requirements name: start it from one")
    return [f"{name} @ {(PACKAGES / folder).as_uri()}" for name, folder in _DISTRIBUTIONS.items()]
