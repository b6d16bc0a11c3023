"""Overviews: figures of the backend's summary, or the totals of its lists if it has no summary."""

from collections.abc import Callable, Iterable, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, field, replace
from datetime import date, datetime, timedelta
from decimal import Decimal
from http import HTTPStatus
from typing import Any, Final, Generic, TypeVar, cast

from django.http import HttpRequest, HttpResponse

from portal.errors import ApiAbsentError, ApiError, ApiUnauthorizedError, ApiUnavailableError
from portal.query import (
    PaginatedQueryHook,
    PaginatedResult,
    QueryHook,
    QuerySpec,
    Record,
    offers,
    use_queries,
    versions_of,
)
from portal.web import PortalRequest
from portal.web.context_processors import render_kept
from portal.web.present import (
    Badge,
    LazyText,
    ParamValue,
    has_answer,
    is_not_there,
    money_text,
    number_text,
    oldest_as_of,
    part_if_answered,
    quantity_text,
)
from portal_pages.figures import (
    BarChart,
    Point,
    SplitBar,
    StatTile,
    bar_chart,
    compared_tile,
    month_points,
    series_points,
    split_bar,
    sum_text,
)
from portal_pages.lists import list_url
from portal_pages.overviews.periods import PeriodChoice

#: An average below it has a decimal place.
_FEW: Final = 10
_DAY: Final = timedelta(days=1)


@dataclass(frozen=True, slots=True, kw_only=True)
class Figure:
    """A figure of a period.

    ::

        Figure(label=_("Energy"), name="energy_kwh", unit="kWh", route="sessions", days="startedAt", icon="meters")

    :param label: the tile's text.
    :param name: the attribute that has it: in `current` and `before` of the summary, and in the points of both series.
    :param unit: stands behind the number.
    :param is_money: whether it is an amount, in the summary's `currency`.
    :param counted: what a number without a unit counts; it stands above the axis of the chart.
    :param route: name of the URL of the list whose rows make the figure; empty for no link.
    :param days: the range of that list in which the period is, such as `startedAt`.
    :param filters: what else that list is narrowed to.
    :param icon: of the tile.
    """

    label: LazyText
    name: str
    unit: str = ""
    is_money: bool = False
    counted: LazyText = ""
    route: str = ""
    days: str = ""
    filters: Mapping[str, ParamValue] = field(default_factory=dict)
    icon: str = ""

    def tile(self, summary: Any, period: PeriodChoice) -> StatTile:
        """The figure beside that of the period before."""
        current, before = (getattr(each, self.name, None) for each in (summary.current, summary.before))
        href = self._rows(period) if self.route else ""
        return compared_tile(self.label, current, before=before, text=self._text(summary), href=href, icon=self.icon)

    def chart(self, summary: Any, *, period: PeriodChoice | None = None, months: Iterable[Any] = ()) -> BarChart | None:
        """A bar for each day, week or month of the period, up to today; None without any.

        :param period: whose days these are: then each bar leads to its rows.
        :param months: shown in place of them if the summary knows no period; each has a `month` such as `2026-01`.
        """
        written = self._text(summary)

        def height(each: Any) -> float:
            number = self._number(each)
            return float(number) if isinstance(number, Decimal) else number

        def text(each: Any) -> str:
            return written(self._number(each))

        if not summary.period:
            return self._drawn(month_points((each.month, height(each), text(each)) for each in months), written)
        series, before = summary.series, getattr(summary, "series_before", ())
        # Nothing is compared with nothing; and of another number of points nobody knows with which.
        is_compared = getattr(summary.before, self.name, None) and len(before) == len(series)
        pairs = zip(series, before, strict=True) if is_compared else ()
        series = [each for each in series if period is None or each.start is None or each.start <= period.last]
        points = series_points(
            series,
            step=summary.period.step,
            value=height,
            text=text,
            before={each.start: other for each, other in pairs if getattr(other, self.name) is not None},
            hrefs=self._hrefs(series, period) if period and self.route else {},
        )
        return self._drawn(points, written, summary=self._sum(summary, series))

    def _rows(self, period: PeriodChoice) -> str:
        """The address of the rows of a period."""
        return list_url(self.route, **self.filters, **period.range_of(self.days))

    def _number(self, point: Any) -> Any:
        return getattr(point, self.name) or 0

    def _drawn(self, points: list[Point], written: Callable[[Any], str], *, summary: str = "") -> BarChart | None:
        if self.is_money:
            return bar_chart(points, axis_text=lambda amount: written(Decimal(str(amount))), summary=summary)
        return bar_chart(points, unit=self.unit or self.counted, summary=summary)

    def _hrefs(self, series: list[Any], period: PeriodChoice) -> dict[date, str]:
        """The rows of each point, by its first day. A point ends before the next one, the last one with the period."""
        starts = [each.start for each in series if each.start is not None]
        firsts = [max(start, period.first) for start in starts]
        lasts = [*(first - _DAY for first in firsts[1:]), period.last]
        spans = zip(starts, firsts, lasts, strict=False)
        return {start: self._rows(replace(period, first=first, last=last)) for start, first, last in spans}

    def _sum(self, summary: Any, series: list[Any]) -> str:
        """The total of the period, and the average of those points that are whole."""
        total, average = getattr(summary.current, self.name, None), ""
        whole = [self._number(each) for each in series if not (each.is_under_way or each.is_cut)]
        # A backend may send numbers that nothing can be calculated with.
        with suppress(ArithmeticError):
            if len(whole) > 1:
                mean = sum(whole) / len(whole)
                average = self._text(summary, places=int(mean < _FEW))(mean)
        text = self._text(summary)
        return "" if total is None else sum_text(text(total), average=average, step=summary.period.step)

    def _text(self, summary: Any, *, places: int = 0) -> Callable[[Any], str]:
        if self.is_money:
            return money_of(summary)
        if self.unit:
            return lambda value: quantity_text(value, self.unit, places=places)
        return lambda value: number_text(value, places=places)


