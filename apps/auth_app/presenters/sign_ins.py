"""A sign-in of the user as the profile shows it: the browser, and when it was used."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Final

from django.utils.translation import gettext as _

from portal.config.wire_names import CREATED_AT_FIELD, ID_FIELD
from portal.web.present import datetime_of, texts_of

if TYPE_CHECKING:
    from collections.abc import Mapping
    from datetime import datetime

#: A part of the user agent's text, and the name that people know. The first match counts.
_BROWSERS: Final = (
    ("Edg/", "Edge"),
    ("OPR/", "Opera"),
    ("Firefox/", "Firefox"),
    ("Chrome/", "Chrome"),
    ("Safari/", "Safari"),
)
_SYSTEMS: Final = (
    ("iPhone", "iPhone"),
    ("iPad", "iPad"),
    ("Android", "Android"),
    ("Windows", "Windows"),
    ("Mac OS X", "macOS"),
    ("Linux", "Linux"),
)
MAX_DEVICE_CHARS: Final = 80
#: The user agent that the backend has of a browser that sent none: the portal's own, or none.
_NO_BROWSER: Final = frozenset({"", "portal"})


@dataclass(frozen=True, slots=True, kw_only=True)
class SignInRow:
    """One row of the profile's list."""

    id: str
    device: str
    current: bool
    created_at: datetime | None
    last_used_at: datetime | None


def present_sign_in(record: Mapping[str, Any]) -> SignInRow:
    """Make a row from a record of `GET /iam/auth/sessions`."""
    text = texts_of(record)
    return SignInRow(
        id=text[ID_FIELD],
        device=device_name(text["userAgent"]),
        current=record.get("current") is True,
        created_at=datetime_of(record, CREATED_AT_FIELD),
        last_used_at=datetime_of(record, "lastUsedAt"),
    )


def device_name(user_agent: str) -> str:
    """Such as "Firefox, Windows"; the user agent's own text if the browser or the system is not known."""
    if user_agent in _NO_BROWSER:
        return _("Unknown browser")
    known = [_first_match(user_agent, names) for names in (_BROWSERS, _SYSTEMS)]
    return ", ".join(name for name in known if name) or user_agent[:MAX_DEVICE_CHARS]


def _first_match(user_agent: str, names: tuple[tuple[str, str], ...]) -> str:
    return next((name for part, name in names if part in user_agent), "")
