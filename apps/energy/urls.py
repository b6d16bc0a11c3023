"""The energy app's URLs (contract, section 6)."""

from __future__ import annotations

from apps.energy.views.chargers import charger_detail, charger_list
from apps.energy.views.clients import client_delete, client_detail, client_edit, client_list, client_new
from apps.energy.views.meters import meter_detail, meter_list
from apps.energy.views.overview import overview
from apps.energy.views.sessions import session_detail, session_list
from apps.energy.views.stations import station_detail, station_list
from portal.web.pages import platform_page
from portal.web.urls import platform_patterns

handler400 = "portal.web.errors.failure_pages.bad_request"
handler403 = "portal.web.errors.failure_pages.permission_denied"
handler404 = "portal.web.errors.failure_pages.page_not_found"
handler500 = "portal.web.errors.failure_pages.server_error"

urlpatterns = platform_patterns(
    pages=[
        platform_page("energy", overview, name="home"),
        platform_page("energy/clients", client_list, name="clients"),
        platform_page("energy/clients/new", client_new, name="client-new"),
        platform_page("energy/clients/<str:client_id>", client_detail, name="client", part_of="clients"),
        platform_page("energy/clients/<str:client_id>/edit", client_edit, name="client-edit", part_of="clients"),
        platform_page("energy/clients/<str:client_id>/delete", client_delete, name="client-delete", part_of="clients"),
        platform_page("energy/stations", station_list, name="stations"),
        platform_page("energy/stations/<str:station_id>", station_detail, name="station", part_of="stations"),
        platform_page("energy/chargers", charger_list, name="chargers"),
        platform_page("energy/chargers/<str:charger_id>", charger_detail, name="charger", part_of="chargers"),
        platform_page("energy/sessions", session_list, name="sessions"),
        platform_page("energy/sessions/<str:session_id>", session_detail, name="session", part_of="sessions"),
        platform_page("energy/meters", meter_list, name="meters"),
        platform_page("energy/meters/<str:meter_id>", meter_detail, name="meter", part_of="meters"),
    ]
)
