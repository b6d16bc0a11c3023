"""Chargers: list and detail."""

from __future__ import annotations

from typing import TYPE_CHECKING

from django.shortcuts import render
from django.utils.translation import gettext_lazy as _
from django.views.decorators.http import require_safe

from apps.energy.presenters.chargers import present_charger
from portal.config.wire_names import SORT_BY_NAME, SORT_BY_NAME_DESCENDING, SORT_NEWEST_FIRST, SORT_OLDEST_FIRST
from portal.services.energy.chargers import MOST_POWER_FIRST, ChargerQueries, ChargersListParams
from portal.web.pages.list_pages import ListView
from portal.web.present.results import record_of

if TYPE_CHECKING:
    from django.http import HttpRequest, HttpResponse

CHARGERS = ListView(
    title=_("Chargers"),
    search_hint=_("Name or model"),
    template="energy/chargers/list.html",
    table_template="energy/chargers/table.html",
    sorts={
        SORT_NEWEST_FIRST: _("Newest first"),
        SORT_OLDEST_FIRST: _("Oldest first"),
        SORT_BY_NAME: _("Name, A to Z"),
        SORT_BY_NAME_DESCENDING: _("Name, Z to A"),
        MOST_POWER_FIRST: _("Most power first"),
    },
    present=present_charger,
)


@require_safe
def charger_list(request: HttpRequest) -> HttpResponse:
    """The list, or with a cursor one further page of it."""
    controls = CHARGERS.controls(request)
    params = ChargersListParams(q=controls.q or None, sort=controls.sort or None)
    result = ChargerQueries.use_get_chargers_query(request, params, cursor=controls.cursor or None)
    return CHARGERS.render(request, controls=controls, result=result)


@require_safe
def charger_detail(request: HttpRequest, charger_id: str) -> HttpResponse:
    """One of them."""
    record = record_of(ChargerQueries.use_get_charger_query(request, {"id": charger_id}))
    return render(request, "energy/chargers/detail.html", {"charger": present_charger(record)})
