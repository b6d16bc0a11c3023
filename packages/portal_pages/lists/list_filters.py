"""The filters and ranges of a list as its page shows them: chips, menus, presets, and what each leads to."""

from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any, Final

from django.utils.translation import gettext as _

from portal.errors import ApiNotFoundError
from portal.query import QueryResult
from portal.web.present import LazyText, day_text
from portal_pages.lists.controls import ListControls
from portal_pages.lists.date_ranges import ChosenDays, DateRange, presets_of
from portal_pages.lists.filters import Filter, Option, usable_counts


@dataclass(frozen=True, slots=True, kw_only=True)
class ShownFilter:
    """A filter with its choices.

    :param is_menu: whether its choices stand in a menu, since they may be many.
    :param options: of a menu whose choices are not here, those that are chosen.
    :param is_open: whether the address asks for the choices of this menu.
    :param menu_url: the page that has the choices; empty where they are here.
    """

    param: str
    label: str
    is_menu: bool
    options: Sequence[Option]
    is_open: bool = False
    menu_url: str = ""

    @property
    def chosen(self) -> int:
        """How many choices are chosen."""
        return sum(option.is_chosen for option in self.options)


@dataclass(frozen=True, slots=True, kw_only=True)
class Preset:
    """A range that one click chooses."""

    label: LazyText
    url: str
    is_current: bool


@dataclass(frozen=True, slots=True, kw_only=True)
class ShownRange:
    """A range of days with its two fields and its presets.

    :param menu_url: the page that has the fields and the presets; empty where they are here.
    """

    days: ChosenDays
    presets: Sequence[Preset]
    menu_url: str

    @property
    def is_open(self) -> bool:
        """Whether the address asks for them."""
        return not self.menu_url


@dataclass(frozen=True, slots=True, kw_only=True)
class Chip:
    """Something that narrows the list and can be taken away.

    :param url: the list without it.
    :param is_ignored: whether the backend is not asked for it, since the list does not know it.
    """

    label: str
    text: str
    url: str
    is_ignored: bool = False


@dataclass(frozen=True, slots=True, kw_only=True)
class ShownFilters:
    """All that narrows a list, or could.

    :param chips: what is chosen and has no chip of its own among `filters`.
    :param hidden: parameters of the address that no control of the form sends.
    :param clear_url: the list without any filter; empty if there is none.
    :param have_failed: the backend was asked how many rows have which value, and did not say.
    :param in_words: what is chosen: `Status: Open, Done`.
    """

    filters: Sequence[ShownFilter]
    ranges: Sequence[ShownRange]
    chips: Sequence[Chip]
    hidden: Sequence[tuple[str, str]]
    clear_url: str
    have_failed: bool
    in_words: Sequence[str]

    @property
    def number(self) -> int:
        """How many filters are chosen."""
        return len(self.in_words)


#: The parameters of the search text and of the order.
SEARCH_TEXT: Final = "q"
SORT: Final = "sort"


def not_known(ignored: Collection[str], *, filters: Sequence[Filter], ranges: Sequence[DateRange]) -> Iterator[str]:
    """Yield the names that people have for parameters of a list, such as those that the backend did not follow."""
    for param, text in ((SEARCH_TEXT, _("Search")), (SORT, _("Sorting"))):
        if param in ignored:
            yield text
    yield from (str(each.label) for each in filters if each.param in ignored)
    yield from (str(each.label) for each in ranges if not {each.first_param, each.last_param}.isdisjoint(ignored))


