"""Time zone and theme: cookies of the browser, which all apps read. POST `/locale` alone writes the language."""

from zoneinfo import ZoneInfo

from django.contrib import messages
from django.http import HttpResponse
from django.urls import reverse
from django.utils import timezone
from django.utils.translation import gettext as _
from django.views.decorators.http import require_POST

from portal.config.cookies import BROWSER_TIME_ZONE, VAR_THEME, VAR_TIME_ZONE
from portal.web import PortalRequest, active_locale, see_other
from portal.web.preferences import THEMES, theme_of, write_preference, zone_choices, zone_label, zone_named

#: The value of a choice that leaves it to the browser or the system.
OWN = ""


def preference_choices(request: PortalRequest) -> dict[str, object]:
    """What can be chosen, in the page's language, and what is.

    `zones` are by continent, each with name and label: all of them, or those with the hour that it is now for the user.
    An empty `zone` or `theme` is that of the browser, or of the system; `browsers_zone` is empty as long as the browser
    has not told its own.
    """
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
    return {
        "zones": [each for each in zones if each[1]],
        "has_all_zones": has_all,
        "zone": zone,
        "browsers_zone": zone_label(browsers, language=language) if browsers and zone_named(browsers) else "",
        "themes": [(OWN, _("As my system")), *((theme, labels[theme]) for theme in THEMES)],
        "theme": theme_of(request.COOKIES) or OWN,
    }


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
