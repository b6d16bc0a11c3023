"""Meters: list and detail."""

from __future__ import annotations

from typing import TYPE_CHECKING

from django.shortcuts import render
from django.utils.translation import gettext_lazy as _
from django.views.decorators.http import require_safe

from apps.energy.presenters.meters import present_consumption, present_meter
from portal.config.wire_names import SORT_BY_NAME, SORT_BY_NAME_DESCENDING
from portal.services.energy.meters import MeterQueries
from portal.web.pages import AGE_SORTS, ListPageConfig
from portal.web.present import record_of

if TYPE_CHECKING:
    from django.http import HttpRequest, HttpResponse

METERS = ListPageConfig(
    title=_("Meters"),
    search_hint=_("Number or station"),
    sorts=AGE_SORTS | {SORT_BY_NAME: _("Number, ascending"), SORT_BY_NAME_DESCENDING: _("Number, descending")},
    present=present_meter,
    template="energy/meters/list.html",
)


@require_safe
def meter_list(request: HttpRequest) -> HttpResponse:
    """The list: the first page, or the page that the URL's cursor names."""
    return METERS.respond(request, MeterQueries.use_get_meters_query)


@require_safe
def meter_detail(request: HttpRequest, meter_id: str) -> HttpResponse:
    """One meter, with a chart of what it counted."""
    record = record_of(MeterQueries.use_get_meter_query(request, {"id": meter_id}))
    context = {"meter": present_meter(record), "chart": present_consumption(record)}
    return render(request, "energy/meters/detail.html", context)
