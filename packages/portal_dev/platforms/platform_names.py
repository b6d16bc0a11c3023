"""Which names a new platform can't have, and why: `./manage.py startplatform` asks before it writes."""

from __future__ import annotations

import re
from importlib.util import find_spec
from keyword import iskeyword, issoftkeyword
from typing import Final

from portal.config.locales import LOCALES
from portal.config.places import PACKAGES, SOURCE_ROOT
from portal.config.projects import PROJECT_BY_APP
from portal.edge import NEUTRAL_PATHS, PROFILE_PATH, PUBLIC_PATHS, UNGATED_PATHS
from portal_dev.platforms.platform_folders import platform_folders

#: The longest name with which the registry's line is no longer than a line of code may be.
LONGEST: Final = 14
_NAME: Final = re.compile(rf"[a-z][a-z0-9]{{1,{LONGEST - 1}}}")
#: Whose host is `<name>.<cookie domain>` already, in the documentation's examples. `gateway` is in a variable's name.
_HOSTS: Final = {
    "api": "the backend",
    "auth": "the gateway",
    "cache": "the Redis",
    "gateway": "the gateway",
    "git": "the repository",
    "id": "the OpenID provider",
    "redis": "the Redis",
    "registry": "the registry of images",
    "www": "the public web site",
}
#: First segments of paths that every app has a page for.
_PAGES: Final = {path.split("/")[1] for path in (*PUBLIC_PATHS, *NEUTRAL_PATHS, *UNGATED_PATHS, PROFILE_PATH)}
#: Apps that every project installs, and that are no modules of Python. Django tells apps apart by the last part
_INSTALLED: Final = {"administration", "messages", "staticfiles"}
#: Folders that git does not keep (.gitignore), and in which neither pytest nor ruff looks.
_SKIPPED_FOLDERS: Final = {"build", "dist", "venv"}


def why_no_platform(name: str) -> str | None:
    """Why no new platform can have this name; None if one can."""
    if not _NAME.fullmatch(name):
        return f"it should be 2 to {LONGEST} lower-case letters (a to z) and digits, and begin with a letter"
    reasons = {
        "there is a platform of this name": name in PROJECT_BY_APP,
        "it is a word of the Python language": iskeyword(name) or issoftkeyword(name),
        "it is a language, the first segment of an address": name in LOCALES,
        "it is a page of every app": name in _PAGES,
        f"it is the host name of {_HOSTS.get(name)}": name in _HOSTS,
        "every project has an app of this name": name in _INSTALLED,
        "git, pytest and ruff skip folders of this name": name in _SKIPPED_FOLDERS,
        "the services have a domain or a module of this name": _has_service(name),
        "Python has a module of this name": find_spec(name) is not None,
        **{f"{folder} is there already": (SOURCE_ROOT / folder).exists() for folder in platform_folders(name)},
    }
    return next((reason for reason, holds in reasons.items() if holds), None)


def _has_service(name: str) -> bool:
    services = PACKAGES / "portal" / "services"
    return (services / name).exists() or (services / f"{name}.py").exists()
