"""`<list>/export`: the list with its search, filters and order, whole, as a file."""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace
from datetime import datetime, tzinfo
from hashlib import sha256
from operator import attrgetter
from typing import Any, Final, get_args

from django.http import HttpResponseBase, StreamingHttpResponse
from django.shortcuts import redirect
from django.urls import reverse
from django.utils import timezone
from django.utils.http import content_disposition_header
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy

from portal.query import Endpoint, QueryHook, Row, WalkedPage, field_types
from portal.web.errors import RETRY_AFTER_S, Failure, failure_response
from portal.web.frame import account_tag_of
from portal.web.request import PortalRequest, active_locale
from portal_pages.exports.csv_files import CsvFile, FileColumn, FileLayout, without_formula
from portal_pages.exports.export_slots import ExportSlot, Refusal, take_slot
from portal_pages.lists import LIST, ROW, Column, ListView, by_wire_names, selected_rows
from portal_pages.page_names import DeclaredPage, PageNames

#: Rows of a file of selected ones.
MAX_SELECTED: Final = 400
#: A script that asks with it gets the number of rows, and a mark at the end of a whole file.
_WATCHED_META: Final = "HTTP_PORTAL_EXPORT"
_ROWS_HEADER: Final = "Portal-Export-Rows"
_OWN: Final = Failure(
    status=429,
    title=gettext_lazy("Your other exports are still running"),
    text=gettext_lazy("Wait until one of them is done, or cancel it, and try again."),
    offers_retry=True,
    retry_after=RETRY_AFTER_S,
)
_REFUSALS: Final = {
    Refusal.OWN: _OWN,
    Refusal.PROCESS: replace(
        _OWN,
        status=503,
        title=gettext_lazy("Too many lists are being exported just now"),
        text=gettext_lazy("Please try again in a moment."),
    ),
}


@dataclass(frozen=True, kw_only=True, eq=False)
class ExportView(DeclaredPage):
    """The file of a list. `resource_pages` gives one to each list that declares columns.

    :param query: of one row, for a file of the rows that were selected; None where none can be.
    """

    methods = ("GET", "HEAD")

    list_view: ListView[Any]
    query: QueryHook[Any, ...] | None = None

    @property
    def shows(self) -> Endpoint[Any]:
        """The list."""
        return self.list_view.hook

    def respond(self, request: PortalRequest, pages: PageNames, **values: Any) -> HttpResponseBase:  # type: ignore[override]  # it streams
        """Begin the file; what fails before its first page has a page of its own.

        :raises portal.errors.ApiError: the first page can't be read.
        """
        controls = self.list_view.controls(request.GET)
        if controls.has_error or controls.left_out:  # the list says what is wrong, or is not offered
            return redirect(f"{reverse(pages.list)}?{request.GET.urlencode()}")
        user = account_tag_of(request.edge_user) or _tag_of_token(request)
        slot = take_slot(user)
        if isinstance(slot, Refusal):
            return failure_response(request, _REFUSALS[slot])
        try:
            return self._file(request, pages, slot, **values)
        except BaseException:
            slot.release()
            raise

    def _file(self, request: PortalRequest, pages: PageNames, slot: ExportSlot, **values: Any) -> StreamingHttpResponse:
        view = self.list_view
        params = {**view.controls(request.GET).params, **by_wire_names(view.hook.params, values)}
        walk: Iterator[WalkedPage[Any]] = self._selected(request) or view.hook.walk(request, params)
        first = next(walk)
        is_watched = request.META.get(_WATCHED_META) == "watched"
        zone = timezone.get_current_timezone()
        layout = FileLayout(
            columns=tuple(_file_columns(view.file_columns, row=view.hook.item, zone=zone)),
            locale=active_locale(),
            zone=zone,
            is_marked=is_watched,
        )
        chosen = next(
            (days for days in view.controls(request.GET).days if days.first and days.last and not days.error), None
        )
        of_days = "–".join(sorted({str(chosen.first), str(chosen.last)})) if chosen else str(timezone.localdate())
        name = f"{pages.title} {of_days}.csv"
        response = StreamingHttpResponse(
            CsvFile(walk, name=view.shows.key, first=first, layout=layout, slot=slot),
            content_type="text/csv; charset=utf-8",
            headers={"Content-Disposition": content_disposition_header(as_attachment=True, filename=name)},
        )
        # A proxy that keeps the file until it is whole would hide that the browser is gone.
        response["X-Accel-Buffering"] = "no"
        if is_watched and first.total is not None:
            response[_ROWS_HEADER] = str(first.total)
        if request.method == "HEAD":
            response.close()
        return response

    def _selected(self, request: PortalRequest) -> Iterator[WalkedPage[Any]] | None:
        """The rows that the address names; None where it names none."""
        ids = request.GET.getlist(ROW)[:MAX_SELECTED]
        if not ids or self.query is None:
            return None
        rows = selected_rows(self.list_view, request, self.query, ids, listed=request.GET.get(LIST, ""))
        return iter([WalkedPage(rows=tuple(rows), total=len(rows))])


def _tag_of_token(request: PortalRequest) -> str:
    """Stands for a user whose token names none."""
    pair = request.token_store.current
    return sha256((pair.refresh or pair.access or "").encode("utf-8", "surrogatepass")).hexdigest()[:32]


def _file_columns(columns: Mapping[str, Column], *, row: type[Any], zone: tzinfo) -> Iterator[FileColumn]:
    """The id of the row, by which programs tell rows apart, and the columns of the list."""
    yield FileColumn(heading=_("ID"), value=attrgetter("id"))
    types = field_types(row) if issubclass(row, Row) else {}
    times = {info.name for info in types.values() if datetime in {info.type, *get_args(info.type)}}
    for name, column in columns.items():
        label = f"{column.label} ({zone})" if name in times and column.value is None else str(column.label)
        yield FileColumn(heading=without_formula(label), value=column.value or attrgetter(name), words=column.words)
