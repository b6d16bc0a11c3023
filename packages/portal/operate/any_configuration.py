"""Settings for commands that tell what is wrong with the configuration: they run also where it can't be read."""

from __future__ import annotations

from django.conf import settings

from portal.config.base_settings import build_settings
from portal.config.environment import try_config


def configure(app: str) -> None:
    """Set the settings of a project whose configuration can't be read: harmless values stand in for what is missing.

    Where it can be read, the project's own settings module is used.

    :param app: a project.
    """
    reading = try_config(app)
    if reading.problems:
        settings.configure(**build_settings(reading.config))
