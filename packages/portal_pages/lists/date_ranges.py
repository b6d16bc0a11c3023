"""Ranges of days: two days of the address, both inclusive, and the moments that the backend is asked for."""

from collections.abc import Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass
from datetime import UTC, date, datetime, time, timedelta, tzinfo
from functools import lru_cache
from typing import Final

from django.http import QueryDict
from django.utils import timezone
from django.utils.translation import gettext as _
from django.utils.translation import ngettext

from portal.config.contract_names import FROM_SUFFIX, TO_SUFFIX
from portal.web.present import LazyText
from portal.web.request import active_locale

_MAX_CHARS: Final = 20
_PRESET_DAYS: Final = (7, 30, 90)
_ONE_DAY: Final = timedelta(days=1)


@dataclass(frozen=True, slots=True)
class DateRange:
    """A range of days that a list offers: `DateRange("startedAt", _("Started"))`.

    :param field: of the wire; the backend takes `<field>From` and `<field>To`.
    :param calendar: whether its days are the same in every time zone, such as the day of an invoice. Else they are days
        in the user's zone.
    :param ahead: whether what matters lies ahead, such as a due day: then the presets are the days to come.
    """

    field: str
    label: LazyText
    calendar: bool = False
    ahead: bool = False

    @property
    def first_param(self) -> str:
        """The parameter of the first day."""
        return f"{self.field}{FROM_SUFFIX}"

    @property
    def last_param(self) -> str:
        """The parameter of the last day."""
        return f"{self.field}{TO_SUFFIX}"

    @property
    def zone(self) -> tzinfo:
        """The time zone of its days."""
        return UTC if self.calendar else timezone.get_current_timezone()


@dataclass(frozen=True, slots=True, kw_only=True)
class ChosenDays:
    """What the address says of one range.

    :param first_text: as it stands in the address, also if it is no day; so is `last_text`.
    :param error: what is wrong with it, for the user; then the list shows no rows.
    """

    range: DateRange
    first_text: str = ""
    last_text: str = ""
    first: date | None = None
    last: date | None = None
    error: str = ""

    @property
    def params(self) -> dict[str, datetime]:
        """The moments that the backend is asked for: from the first day's begin until the last day's end."""
        if self.error or not self.texts:
            return {}
        end = self.last and self.last + _ONE_DAY
        limits = {self.range.first_param: self.first, self.range.last_param: end}
        return {name: _midnight(day, self.range.zone) for name, day in limits.items() if day is not None}

    @property
    def texts(self) -> dict[str, str]:
        """The parameters of the address."""
        texts = {self.range.first_param: self.first_text, self.range.last_param: self.last_text}
        return {name: text for name, text in texts.items() if text}


def read_days(date_range: DateRange, values: QueryDict) -> ChosenDays:
    """The days of a range in an address."""
    first_text, last_text = (
        (values.get(name) or "").strip()[:_MAX_CHARS] for name in (date_range.first_param, date_range.last_param)
    )
    first, last = (_day(text, zone=date_range.zone) if text else None for text in (first_text, last_text))
    error = ""
    if (first_text and first is None) or (last_text and last is None):
        error = _("Enter days such as 2026-03-31.")
    elif first and last and first > last:
        error = _("The first day is after the last.")
    return ChosenDays(range=date_range, first_text=first_text, last_text=last_text, first=first, last=last, error=error)


def presets_of(date_range: DateRange, *, today: date | None = None) -> Sequence[tuple[str, date, date]]:
    """The ranges that one click chooses: label, first day and last day.

    :param today: in the range's zone; None for now.
    """
    day = today or datetime.now(tz=date_range.zone).date()
    return _presets(day, active_locale(), ahead=date_range.ahead)


# A day, and those beside it in other zones, in each language.
@lru_cache(maxsize=64)
def _presets(
    day: date,
    locale: str,  # noqa: ARG001  the key
    *,
    ahead: bool,
) -> Sequence[tuple[str, date, date]]:
    presets = [(_("Today"), day, day)]
    if not ahead:
        presets.append((_("Yesterday"), day - _ONE_DAY, day - _ONE_DAY))
    for days in _PRESET_DAYS:
        rest = timedelta(days=days - 1)
        if ahead:
            label = ngettext("Next %(num)s day", "Next %(num)s days", days) % {"num": days}
            presets.append((label, day, day + rest))
        else:
            label = ngettext("Last %(num)s day", "Last %(num)s days", days) % {"num": days}
            presets.append((label, day - rest, day))
    names = {"month": _("This month")}
    if ahead:
        names |= {"next-month": _("Next month"), "quarter": _("This quarter")}
    else:
        names |= {"last-month": _("Last month"), "last-quarter": _("Last quarter")}
    names["year"] = _("This year")
    spans = calendar_spans(day)
    presets += [(label, spans[key][0], spans[key][1] - _ONE_DAY) for key, label in names.items()]
    return tuple(presets)


def calendar_spans(day: date) -> Mapping[str, tuple[date, date]]:
    """Months, quarters and years about a day, by name: the first day of each, and the day after it."""
    quarter = -((day.month - 1) % 3)
    months = {
        "month": (0, 1),
        "last-month": (-1, 0),
        "next-month": (1, 2),
        "quarter": (quarter, quarter + 3),
        "last-quarter": (quarter - 3, quarter),
        "year": (1 - day.month, 13 - day.month),
        "12m": (-11, 1),
    }
    return {name: (_month_after(day, first), _month_after(day, end)) for name, (first, end) in months.items()}


def _month_after(day: date, months: int) -> date:
    """The first day of the month that is so many after that of a day; before it, where that is negative."""
    year, month = divmod(day.year * 12 + day.month - 1 + months, 12)
    return date(year, month + 1, 1)


def _day(text: str, *, zone: tzinfo) -> date | None:
    """The day of a text; None for any other text, and for a day whose begin or end no UTC time can write."""
    try:
        day = day_in(text)
        for limit in (day, day + _ONE_DAY) if day else ():
            _midnight(limit, zone)
    except (ValueError, OverflowError):
        return None
    return day


def day_in(text: str) -> date | None:
    """The day of a text as `<input type="date">` sends it; None for any other."""
    with suppress(ValueError):
        day = date.fromisoformat(text)
        # It takes weeks, and days without dashes, too.
        return day if day.isoformat() == text else None
    return None


def _midnight(day: date, zone: tzinfo) -> datetime:
    """The day's begin in a time zone, in UTC."""
    return datetime.combine(day, time.min, tzinfo=zone).astimezone(UTC)
