"""What a store that answers may refuse."""

from __future__ import annotations

from portal.errors import StoreUnavailableError


class StoreRefusedError(StoreUnavailableError):
    """The store can't do this one thing now. It answers: whoever asks for something else need not wait for it."""


class StoreFullError(StoreRefusedError):
    """The store has reached its limit and was told to refuse new entries rather than to lose old ones."""
