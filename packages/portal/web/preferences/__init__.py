"""What the owner of a browser has chosen for it: the time zone and the theme. The language is the edge's.

::

    choices               the time zones of a select, by continent, with their cities in the page's language
      time_zones          the zone of a request, active while the request lasts
    preference_cookies    writes and removes the cookie of a preference; the theme of a request

A preference is a cookie that all apps share, and no data of an account: it is there before anybody signs in, and stays
after the sign-out.
"""

from __future__ import annotations

from portal.web.preferences.choices import zone_choices, zone_label
from portal.web.preferences.preference_cookies import THEMES, theme_of, write_preference
from portal.web.preferences.time_zones import activate_own_zone, active_zone_name, has_chosen_zone, zone_named
