"""Pages that only their reader may keep: `private, no-store` (contract, section 6)."""

from __future__ import annotations

from typing import TYPE_CHECKING, TypeVar

if TYPE_CHECKING:
    from django.http.response import HttpResponseBase

TResponse = TypeVar("TResponse", bound="HttpResponseBase")


def keep_private(response: TResponse) -> TResponse:
    """Mark a response so that no cache keeps it, the browser's own included."""
    response["Cache-Control"] = "private, no-store"
    return response
