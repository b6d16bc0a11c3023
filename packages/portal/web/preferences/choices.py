"""The time zones of a select: one for each place that CLDR names, by continent, in the page's language."""

from __future__ import annotations

from functools import lru_cache
from typing import Final

from babel import Locale
from babel.core import get_global
from babel.dates import get_timezone_location
from django.utils.translation import gettext
from django.utils.translation import gettext_lazy as _

from portal.config.locales import LOCALES
from portal.web.preferences.time_zones import zone_names

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
