"""The running project's configuration, for the layers that need it at request time."""

from django.conf import settings

from portal.config.portal_config import PortalConfig


def portal_config() -> PortalConfig:
    """The frozen configuration that the settings module read at start (`settings.PORTAL`)."""
    return settings.PORTAL
