"""A developer's machine: the `.env` file, and `DEBUG` without a word.

docs/adr/0030-debug-without-a-word.md says why no server gets it.
"""

from __future__ import annotations

import os
from typing import TYPE_CHECKING, Final

import environ

if TYPE_CHECKING:
    from pathlib import Path

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


#: The variables that this process has from the file.
_from_file: set[str] = set()


def complete_environment(checkout: Path) -> None:
    """Add to this process's variables those of the checkout's `.env` file, and `DEBUG` on a developer's machine.

    A variable that is set, also to nothing, stays as it is. A second call changes nothing.
    """
    if (checkout / ".env").exists():
        before = set(os.environ)
        environ.Env.read_env(checkout / ".env")
        _from_file.update(os.environ.keys() - before)
    if not _is_set("DEBUG") and (checkout / MARKER).exists() and not any(map(_is_set, SET_BY_DEPLOYMENTS)):
        os.environ["DEBUG"] = "on"


def names_from_file() -> frozenset[str]:
    """The variables that :func:`complete_environment` took from the `.env` file, since they were not set."""
    return frozenset(_from_file)


def _is_set(name: str) -> bool:
    return bool(os.environ.get(name, "").strip())
