"""Settings of the operations platform."""

from portal.config.base_settings import project_settings

globals().update(project_settings("operations"))
