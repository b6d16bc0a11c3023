"""Settings of the gateway."""

from portal.config.base_settings import project_settings

globals().update(project_settings("auth_app"))
