"""What the owner of a browser has chosen for it, the time zone and the theme, and how any cookie is set and removed.

The language is the edge's. A preference is a cookie that all apps share, and no data of an account: it is there before
anybody signs in, and stays after the sign-out.
"""

from collections.abc import Mapping
from functools import cache, lru_cache
from typing import Final, Literal, TypeAlias, get_args
from zoneinfo import ZoneInfo, available_timezones

from babel import Locale
from babel.core import get_global
from babel.dates import get_timezone_location
from django.http import HttpResponseBase
from django.utils import timezone
from django.utils.translation import gettext
from django.utils.translation import gettext_lazy as _

from portal.config.cookies import BROWSER_TIME_ZONE, PREFERENCE_MAX_AGE_S, VAR_THEME, VAR_TIME_ZONE
from portal.config.current import portal_config
from portal.config.locales import LOCALES

SAME_SITE: Final = "Lax"
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


TTheme: TypeAlias = Literal["light", "dark"]
THEMES: Final[tuple[TTheme, ...]] = get_args(TTheme)


def theme_of(cookies: Mapping[str, str]) -> TTheme | None:
    """The theme that the user has chosen; None leaves it to the system."""
    sent = cookies.get(VAR_THEME)
    return next((theme for theme in THEMES if theme == sent), None)


def own_cookie(prefix: str) -> str:
    """The name of a preference of this app alone: `saved_views_energy`, under https with `__Host-` before it."""
    config = portal_config()
    return f"{'__Host-' if config.secure else ''}{prefix}{config.project.app}"


def write_preference(response: HttpResponseBase, name: str, value: str | None, *, is_own: bool = False) -> None:
    """Set the cookie of a preference for one year, on the cookie domain; None removes it.

    :param is_own: it is one of :func:`own_cookie`: of this host alone, and no script reads it.
    """
    if value is None:
        remove_cookie(response, name, is_own=is_own)
    else:
        set_cookie(response, name, value, max_age=PREFERENCE_MAX_AGE_S, scripts_read=not is_own, is_own=is_own)


def set_cookie(
    response: HttpResponseBase,
    name: str,
    value: str,
    *,
    max_age: int,
    scripts_read: bool = False,
    is_own: bool = False,
) -> None:
    """Set a cookie for every path, `SameSite=Lax`, and `Secure` where the gateway's address is https.

    :param max_age: seconds.
    :param scripts_read: whether scripts can read it.
    :param is_own: it is of this host alone; all apps share the others.
    """
    config = portal_config()
    response.set_cookie(
        name,
        value,
        max_age=max_age,
        path="/",
        domain=None if is_own else config.cookie_domain or None,
        secure=config.secure,
        httponly=not scripts_read,
        samesite=SAME_SITE,
    )


def remove_cookie(response: HttpResponseBase, name: str, *, is_own: bool = False) -> None:
    """Remove a cookie with the domain and path that it was set with."""
    config = portal_config()
    domain = None if is_own else config.cookie_domain or None
    response.delete_cookie(name, path="/", domain=domain, samesite=SAME_SITE)
    if config.secure:
        response.cookies[name]["secure"] = True


#: The first part of a zone's name, and its name on the page.
_CONTINENTS: Final = {
    "Europe": _("Europe"),
    "Africa": _("Africa"),
    "America": _("America"),
    "Antarctica": _("Antarctica"),
    "Arctic": _("Arctic"),
    "Asia": _("Asia"),
    "Atlantic": _("Atlantic"),
    "Australia": _("Australia"),
    "Indian": _("Indian Ocean"),
    "Pacific": _("Pacific"),
}


def zone_label(name: str, *, language: str) -> str:
    """The place of a zone, such as `Kalkutta`; UTC, and a zone of no place, by its name."""
    continent, _slash, _city = name.partition("/")
    if continent not in _CONTINENTS:
        return name
    return get_timezone_location(name, locale=Locale.parse(language, sep="-"), return_city=True)


@lru_cache(maxsize=len(LOCALES))
def zone_choices(language: str) -> tuple[tuple[str, tuple[tuple[str, str], ...]], ...]:
    """The continents, each with its zones, name and label, in the order of their labels.

    :param language: the active language.
    """
    found: dict[str, list[tuple[str, str]]] = {continent: [] for continent in _CONTINENTS}
    for name in get_global("zone_territories"):
        continent, _slash, city = name.partition("/")
        if city and continent in found and name in zone_names():
            found[continent].append((name, zone_label(name, language=language)))
    choices = tuple(
        (str(_CONTINENTS[continent]), tuple(sorted(zones, key=lambda zone: zone[1].casefold())))
        for continent, zones in found.items()
        if zones
    )
    return ((gettext("Everywhere the same"), (("UTC", "UTC"),)), *choices)
