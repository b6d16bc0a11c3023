"""The names of the platforms and the gateway in the page's language."""

from __future__ import annotations

from typing import TYPE_CHECKING

from django.utils.translation import gettext
from django.utils.translation import gettext_noop as msgid

from portal.config.platforms import PLATFORM_BY_NAME

if TYPE_CHECKING:
    from portal.config.platforms import TPlatform
    from portal.config.projects import Project

#: Listed for the catalogs. A platform that is missing here shows its name from the registry.
KNOWN_NAMES = (
    msgid("Energy"),
    msgid("Operations"),
    msgid("Finance"),
)
GATEWAY_NAME = msgid("Account")


def platform_name(name: TPlatform) -> str:
    """The name that pages show for a platform."""
    return gettext(PLATFORM_BY_NAME[name].name.replace("_", " ").capitalize())


def project_name(project: Project) -> str:
    """The name that pages show for an app."""
    return gettext(GATEWAY_NAME) if project.platform is None else platform_name(project.platform.name)
