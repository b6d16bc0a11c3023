"""The energy app's URLs (contract, section 6)."""

from apps.energy.views.chargers import charger_pages
from apps.energy.views.clients import client_pages
from apps.energy.views.meters import meter_pages
from apps.energy.views.overview import now_page, overview
from apps.energy.views.sessions import session_pages
from apps.energy.views.station_map import station_map_page
from apps.energy.views.stations import station_pages
from portal.web.urls import HANDLERS
from portal_pages import platform_page
from portal_pages.urls import platform_patterns

handler400, handler403, handler404, handler500 = HANDLERS
urlpatterns = platform_patterns(
    pages=[
        platform_page("energy", overview, name="home"),
        now_page,
        *client_pages,
        # Before those of one station, whose id could be anything.
        station_map_page,
        *station_pages,
        *charger_pages,
        *session_pages,
        *meter_pages,
    ]
)