def money_of(summary: Any) -> Callable[[Decimal | None], str]:
    """Writes whole amounts in the currency of a summary; numbers alone, where it names none."""
    return lambda amount: money_text(amount, currency=summary.currency or "", places=0)


def rows_by(
    param: str, counts: Mapping[str, int | None], *, badges: Mapping[Any, Badge], route: str, **filters: ParamValue
) -> SplitBar | None:
    """A bar of a list's rows, divided by one of its filters; each part leads to its rows. None without any.

    :param param: the filter, by its name on the wire.
    :param route: name of the list's URL.
    :param filters: what else the list is narrowed to.
    """
    return split_bar(counts, badges=badges, href=lambda code: list_url(route, **{**filters, param: code}))


TSummary = TypeVar("TSummary", bound=Record)


@dataclass(frozen=True, kw_only=True)
class Count(Generic[TSummary]):
    """How many rows a list has, as a tile that links to it.

    ::

        Count(label=_("Orders"), route="orders", hook=OrderQueries.use_get_orders_query)

    :param route: name of the list's URL.
    :param hook: of the list. Its total is the number, if the summary has none.
    :param of: takes the number from the summary; then it has no tile beside figures. Else it is the list's total.
    :param icon: by default the one with the name of the route.
    """

    label: LazyText
    route: str
    hook: PaginatedQueryHook[Any, ...]
    of: Callable[[TSummary], int | None] | None = None
    icon: str = ""


@dataclass(frozen=True, kw_only=True)
class OverviewData(Generic[TSummary]):
    """What an overview has read.

    :param summary: the backend's; one without any figures if the backend has none.
    :param tiles: a tile for each figure, of a summary that knows the period.
    :param counts: a tile for each count.
    :param as_of: when the oldest of it was fetched.
    :param beside: the results of what was read beside it, in the order in which it was given.
    :param period: that the figures are of; None if the summary knows none.
    :param has_failed: whether the summary could not be loaded, and what was read beside it could.
    :param version: names all that was read; None where nothing does.
    """

    summary: TSummary
    tiles: tuple[StatTile, ...]
    counts: tuple[StatTile, ...]
    as_of: datetime | None
    beside: tuple[Any, ...] = ()
    period: PeriodChoice | None = None
    has_failed: bool = False
    version: tuple[object, ...] | None = None

    def respond(
        self, request: HttpRequest, template: str, context: Callable[[], Mapping[str, Any]] = dict
    ) -> HttpResponse:
        """The page. What was read before is not rendered again.

        :param context: makes what the template has beside `context`, of what was read, the address and the day.
        """
        own = cast("PortalRequest", request)
        return render_kept(own, template, lambda: {**self.context, **context()}, key=self.version)

    @property
    def context(self) -> dict[str, Any]:
        """What `portal/overview.html` shows by itself."""
        return {name: getattr(self, name) for name in ("period", "tiles", "counts", "as_of", "has_failed")}


