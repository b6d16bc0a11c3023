"""One project's settings, in a process that was started with another project's settings."""

from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import replace
from importlib import import_module
from pathlib import Path
from typing import Any, Final

import jinja2
from django.conf import settings
from django.template import engines
from django.test import override_settings

from portal.config.base_settings import build_settings
from portal.config.portal_config import PortalConfig
from portal.config.projects import PROJECT_BY_APP
from portal.errors import UsageError
from sqlite_cache import close_idle_connections

#: By the project and its template settings: Jinja2's engines, by language, with the templates of earlier tests.
_ENGINES: Final[dict[tuple[str, str], dict[str, Any]]] = {}


@contextmanager
def project_in_force(app: str, *, state_dir: Path) -> Iterator[PortalConfig]:
    """Inside the block, the settings of `apps/<app>/settings.py` apply, with the embedded store in `state_dir`.

    Not for threads: Django's settings belong to the process.

    :raises UsageError: the registry has no such project.
    """
    if app not in PROJECT_BY_APP:
        raise UsageError(f"{app!r} should be one of {', '.join(PROJECT_BY_APP)}: the fixture `app` names the project")
    module = import_module(PROJECT_BY_APP[app].settings_module)
    config = replace(module.PORTAL, state_dir=state_dir, cache_url="", refresh_cache_url="")
    wanted = {name: value for name, value in vars(module).items() if name.isupper()}
    built = build_settings(config)
    # A name that a template misspells is an error, as in `DEBUG`.
    built["TEMPLATES"][0]["OPTIONS"]["undefined"] = jinja2.StrictUndefined
    wanted |= {"PORTAL": config, "CACHES": built["CACHES"], "TEMPLATES": built["TEMPLATES"]}
    # A static file is looked for when it is asked for: each client loads all middlewares, and would look for all.
    wanted["WHITENOISE_AUTOREFRESH"] = True
    try:
        with override_settings(**_changes(wanted)):
            # Its modules need settings: this one is also imported where there are none yet.
            from portal.web.templating import part_cache  # noqa: PLC0415

            part_cache.clear()
            # Django forgets what was compiled whenever these settings change, which takes a page a quarter of a second.
            pages: Any = engines["pages"]
            pages.use_engines(_ENGINES.setdefault((app, repr(settings.TEMPLATES)), {}))
            yield config
    finally:
        close_idle_connections()


def _changes(wanted: dict[str, Any]) -> dict[str, Any]:
    """The settings that differ from the current ones: each override costs time, and Django warns about some."""
    changes = {name: value for name, value in wanted.items() if getattr(settings, name, None) != value}
    # No project has a database; Django has replaced the empty setting by its own entry.
    changes.pop("DATABASES", None)
    if "INSTALLED_APPS" in changes:
        # Each app has its own catalogs; Django reads them again only when this setting changes.
        changes["LANGUAGES"] = wanted["LANGUAGES"]
    return changes
