"""Meters: list and detail."""

from __future__ import annotations

from typing import TYPE_CHECKING

from django.shortcuts import render
from django.utils.translation import gettext_lazy as _
from django.views.decorators.http import require_safe

from apps.energy.presenters.meters import present_consumption, present_meter
from portal.config.wire_names import SORT_BY_NAME, SORT_BY_NAME_DESCENDING, SORT_NEWEST_FIRST, SORT_OLDEST_FIRST
from portal.services.energy.meters import MeterQueries, MetersListParams
from portal.web.frame.shell import active_locale
from portal.web.pages.list_pages import ListView
from portal.web.present.charts import bar_chart
from portal.web.present.formats import number_text
from portal.web.present.results import record_of

if TYPE_CHECKING:
    from django.http import HttpRequest, HttpResponse

METERS = ListView(
    title=_("Meters"),
    search_hint=_("Number or station"),
    template="energy/meters/list.html",
    table_template="energy/meters/table.html",
    sorts={
        SORT_NEWEST_FIRST: _("Newest first"),
        SORT_OLDEST_FIRST: _("Oldest first"),
        SORT_BY_NAME: _("Number, ascending"),
        SORT_BY_NAME_DESCENDING: _("Number, descending"),
    },
    present=present_meter,
)


@require_safe
def meter_list(request: HttpRequest) -> HttpResponse:
    """The list, or with a cursor one further page of it."""
    controls = METERS.controls(request)
    params = MetersListParams(q=controls.q or None, sort=controls.sort or None)
    result = MeterQueries.use_get_meters_query(request, params, cursor=controls.cursor or None)
    return METERS.render(request, controls=controls, result=result)


@require_safe
def meter_detail(request: HttpRequest, meter_id: str) -> HttpResponse:
    """One of them."""
    record = record_of(MeterQueries.use_get_meter_query(request, {"id": meter_id}))
    points = present_consumption(record, locale=active_locale())
    chart = bar_chart(points, axis_text=lambda value: number_text(value, locale=active_locale()))
    return render(request, "energy/meters/detail.html", {"meter": present_meter(record), "chart": chart})
