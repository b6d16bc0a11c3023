"""What the platforms and the gateway are called in the pages, in the page's language."""

from __future__ import annotations

from typing import TYPE_CHECKING

from django.utils.translation import gettext
from django.utils.translation import gettext_noop as msgid

from portal.config.platforms import PLATFORM_BY_NAME

if TYPE_CHECKING:
    from portal.config.platforms import TPlatform
    from portal.config.projects import Project

#: Named here so that the catalogs carry them; a platform that is new in the registry shows its own name until
#: it stands here too.
KNOWN_NAMES = (msgid("Energy"), msgid("Operations"), msgid("Finance"))
GATEWAY_NAME = msgid("Account")


def platform_name(name: TPlatform) -> str:
    """A platform's name for people."""
    return gettext(PLATFORM_BY_NAME[name].name.replace("_", " ").capitalize())


def project_name(project: Project) -> str:
    """A project's name for people."""
    return gettext(GATEWAY_NAME) if project.platform is None else platform_name(project.platform.name)
