"""Every state of every overview."""

from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field
from itertools import cycle
from typing import Any

from apps.energy.views.overview import COUNTS as ENERGY_COUNTS
from apps.finance.views.overview import COUNTS as FINANCE_COUNTS
from portal.testing import page_of
from portal_pages import Count
from tests.support.every_page.acts import Act, answers, at, fails, journey, refuses
from tests.support.every_page.cases import RELOAD, Case
from tests.support.every_page.rows import HOSTILE_TEXT, INVOICES, ODD_VALUES, WORK_ORDERS


def counted(counts: Iterable[Count[Any]]) -> tuple[str, ...]:
    """The paths of the lists that an overview counts."""
    return tuple(count.hook.path_shape for count in counts)


PERIOD = {"start": "2025-12-01T00:00:00Z", "end": "2026-02-01T00:00:00Z", "timeZone": "UTC", "step": "month"}
#: The points of a series: one that the period cuts, and one that goes on.
POINTS: list[dict[str, Any]] = [
    {"start": "2025-12-01", "isCut": True, "isUnderWay": False},
    {"start": "2026-01-01", "isCut": False, "isUnderWay": True},
]
#: In place of the texts and the numbers of a summary, in turn.
HOSTILE_VALUES = (HOSTILE_TEXT, "<b>", 10**400, '"><x-hostile>', -5, "NaN", "' onmouseover='", "1e999999", "9999-12-31")
MONTHS = [f"2025-{month:02d}" for month in range(1, 13)]


def hostile(summary: dict[str, Any], first: int) -> dict[str, Any]:
    """Return the summary with a hostile value for each text and number, from this one on, and hostile keys and items."""
    values = cycle((*HOSTILE_VALUES[first:], *HOSTILE_VALUES[:first]))

    def changed(value: Any) -> Any:
        if isinstance(value, dict):
            return {**{name: changed(each) for name, each in value.items()}, HOSTILE_TEXT: 7, '"><x-hostile>': "<b>"}
        if isinstance(value, list):
            return [*map(changed, value[:3]), "<b>", None, *value[:1]]
        return next(values)

    made: dict[str, Any] = changed(summary)
    return made


@dataclass(frozen=True, kw_only=True)
class OverviewPage:
    """An overview.

    :param path: of the page; the backend's summary is below it.
    :param summary: the whole summary.
    :param state: what changes from minute to minute.
    :param lists: the lists that the page reads, whether or not there is a summary.
    """

    app: str
    path: str
    summary: dict[str, Any]
    lists: tuple[str, ...]
    state: dict[str, Any] | None = None
    rows: list[dict[str, Any]] = field(default_factory=lambda: [{"id": "row_0"}])


