"""One project's settings in a process that may run with another's."""

from __future__ import annotations

from contextlib import contextmanager
from dataclasses import replace
from importlib import import_module
from typing import TYPE_CHECKING, Any

from django.conf import settings
from django.test import override_settings

from portal.config.base_settings import build_settings
from portal.config.projects import PROJECT_BY_APP
from portal.errors import UsageError
from sqlite_cache import close_idle_connections

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

    from portal.config.portal_config import PortalConfig


@contextmanager
def project_in_force(app: str, *, state_dir: Path) -> Iterator[PortalConfig]:
    """Inside the block, `apps/<app>/settings.py` holds, with the embedded store in `state_dir`.

    Not for threads: Django's settings are the process's.

    :raises UsageError: the registry has no such project.
    """
    if app not in PROJECT_BY_APP:
        raise UsageError(f"{app!r} should be one of {', '.join(PROJECT_BY_APP)}: the fixture `app` names the project")
    module = import_module(PROJECT_BY_APP[app].settings_module)
    config = replace(module.PORTAL, state_dir=state_dir, cache_url="", refresh_cache_url="")
    wanted = {name: value for name, value in vars(module).items() if name.isupper()}
    wanted |= {"PORTAL": config, "CACHES": build_settings(config)["CACHES"]}
    try:
        with override_settings(**_changes(wanted)):
            yield config
    finally:
        close_idle_connections()


def _changes(wanted: dict[str, Any]) -> dict[str, Any]:
    """Those settings that are not in force already: overriding one costs time, and Django warns of some."""
    changes = {name: value for name, value in wanted.items() if getattr(settings, name, None) != value}
    # No project has any; Django has put its own entry for that into the setting in force.
    changes.pop("DATABASES", None)
    if "INSTALLED_APPS" in changes:
        # The catalogs are the apps'; Django reads them anew only when it is told of this setting.
        changes["LANGUAGES"] = wanted["LANGUAGES"]
    return changes
