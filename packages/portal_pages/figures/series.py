"""The points of a summary's series, as those of a chart: a day, a week or a month each."""

from collections.abc import Callable, Iterable, Mapping
from datetime import date
from functools import lru_cache
from types import MappingProxyType
from typing import Any

from django.utils.translation import get_language
from django.utils.translation import gettext as _

from portal.web.present import formats_of, month_and_year_text, month_text, number_text, short_day_text
from portal_pages.figures.charts import Point


def series_points(
    series: Iterable[Any],
    *,
    step: str,
    value: Callable[[Any], float],
    text: Callable[[Any], str],
    before: Mapping[date, Any] = MappingProxyType({}),
    hrefs: Mapping[date, str] = MappingProxyType({}),
) -> list[Point]:
    """A point of a chart for each of a series; those without a day are left out.

    :param series: each has its first day, `start`; it says whether it is under way, and whether the period cuts it off.
    :param step: what each stands for: `day`, `week` or `month`.
    :param before: the point that each is compared with, by the first day of the former.
    :param hrefs: where each leads, in the same way.
    """
    points = []
    for each in series:
        if each.start is None:
            continue
        label, short = _names(each.start, step)
        compared = before.get(each.start)
        points.append(
            Point(
                label=label,
                short=short,
                group=f"{each.start.year:04d}",
                value=value(each),
                text=text(each),
                note=_note(each, step),
                before=None if compared is None else value(compared),
                before_text="" if compared is None else text(compared),
                href=hrefs.get(each.start, ""),
            )
        )
    return points


def month_points(months: Iterable[tuple[str, float, str]]) -> list[Point]:
    """A point for each month: its code such as `2026-01`, the value, and the value as a text."""
    locale = get_language()
    named = ((_month_names(code, locale), value, text) for code, value, text in months)
    return [
        Point(label=label, short=short, group=group, value=value, text=text)
        for (label, short, group), value, text in named
    ]


def hour_points(hours: Iterable[tuple[int | None, int | None]]) -> list[Point]:
    """A point for each hour of the day: the hour, 0 to 23, and a number."""
    return [
        Point(label=f"{hour:02d}:00–{hour:02d}:59", short=f"{hour:02d}", value=number, text=number_text(number))
        for hour, number in ((hour or 0, number or 0) for hour, number in hours)
    ]


def sum_text(total: str, *, average: str = "", step: str = "") -> str:
    """The total of a series, and the average of its whole days, weeks or months; an empty one is left out."""
    if not average:
        return _("%(total)s in all") % {"total": total}
    words = {
        "day": _("%(total)s in all, %(average)s per full day"),
        "week": _("%(total)s in all, %(average)s per full week"),
        "month": _("%(total)s in all, %(average)s per full month"),
    }
    return words.get(step, words["day"]) % {"total": total, "average": average}


def _names(start: date, step: str) -> tuple[str, str]:
    if step == "month":
        return month_and_year_text(start), formats_of(get_language()).month(start.isoformat()[:7])
    day = formats_of(get_language()).day(start)
    return (_("Week from %(day)s") % {"day": day} if step == "week" else day), short_day_text(start)


def _note(point: Any, step: str) -> str:
    if point.is_under_way:
        words = {"day": _("day not over yet"), "week": _("week not over yet"), "month": _("month not over yet")}
        return words.get(step, words["day"])
    return _("only in part in this period") if point.is_cut else ""


@lru_cache(maxsize=512)
def _month_names(
    code: str,
    locale: str | None,  # noqa: ARG001  the active one: the same months are on each page
) -> tuple[str, str, str]:
    """A month's whole name, its short name, and its year; a code that is no month stands for itself."""
    short = month_text(code)
    if short == code:
        return code, code, ""
    return month_and_year_text(date.fromisoformat(f"{code}-01")), short, code[:4]
