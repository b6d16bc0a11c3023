"""Imports all services. A module that can't be imported stops the apps that use it, and no other."""

from __future__ import annotations

import importlib
import pkgutil
import traceback
from dataclasses import dataclass
from pathlib import Path

import portal.services
from portal.config.places import SOURCE_ROOT, place
from portal.query import REGISTRY

_PREFIX = f"{portal.services.__name__}."
#: Where teams declare. The rest of the package raises the errors of declarations.
_OURS = (Path(portal.services.__file__).parent, SOURCE_ROOT / "apps", SOURCE_ROOT / "tests")


@dataclass(frozen=True, slots=True, kw_only=True)
class FailedImport:
    """A module that can't be imported.

    :param domain: the folder or module below `portal.services` that it belongs to.
    """

    module: str
    domain: str
    error: Exception

    def __str__(self) -> str:
        """For a command that needs all services."""
        return f"{place_of(self.error)}: {self.module} can't be imported: {self.error}"


def import_services() -> list[FailedImport]:
    """Import every module below `portal.services`, so that all of its groups are declared.

    :returns: those that can't be imported.
    """
    failed = []
    for found in pkgutil.walk_packages(portal.services.__path__, prefix=_PREFIX, onerror=lambda _: None):
        try:
            importlib.import_module(found.name)
        except Exception as error:  # noqa: BLE001  whatever the code of a team does
            domain = found.name.removeprefix(_PREFIX).partition(".")[0]
            failed.append(FailedImport(module=found.name, domain=domain, error=error))
            # All of them: this one may have begun to import another one again.
            for each in failed:
                REGISTRY.forget(each.module)
    return failed


def place_of(error: BaseException) -> str:
    """`file:line` of the code that made the mistake: the innermost line of an app, a service or a test."""
    if isinstance(error, SyntaxError) and error.filename:
        return place(error.filename, error.lineno or 1)
    frames = [(Path(frame.filename), frame.lineno or 1) for frame in traceback.extract_tb(error.__traceback__)]
    ours = [(path, line) for path, line in frames if _is_ours(path)]
    return place(*(ours or frames)[-1]) if frames else ""


def _is_ours(path: Path) -> bool:
    return any(path.is_relative_to(folder) for folder in _OURS)
