"""Where code stands, as people and editors read it: `apps/energy/forms.py:12`."""

from __future__ import annotations

from pathlib import Path

from portal.config.environment import REPOSITORY


def place(file: str | Path, line: int) -> str:
    """A line of a file; a file of the checkout has its path in it."""
    path = Path(file)
    return f"{path.relative_to(REPOSITORY) if path.is_relative_to(REPOSITORY) else path}:{line}"
