"""A sign-in of the user: which browser, since when."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Final

from django.utils.translation import gettext as _

from portal.web.present import created_at_of, datetime_of, id_of, text_of

if TYPE_CHECKING:
    from collections.abc import Mapping
    from datetime import datetime

#: What a user agent's text contains, and the name that people know; the first that fits counts.
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
#: What the backend keeps for a browser that named itself nothing: the portal's own name, or none.
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
    """A record of `GET /iam/auth/sessions` as a row."""
    return SignInRow(
        id=id_of(record),
        device=device_name(text_of(record, "userAgent")),
        current=record.get("current") is True,
        created_at=created_at_of(record),
        last_used_at=datetime_of(record, "lastUsedAt"),
    )


def device_name(user_agent: str) -> str:
    """`Firefox, Windows` where both are known, else what the browser called itself, if it did."""
    if user_agent in _NO_BROWSER:
        return _("Unknown browser")
    known = [_first_match(user_agent, names) for names in (_BROWSERS, _SYSTEMS)]
    return ", ".join(name for name in known if name) or user_agent[:MAX_DEVICE_CHARS]


def _first_match(user_agent: str, names: tuple[tuple[str, str], ...]) -> str:
    return next((name for part, name in names if part in user_agent), "")
