"""Chargers: list and detail."""

from __future__ import annotations

from typing import TYPE_CHECKING

from django.shortcuts import render
from django.utils.translation import gettext_lazy as _
from django.views.decorators.http import require_safe

from apps.energy.presenters.chargers import present_charger
from portal.services.energy.chargers import MOST_POWER_FIRST, ChargerQueries
from portal.web.pages import AGE_SORTS, NAME_SORTS, ListPageConfig
from portal.web.present import record_of

if TYPE_CHECKING:
    from django.http import HttpRequest, HttpResponse

CHARGERS = ListPageConfig(
    title=_("Chargers"),
    search_hint=_("Name or model"),
    sorts=AGE_SORTS | NAME_SORTS | {MOST_POWER_FIRST: _("Most power first")},
    present=present_charger,
    template="energy/chargers/list.html",
)


@require_safe
def charger_list(request: HttpRequest) -> HttpResponse:
    """The list: the first page, or the page that the URL's cursor names."""
    return CHARGERS.respond(request, ChargerQueries.use_get_chargers_query)


@require_safe
def charger_detail(request: HttpRequest, charger_id: str) -> HttpResponse:
    """One charger."""
    record = record_of(ChargerQueries.use_get_charger_query(request, {"id": charger_id}))
    return render(request, "energy/chargers/detail.html", {"charger": present_charger(record)})
