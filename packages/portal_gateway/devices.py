"""The name of a browser, from its user agent's text."""

from typing import Final

from django.utils.translation import gettext as _

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


def device_name(user_agent: str) -> str:
    """Such as "Firefox, Windows"; the user agent's own text if the browser or the system is not known."""
    if user_agent in _NO_BROWSER:
        return _("Unknown browser")
    known = [_first_match(user_agent, names) for names in (_BROWSERS, _SYSTEMS)]
    return ", ".join(name for name in known if name) or user_agent[:MAX_DEVICE_CHARS]


def _first_match(user_agent: str, names: tuple[tuple[str, str], ...]) -> str:
    return next((name for part, name in names if part in user_agent), "")
