"""Where code stands, as people and editors read it: `apps/energy/forms.py:12`."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import TYPE_CHECKING

from portal.config.environment import REPOSITORY

if TYPE_CHECKING:
    from types import FrameType


def place(file: str | Path, line: int) -> str:
    """A line of a file; a file of the checkout has its path in it."""
    path = Path(file)
    return f"{path.relative_to(REPOSITORY) if path.is_relative_to(REPOSITORY) else path}:{line}"


def declaring_line(package: str) -> tuple[str, int]:
    """File and line of the running code that makes an object of this package, and is no part of it."""
    frame: FrameType | None = sys._getframe(1)  # noqa: SLF001  documented for this; `inspect` would read the source files
    while frame is not None and frame.f_globals.get("__name__", "").startswith((f"{package}.", "dataclasses")):
        frame = frame.f_back
    return ("", 0) if frame is None else (frame.f_code.co_filename, frame.f_lineno)
