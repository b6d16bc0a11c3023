"""The figures of a period: each is declared once, and is a tile that leads to its rows, and a chart."""

from __future__ import annotations

from dataclasses import dataclass, field
from decimal import Decimal
from typing import TYPE_CHECKING, Any, Final

from portal.web.present import (
    bar_chart,
    compared_tile,
    money_text,
    month_points,
    number_text,
    quantity_text,
    series_points,
    split_bar,
)
from portal_pages.lists import list_url

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Mapping

    from portal.web.present import Badge, BarChart, LazyText, ParamValue, SplitBar, StatTile
    from portal_pages.overviews.periods import PeriodChoice

#: From so much on, a chart is in thousands, if the unit has a name for them.
_MANY: Final = 10_000
_THOUSAND: Final = 1000
_THOUSANDS: Final = {"kWh": "MWh"}


@dataclass(frozen=True, slots=True, kw_only=True)
class Figure:
    """A figure of a period.

    ::

        Figure(label=_("Energy"), name="energy_kwh", unit="kWh", route="sessions", days="startedAt", icon="meters")

    :param label: the tile's text.
    :param name: the attribute that has it: in `current` and `before` of the summary, and in the points of its `series`.
    :param unit: stands behind the number. One of kWh is written in MWh where the values of a chart are large.
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
        href = list_url(self.route, **self.filters, **period.range_of(self.days)) if self.route else ""
        text = self._text(summary, unit=self.unit)
        return compared_tile(self.label, current, before=before, text=text, href=href, icon=self.icon)

    def chart(self, summary: Any, *, months: Iterable[Any] = ()) -> BarChart | None:
        """A bar for each day, week or month of the period; None without any.

        :param months: shown in place of them if the summary knows no period; each has a `month` such as `2026-01`.
        """
        series = list(summary.series if summary.period else months)
        values = [getattr(each, self.name) or 0 for each in series]
        in_thousands = self.unit in _THOUSANDS and max(values, default=0) >= _MANY
        unit = _THOUSANDS[self.unit] if in_thousands else self.unit
        written = self._text(summary, unit=unit, places=1 if in_thousands else 0)

        def value(each: Any) -> Any:
            number = getattr(each, self.name) or 0
            return number / _THOUSAND if in_thousands else number

        def height(each: Any) -> float:
            number = value(each)
            return float(number) if isinstance(number, Decimal) else number

        def text(each: Any) -> str:
            return written(value(each))

        if summary.period:
            points = series_points(series, step=summary.period.step, value=height, text=text)
        else:
            points = month_points((each.month, height(each), text(each)) for each in series)
        if self.is_money:
            return bar_chart(points, axis_text=lambda amount: written(Decimal(str(amount))))
        return bar_chart(points, unit=unit or self.counted)

    def _text(self, summary: Any, *, unit: str, places: int = 0) -> Callable[[Any], str]:
        if self.is_money:
            return money_of(summary)
        if unit:
            return lambda value: quantity_text(value, unit, places=places)
        return number_text


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