def shown_filters(
    controls: ListControls,
    *,
    path: str,
    counts: QueryResult[Any] | None,
    names: Mapping[tuple[str, str], str],
    unknown: Collection[str],
    can_count: bool,
) -> ShownFilters:
    """The filters of one page of a list.

    :param counts: how many rows have which value; None if that was not asked.
    :param names: what related rows are called, by parameter and id.
    :param unknown: parameters that no control offers.
    :param can_count: whether the backend can be asked for the choices of a menu.
    """
    chips = [*_chips_of_values(controls, path=path, names=names, unknown=unknown), *_chips_of_days(controls, path=path)]
    known = None if counts is None or counts.data is None else usable_counts(counts.data)
    is_gone = counts is not None and isinstance(counts.error, ApiNotFoundError)

    def offered(each: Filter, values: Sequence[str]) -> ShownFilter:
        is_open = each.is_menu and each.param == controls.menu
        is_elsewhere = can_count and each.is_menu and not (is_open and (is_gone or known is not None))
        return ShownFilter(
            param=each.param,
            label=str(each.label),
            is_menu=each.is_menu,
            options=each.options(
                chosen=values,
                counts=None if known is None else known.get(each.param),
                names={value: name for (param, value), name in names.items() if param == each.param},
            ),
            is_open=is_open,
            menu_url=controls.url(path, menu=each.param) if is_elsewhere else "",
        )

    filters = [
        offered(each, values) for each, values in controls.values if not each.is_related and each.param not in unknown
    ]
    return ShownFilters(
        filters=[each for each in filters if each.options or each.is_open or each.menu_url],
        ranges=[
            _shown_range(days, controls, path=path)
            for days in controls.days
            if {days.range.first_param, days.range.last_param}.isdisjoint(unknown)
        ],
        chips=chips,
        hidden=[
            (each.param, value)
            for each, values in controls.values
            for value in values
            if each.param in unknown or _is_hidden(each, value)
        ],
        clear_url=replace(controls, values=(), days=()).url(path) if controls.is_narrowed else "",
        # A backend that does not count at all lacks nothing.
        have_failed=counts is not None and known is None and not is_gone,
        in_words=list(_in_words(filters, chips)),
    )


def _in_words(filters: Iterable[ShownFilter], chips: Iterable[Chip]) -> Iterator[str]:
    for each in filters:
        if each.chosen and not each.is_menu:
            yield f"{each.label}: {', '.join(option.label for option in each.options if option.is_chosen)}"
    yield from (f"{chip.label}: {chip.text}" for chip in chips if not chip.is_ignored)


def _is_hidden(each: Filter, value: str) -> bool:
    """Whether a value stands among no choices."""
    return each.is_related or (not each.is_menu and value not in each.codes)


def _chips_of_values(
    controls: ListControls, *, path: str, names: Mapping[tuple[str, str], str], unknown: Collection[str]
) -> Iterator[Chip]:
    for each, values in controls.values:
        for value in values:
            if each.is_menu or each.param in unknown or _is_hidden(each, value):
                yield Chip(
                    label=str(each.label),
                    text=names.get((each.param, value)) or each.word(value),
                    url=controls.without(each.param, value).url(path),
                    is_ignored=not each.sent([value]),
                )


def _chips_of_days(controls: ListControls, *, path: str) -> Iterator[Chip]:
    for days in controls.days:
        if days.texts:
            yield Chip(
                label=str(days.range.label),
                text=_days_text(days),
                url=controls.with_days(ChosenDays(range=days.range)).url(path),
                is_ignored=bool(days.error),
            )


def _days_text(days: ChosenDays) -> str:
    first, last = (
        day_text(day) if day else text for day, text in ((days.first, days.first_text), (days.last, days.last_text))
    )
    if first == last:
        return first
    if first and last:
        return f"{first} – {last}"
    return _("from %(day)s") % {"day": first} if first else _("until %(day)s") % {"day": last}


def _shown_range(days: ChosenDays, controls: ListControls, *, path: str) -> ShownRange:
    each = days.range
    is_open = bool(days.error) or controls.menu == each.field
    return ShownRange(
        days=days,
        presets=[
            Preset(
                label=label,
                url=controls.with_days(ChosenDays(range=each, first_text=str(first), last_text=str(last))).url(path),
                is_current=(days.first, days.last) == (first, last),
            )
            for label, first, last in (presets_of(each) if is_open else ())
        ],
        menu_url="" if is_open else controls.url(path, menu=each.field),
    )
