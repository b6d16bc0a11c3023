"""What a process has learned that its backend does not have."""

from __future__ import annotations

from portal.query import process_state
from portal.web.frame import platforms


def forget_absences() -> None:
    """Know of nothing: a process knows it for ten minutes, and the next test's backend may have it."""
    if process_state._process.made is not None:
        process_state._process.made.gaps.clear()
    platforms._absent_during.cache_clear()
    platforms._failed.clear()
