"""The environment, read once into one frozen object. Nothing else in the portal reads `os.environ`.

Source: requirements, "Environment variables"; contract, section 3. Whatever is missing or malformed raises
:class:`~portal.errors.ConfigurationError` with one line that names the variable and says what it should be.
"""

import os
from pathlib import Path
from typing import Any, Final

import environ

from portal.config.environment.variables import ORIGIN_OF, VARIABLES
from portal.config.places import SOURCE_ROOT
from portal.config.portal_config import PortalConfig
from portal.config.projects import PROJECT_BY_APP, PROJECTS, Project
from portal.errors import ConfigurationError

#: `make` writes this file into the environment, but for `make runtime`, which is for servers.
MARKER: Final = ".venv/.developer"
#: Without `DEBUG` these are required, so every deployment sets all of them.
SET_BY_DEPLOYMENTS: Final = (
    "SECRET_KEY",
    "SECRET_KEY_FILE",
    "ALLOWED_HOSTS",
    "APP_PUBLIC_API_BASE_URL",
    "APP_PUBLIC_GATEWAY_APP_URL",
    # The sandbox's own.
    "SANDBOX_SECRET_KEY",
    "SANDBOX_JWT_KEY",
)


#: The variables that :func:`complete_environment` took from the `.env` file, since they were not set.
names_from_file: set[str] = set()


def complete_environment(checkout: Path) -> None:
    """Add to this process's variables those of the checkout's `.env` file, and `DEBUG` on a developer's machine.

    A variable that is set, also to nothing, stays as it is. A second call changes nothing.
    """
    if (checkout / ".env").exists():
        before = set(os.environ)
        environ.Env.read_env(checkout / ".env")
        names_from_file.update(os.environ.keys() - before)
    if not _is_set("DEBUG") and (checkout / MARKER).exists() and not any(map(_is_set, SET_BY_DEPLOYMENTS)):
        os.environ["DEBUG"] = "on"


def _is_set(name: str) -> bool:
    return bool(os.environ.get(name, "").strip())


#: The variable that a field of :class:`PortalConfig` is read from. `port_base` is a need of others, and no such field.
_BY_FIELD: Final = {variable.field: variable for variable in VARIABLES if variable.field}
_FIELDS: Final = frozenset(PortalConfig.__annotations__)


def read_config(app: str) -> PortalConfig:
    """Read the configuration of the project in `apps/<app>` from the environment and the `.env` file.

    :raises ConfigurationError: a variable is missing or malformed; the first one, if there are several.
    """
    reading = try_config(app)
    for problem in reading.problems:
        raise problem
    return reading.config


class ConfigReading:
    """A configuration, as far as it can be read. Each field is read once, after the fields that it needs.

    :ivar config: a field that has a problem holds its harmless default instead.
    :ivar problems: the errors of all values that can't be read, each with its one line.
    :ivar unread: the fields that hold their default instead.
    """

    def __init__(self, project: Project) -> None:
        self.problems: list[ConfigurationError] = []
        self.unread: set[str] = set()
        self._values: dict[str, Any] = {"project": project}
        for field in _BY_FIELD:
            self._read(field)
        origins = {each.app: self._values[f"{ORIGIN_OF}{each.app}"] or "" for each in PROJECTS}
        given = {field: value for field, value in self._values.items() if field in _FIELDS and value is not None}
        self.config = PortalConfig(**given, origins=origins)

    def _read(self, field: str) -> Any:
        """The value of a field; None where it can't be read."""
        if field not in self._values:
            variable = _BY_FIELD[field]
            needs = {need: self._read(need) for need in variable.needs}
            self._values[field] = None
            try:
                self._values[field] = variable.read(variable.name, **needs)
            except ConfigurationError as error:
                self.problems.append(error)
                self.unread.add(field if field in _FIELDS else "origins")
        return self._values[field]


def try_config(app: str) -> ConfigReading:
    """Read the configuration of the project in `apps/<app>`, with all that is wrong instead of the first.

    :raises ConfigurationError: there is no such project.
    """
    if app not in PROJECT_BY_APP:
        raise ConfigurationError(f"{app!r} is no project: it should be one of {', '.join(PROJECT_BY_APP)}")
    complete_environment(SOURCE_ROOT)
    return ConfigReading(PROJECT_BY_APP[app])
