"""The key of a form: under it, what the form sends is done once, however often it arrives (contract, section 8)."""

from __future__ import annotations

import re
import secrets
from typing import TYPE_CHECKING, Final

if TYPE_CHECKING:
    from django.http import HttpRequest

SUBMISSION_FIELD: Final = "submissionKey"
#: Sent with a form that was sent before, with an outcome that nobody knows: no later failure tells it.
UNKNOWN_FIELD: Final = "outcomeUnknown"
_KEY: Final = re.compile(r"[A-Za-z0-9_-]{16,64}")
_KEY_BYTES: Final = 16
#: The request's attribute.
_USED: Final = "_portal_submission_key"


def submission_key(request: HttpRequest) -> str:
    """The key of the form that was sent, for a write's `idempotency_key`; a new one if the form has none."""
    known = used_submission_key(request)
    if known:
        return known
    sent = request.POST.get(SUBMISSION_FIELD, "")
    key = sent if _KEY.fullmatch(sent) else new_submission_key()
    setattr(request, _USED, key)
    return key


def used_submission_key(request: HttpRequest) -> str:
    """The key under which this request has written; empty if its view has asked for none."""
    used: str = getattr(request, _USED, "")
    return used


def new_submission_key() -> str:
    """A random key."""
    return secrets.token_urlsafe(_KEY_BYTES)
