"""Charging sessions: list and detail."""

from __future__ import annotations

from typing import TYPE_CHECKING

from django.shortcuts import render
from django.utils.translation import gettext_lazy as _
from django.views.decorators.http import require_safe

from apps.energy.presenters.sessions import present_session
from portal.services.energy.sessions import HIGHEST_COST_FIRST, MOST_ENERGY_FIRST, ChargingSessionQueries
from portal.web.pages import AGE_SORTS, ListPageConfig
from portal.web.present import record_of

if TYPE_CHECKING:
    from django.http import HttpRequest, HttpResponse

SESSIONS = ListPageConfig(
    title=_("Charging sessions"),
    search_hint=_("Charger, client or city"),
    sorts=AGE_SORTS | {MOST_ENERGY_FIRST: _("Most energy first"), HIGHEST_COST_FIRST: _("Highest cost first")},
    present=present_session,
    template="energy/sessions/list.html",
)


@require_safe
def session_list(request: HttpRequest) -> HttpResponse:
    """The list: the first page, or the page that the URL's cursor names."""
    return SESSIONS.respond(request, ChargingSessionQueries.use_get_charging_sessions_query)


@require_safe
def session_detail(request: HttpRequest, session_id: str) -> HttpResponse:
    """One charging session."""
    record = record_of(ChargingSessionQueries.use_get_charging_session_query(request, {"id": session_id}))
    return render(request, "energy/sessions/detail.html", {"session": present_session(record)})
