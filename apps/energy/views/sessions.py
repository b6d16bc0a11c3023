"""Charging sessions: list and detail."""

from __future__ import annotations

from typing import TYPE_CHECKING

from django.shortcuts import render
from django.utils.translation import gettext_lazy as _
from django.views.decorators.http import require_safe

from apps.energy.presenters.sessions import present_session
from portal.config.wire_names import SORT_NEWEST_FIRST, SORT_OLDEST_FIRST
from portal.services.energy.sessions import (
    HIGHEST_COST_FIRST,
    MOST_ENERGY_FIRST,
    ChargingSessionQueries,
    ChargingSessionsListParams,
)
from portal.web.pages.list_pages import ListView
from portal.web.present.results import record_of

if TYPE_CHECKING:
    from django.http import HttpRequest, HttpResponse

SESSIONS = ListView(
    title=_("Charging sessions"),
    search_hint=_("Charger, client or city"),
    template="energy/sessions/list.html",
    table_template="energy/sessions/table.html",
    sorts={
        SORT_NEWEST_FIRST: _("Newest first"),
        SORT_OLDEST_FIRST: _("Oldest first"),
        MOST_ENERGY_FIRST: _("Most energy first"),
        HIGHEST_COST_FIRST: _("Highest cost first"),
    },
    present=present_session,
)


@require_safe
def session_list(request: HttpRequest) -> HttpResponse:
    """The list, or with a cursor one further page of it."""
    controls = SESSIONS.controls(request)
    params = ChargingSessionsListParams(q=controls.q or None, sort=controls.sort or None)
    result = ChargingSessionQueries.use_get_charging_sessions_query(request, params, cursor=controls.cursor or None)
    return SESSIONS.render(request, controls=controls, result=result)


@require_safe
def session_detail(request: HttpRequest, session_id: str) -> HttpResponse:
    """One of them."""
    record = record_of(ChargingSessionQueries.use_get_charging_session_query(request, {"id": session_id}))
    return render(request, "energy/sessions/detail.html", {"session": present_session(record)})
