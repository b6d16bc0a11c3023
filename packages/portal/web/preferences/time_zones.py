"""The time zone in which a request's page is written.

==========================  ==========================================================================================
cookie                      the zone
==========================  ==========================================================================================
`VAR_TIME_ZONE`             what the user has chosen in the profile
`browser_time_zone`         else the browser's own, which `portal.js` has noted
none, or no zone's name     UTC; `portal.js` then rewrites the page's times
==========================  ==========================================================================================
"""

from __future__ import annotations

from functools import cache
from typing import TYPE_CHECKING, Final
from zoneinfo import ZoneInfo, available_timezones

from django.utils import timezone

from portal.config.cookies import BROWSER_TIME_ZONE, VAR_TIME_ZONE

if TYPE_CHECKING:
    from collections.abc import Mapping

#: In some systems' lists, and places of nobody: the server's own zone, and one for the time before the installation.
_NO_PLACES: Final = frozenset({"localtime", "Factory", "posixrules"})


@cache
def zone_names() -> frozenset[str]:
    """All names of time zones that this machine knows."""
    return frozenset(available_timezones() - _NO_PLACES)


@cache
def _known_zone(name: str) -> ZoneInfo:
    return ZoneInfo(name)


def zone_named(name: str | None) -> ZoneInfo | None:
    """The time zone of this name; None if there is none, for example for `../../etc/passwd`.

    The name is looked for among those that are known, and no file is opened for any other.
    """
    return _known_zone(name) if name and name in zone_names() else None


def has_chosen_zone(cookies: Mapping[str, str]) -> bool:
    """Whether the zone of the request is the user's choice. If not, it is the browser's own."""
    return zone_named(cookies.get(VAR_TIME_ZONE)) is not None


def activate_own_zone(cookies: Mapping[str, str]) -> bool:
    """Activate the zone that a request's cookies name. The caller ends it with Django's `timezone.deactivate`.

    :returns: whether the cookies name one; without one, times are in UTC.
    """
    zone = zone_named(cookies.get(VAR_TIME_ZONE)) or zone_named(cookies.get(BROWSER_TIME_ZONE))
    if zone is not None:
        timezone.activate(zone)
    return zone is not None


def active_zone_name() -> str:
    """IANA's name of the zone in which times are written now."""
    return timezone.get_current_timezone_name()
