"""Time zone and theme: cookies of the browser, which all apps read. POST `/locale` alone writes the language."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING
from zoneinfo import ZoneInfo

from django.contrib import messages
from django.urls import reverse
from django.utils import timezone
from django.utils.translation import gettext as _
from django.views.decorators.http import require_POST

from portal.config.cookies import BROWSER_TIME_ZONE, VAR_THEME, VAR_TIME_ZONE
from portal.web import active_locale, see_other
from portal.web.preferences import THEMES, theme_of, write_preference, zone_choices, zone_label, zone_named

if TYPE_CHECKING:
    from collections.abc import Sequence

    from django.http import HttpResponse

    from portal.web import PortalRequest

#: The value of a choice that leaves it to the browser or the system.
OWN = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class PreferenceChoices:
    """What can be chosen, and what is.

    :param zones: by continent: name and label.
    :param has_all_zones: whether they are all; else those with the hour that it is now for the user.
    :param zone: what is chosen; empty for the browser's own.
    :param browsers_zone: a label; empty as long as the browser has not told its zone.
    :param themes: value and label.
    :param theme: what is chosen; empty for the system's own.
    """

    zones: Sequence[tuple[str, Sequence[tuple[str, str]]]]
    has_all_zones: bool
    zone: str
    browsers_zone: str
    themes: Sequence[tuple[str, str]]
    theme: str


def preference_choices(request: PortalRequest) -> PreferenceChoices:
    """The choices in the page's language."""
    language = active_locale()
    zone = request.COOKIES.get(VAR_TIME_ZONE, "")
    zone = zone if zone_named(zone) else OWN
    has_all, now = request.GET.get("zones") == "all", timezone.localtime()

    def fits(name: str) -> bool:
        return has_all or now.astimezone(ZoneInfo(name)).utcoffset() == now.utcoffset()

    zones = tuple((place, tuple(each for each in given if fits(each[0]))) for place, given in zone_choices(language))
    known = {name for _continent, choices in zones for name, _label in choices}
    if zone not in {OWN, *known}:
        # Another name of a place, or UTC, which a former version may have written.
        zones = (*zones, (_("Other"), ((zone, zone_label(zone, language=language)),)))
    browsers = request.COOKIES.get(BROWSER_TIME_ZONE)
    labels = {"light": _("Light"), "dark": _("Dark")}
    return PreferenceChoices(
        zones=[each for each in zones if each[1]],
        has_all_zones=has_all,
        zone=zone,
        browsers_zone=zone_label(browsers, language=language) if browsers and zone_named(browsers) else "",
        themes=[(OWN, _("As my system")), *((theme, labels[theme]) for theme in THEMES)],
        theme=theme_of(request.COOKIES) or OWN,
    )


@require_POST
def save_preferences(request: PortalRequest) -> HttpResponse:
    """Keep what was chosen in this browser. A value that is no choice changes nothing, and nothing is said."""
    sent, response = request.POST, see_other(reverse("profile"))
    zone, theme = sent.get("timeZone"), sent.get("theme")
    is_zone, is_theme = zone == OWN or bool(zone_named(zone)), theme == OWN or theme in THEMES
    if is_zone:
        write_preference(response, VAR_TIME_ZONE, zone or None)
    if is_theme:
        write_preference(response, VAR_THEME, theme or None)
    if is_zone and is_theme:
        messages.success(request, _("Your settings are saved in this browser."))
    return response