def read_overview(
    request: HttpRequest,
    *,
    summary: QueryHook[TSummary, ...],
    counts: Sequence[Count[TSummary]] = (),
    figures: Sequence[Figure] = (),
    period: PeriodChoice | None = None,
    beside: Sequence[QuerySpec[Any]] = (),
) -> OverviewData[TSummary]:
    """Read the summary and the lists whose totals it does not have, side by side.

    The other lists are read where this user gets no summary. A list that fails has a dash, beside other figures; one
    that is not there has no tile. A summary that fails while something else was read leaves its place to a note.

    :param figures: of the period, which the summary has.
    :param period: that the summary is asked for, if it takes one.
    :param beside: what else to read at the same time; a failure of it is up to the page.
    :raises portal.errors.ApiError: nothing is to be had, or the user has to sign in again.
    """
    # By their places: a count may be the same as another one.
    is_missing = not offers(summary)
    always = [place for place, count in enumerate(counts) if count.of is None and offers(count.hook)]
    others = [place for place, count in enumerate(counts) if count.of is not None and offers(count.hook)]
    at_once = [*always, *others] if is_missing else always
    wanted = summary.spec(**period.params()) if period is not None else summary.spec()
    specs: list[QuerySpec[Any]] = [wanted, *(counts[place].hook.spec() for place in at_once), *beside]
    found, *results = use_queries(request, specs)
    if is_missing and all(isinstance(each.error, ApiAbsentError) for each in results):
        raise ApiAbsentError
    lists: dict[int, PaginatedResult[Any]] = dict(zip(at_once, results[: len(at_once)], strict=True))
    known: TSummary = summary.data()
    has_failed = False
    try:
        known = found.unwrap() or known
    except ApiUnauthorizedError:
        raise
    except ApiUnavailableError:
        if not any(has_answer(result) for result in results):
            raise
        has_failed = True
    except ApiError as error:
        # With any other answer the backend has no summary, or none for this user.
        has_failed = error.status == HTTPStatus.UNAUTHORIZED
    has_summary = known != summary.data()
    if not (has_failed or has_summary or is_missing):
        lists |= zip(others, use_queries(request, [counts[place].hook.spec() for place in others]), strict=True)
    totals = {place: part_if_answered(result) for place, result in lists.items()}
    if totals and not has_summary and not has_failed and all(rows is None for rows in totals.values()):
        lists[min(lists)].unwrap()

    shown = period if getattr(known, "period", None) is not None else None
    tiles = tuple(figure.tile(known, shown) for figure in figures) if shown else ()

    def is_offered(place: int, count: Count[TSummary]) -> bool:
        return not is_not_there(lists[place]) if place in lists else not tiles and offers(count.hook)

    def tile(place: int, count: Count[TSummary]) -> StatTile:
        rows = totals.get(place)
        number = rows.total if rows else None if place in totals else count.of and count.of(known)
        icon = count.icon or count.route
        return StatTile(label=count.label, value=number_text(number), route=count.route, icon=icon)

    return OverviewData(
        summary=known,
        tiles=tiles,
        counts=tuple(tile(place, count) for place, count in enumerate(counts) if is_offered(place, count)),
        period=shown,
        has_failed=has_failed,
        as_of=oldest_as_of(found, *lists.values()),
        beside=tuple(results[len(at_once) :]),
        version=versions_of(found, *lists.values(), *results[len(at_once) :]),
    )
