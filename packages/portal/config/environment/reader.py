"""The environment, read once into one frozen object. Nothing else in the portal reads `os.environ`.

Source: requirements, "Environment variables"; contract, section 3. Whatever is missing or malformed raises
:class:`~portal.errors.ConfigurationError` with one line that names the variable and says what it should be.
"""

from __future__ import annotations

from typing import Any, Final, NamedTuple

from portal.config.environment.developer import complete_environment
from portal.config.environment.variables import ORIGIN_OF, VARIABLES
from portal.config.places import SOURCE_ROOT
from portal.config.portal_config import PortalConfig
from portal.config.projects import PROJECTS, Project
from portal.errors import ConfigurationError

#: The variable that a field of :class:`PortalConfig` is read from. `port_base` is a need of others, and no such field.
_BY_FIELD: Final = {variable.field: variable for variable in VARIABLES if variable.field}
_FIELDS: Final = frozenset(PortalConfig.__annotations__)


def read_config(app: str) -> PortalConfig:
    """Read the configuration of the project in `apps/<app>` from the environment and the `.env` file.

    :raises ConfigurationError: a variable is missing or malformed; the first one, if there are several.
    """
    attempt = try_config(app)
    for problem in attempt.problems:
        raise problem.error
    return attempt.config


class Problem(NamedTuple):
    """A value that can't be read: its field of `PortalConfig`, and the error with its one line."""

    field: str
    error: ConfigurationError


class ConfigReading(NamedTuple):
    """A configuration, as far as it can be read. A field that has a problem holds its harmless default instead."""

    config: PortalConfig
    problems: list[Problem]

    @property
    def unread(self) -> frozenset[str]:
        """The fields that hold their default instead."""
        return frozenset(problem.field for problem in self.problems)


def try_config(app: str) -> ConfigReading:
    """Read the configuration of the project in `apps/<app>`, with all that is wrong instead of the first.

    :raises ConfigurationError: there is no such project.
    """
    project = next((candidate for candidate in PROJECTS if candidate.app == app), None)
    if project is None:
        raise ConfigurationError(f"{app!r} is no project: it should be one of {', '.join(p.app for p in PROJECTS)}")
    complete_environment(SOURCE_ROOT)
    attempt = _Attempt(project)
    return ConfigReading(attempt.config(), attempt.problems)


class _Attempt:
    """Reads each field once, after the fields that it needs."""

    def __init__(self, project: Project) -> None:
        self.problems: list[Problem] = []
        self._values: dict[str, Any] = {"project": project}

    def config(self) -> PortalConfig:
        """What can be read; all else is as `PortalConfig` has it by itself."""
        for field in _BY_FIELD:
            self._read(field)
        origins = {each.app: self._values[f"{ORIGIN_OF}{each.app}"] or "" for each in PROJECTS}
        given = {field: value for field, value in self._values.items() if field in _FIELDS and value is not None}
        return PortalConfig(**given, origins=origins)

    def _read(self, field: str) -> Any:
        """The value of a field; None where it can't be read."""
        if field not in self._values:
            variable = _BY_FIELD[field]
            needs = {need: self._read(need) for need in variable.needs}
            self._values[field] = None
            try:
                self._values[field] = variable.read(variable.name, **needs)
            except ConfigurationError as error:
                self.problems.append(Problem("origins" if field.startswith(ORIGIN_OF) else field, error))
        return self._values[field]