OVERVIEWS = (
    OverviewPage(
        app="energy",
        path="/energy",
        summary={
            "counts": {"clients": 1234567, "stations": 12, "chargers": 0, "sessions": 1, "meters": None},
            "energyByMonth": [{"month": month, "energyKwh": 1000.5 * number} for number, month in enumerate(MONTHS)],
            "sessionsByHour": [{"hour": hour, "sessions": hour * 7} for hour in range(24)],
            "chargersByStatus": {"available": 7, "charging": 2, "faulted": 1, "unavailable": 0, "other": 3},
            "currency": "EUR",
            "period": PERIOD,
            "current": {"energyKwh": 120.5, "sessions": 12, "revenue": "60.25"},
            "before": {"energyKwh": 100.0, "sessions": 24, "revenue": "0.00"},
            "series": [{**point, "energyKwh": 60.25, "sessions": 6, "revenue": "30.00"} for point in POINTS],
            "seriesBefore": [{**point, "energyKwh": 60.25, "sessions": 6, "revenue": "30.00"} for point in POINTS],
            "sessionsByLocalHour": [{"hour": hour, "sessions": hour} for hour in range(24)],
        },
        state={
            "chargersByStatus": {"available": 7, "faulted": 6},
            "metersByStatus": {"online": 1, "offline": 1},
            "faultedChargers": [{"id": "chg_1", "name": "Oslo 1", "stationName": "Oslo"}, {"id": "chg_2"}],
        },
        lists=counted(ENERGY_COUNTS),
    ),
    OverviewPage(
        app="operations",
        path="/operations",
        summary={
            "total": 4321,
            "byStatus": {"open": 7, "in_progress": 2, "done": 4311, "cancelled": 1, "other": 3},
            "unfinishedByPriority": {"low": 1, "normal": 0, "high": 3, "urgent": 5},
            "byMonth": [{"month": month, "created": number * 11} for number, month in enumerate(MONTHS)],
            "period": PERIOD,
            "current": {"created": 5, "completed": 0},
            "before": {"created": 5, "completed": 3},
            "series": [{**point, "created": 3, "completed": 1} for point in POINTS],
            "seriesBefore": [{**point, "created": 3, "completed": 1} for point in POINTS],
            "late": {"fromDay": None, "toDay": "2026-01-14", "count": 1},
            "unfinishedByAge": [{"fromDay": "2026-01-01", "toDay": None, "count": 4}, {"count": 2}],
        },
        lists=("/operations/work-orders",),
        rows=[*WORK_ORDERS.ordinary(3), *WORK_ORDERS.hostile()[:2]],
    ),
    OverviewPage(
        app="finance",
        path="/finance",
        summary={
            "total": 4321,
            "currency": "EUR",
            "byStatus": [
                {"status": "draft", "count": 1, "amount": "10.00"},
                {"status": "paid", "count": 20, "amount": "1234567.89"},
                {"status": "sent", "count": 3, "amount": "99.50"},
                {"status": "overdue", "count": 4, "amount": None},
                {"status": "other", "count": 1, "amount": "1"},
            ],
            "byMonth": [
                {"month": month, "invoiced": f"{number * 1000}.50", "paid": f"{number * 900}.00"}
                for number, month in enumerate(MONTHS)
            ],
            "period": PERIOD,
            "current": {"invoiced": "20.50", "paid": "0.00"},
            "before": {"invoiced": "1.00", "paid": "3.00"},
            "series": [{**point, "invoiced": "10.25", "paid": "0.00"} for point in POINTS],
            "seriesBefore": [{**point, "invoiced": "10.25", "paid": "0.00"} for point in POINTS],
            "outstanding": {"count": 7, "amount": "199.50"},
            "overdueByAge": [{"fromDay": "2026-01-01", "toDay": None, "count": 4, "amount": "100.00"}, {"count": 0}],
        },
        lists=counted(FINANCE_COUNTS),
        rows=INVOICES.ordinary(3),
    ),
)


def overview_cases() -> Iterator[Case]:
    """The overviews."""
    for page in OVERVIEWS:
        states: dict[str, object] = {
            "the summary": page.summary,
            "a part of the summary": dict([*page.summary.items()][::3]),
            "an empty summary": {},
            **{f"a hostile summary {first}": hostile(page.summary, first) for first in (0, 4)},
            **{f"an odd summary, {name}": dict.fromkeys(page.summary, odd) for name, odd in ODD_VALUES.items()},
            "lists in place of the summary": None,
        }
        opened, down = at(page.path), fails("malformed")
        for name, summary in states.items():
            yield Case(site=page.app, name=f"overview, {name}", steps=journey(*_told(page, summary), opened))
        for state in (page.state, hostile(page.state, 1)) if page.state else ():
            told = answers("GET", f"{page.path}/state", json=state)
            steps = journey(told, *_told(page, page.summary), opened)
            yield Case(site=page.app, name=f"overview, state {len(str(state))}", steps=steps)
        for query in ("from=2026-01-01&to=2026-01-31", "from=%22%3E%3Cx-hostile%3E&to=never"):
            steps = journey(*_told(page, page.summary), at(f"{page.path}?{query}"))
            yield Case(site=page.app, name=f"overview, {query}", steps=steps)
        later = journey(*_told(page, page.summary), opened, down, at(page.path, **RELOAD))
        for name, status, steps in (
            ("empty lists", 200, journey(*_told(page, None, rows=[], total=0), opened)),
            ("outage after it was shown", 200, later),
            ("outage", 503, journey(down, opened)),
        ):
            yield Case(site=page.app, name=f"overview, {name}", steps=steps, status=status)


def _told(
    page: OverviewPage, summary: object, *, rows: list[dict[str, Any]] | None = None, total: int = 1234
) -> Iterator[Act]:
    """What the backend says of the lists and as the summary, which it may not have."""
    for path in page.lists:
        yield answers("GET", path, json={**page_of(page.rows if rows is None else rows), "total": total})
    path = f"{page.path}/summary"
    yield refuses("GET", path, status=404) if summary is None else answers("GET", path, json=summary)
