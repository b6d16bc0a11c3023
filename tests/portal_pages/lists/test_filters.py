"""Filters: which values of an address count, and which choices there are."""

from typing import Any

import pytest

from portal.services.operations.work_orders import WorkOrderStatus
from portal.web.present import Badge
from portal_pages.lists.filters import Filter, read_values, usable_counts

STATUS = Filter(
    "status",
    "Status",
    choices={WorkOrderStatus.IN_PROGRESS: Badge(label="In progress", tone="warn"), WorkOrderStatus.OPEN: "Open"},
)
CITY = Filter("city", "City", label_of=str.upper)
STATION = Filter("stationId", "Station", named_by="station_name")


@pytest.mark.parametrize(
    ("given", "read"),
    [
        ([" open ", "", "open", "done"], ("open", "done")),
        ([*map(str, range(1000))], tuple(map(str, range(20)))),
        (["x" * 101, "y" * 100], ("y" * 100,)),
        (["a\0b", "c\u2028d", "\x1b", "Köln", "a\u200db"], ("Köln", "a\u200db")),
    ],
)
def test_only_values_that_somebody_may_have_chosen_count(given: list[str], read: tuple[str, ...]) -> None:
    assert read_values(given) == read


def test_only_a_declared_choice_is_sent() -> None:
    assert STATUS.sent(["in_progress", "'; DROP TABLE", "open"]) == ["in_progress", "open"]
    assert CITY.sent(["Köln"]) == ["Köln"]
    assert STATION.sent(["sta_1"]) == ["sta_1"]


def test_declared_choices_stand_in_their_order_with_their_numbers_if_they_are_known() -> None:
    options = STATUS.options(chosen=["open"], counts={"open": 3, "done": 9})
    assert [(each.value, each.label, each.tone, each.count, each.is_chosen) for each in options] == [
        ("in_progress", "In progress", "warn", 0, False),
        ("open", "Open", "", 3, True),
    ]
    assert [each.count for each in STATUS.options(chosen=[], counts=None)] == [None, None]


def test_counted_choices_stand_by_their_words_and_a_chosen_one_is_always_there() -> None:
    options = CITY.options(chosen=["Ankara"], counts={"Zürich": 1, "Çorum": 2, "Dresden": 3})
    assert [(each.label, each.count) for each in options] == [
        ("ANKARA", 0),
        ("ÇORUM", 2),
        ("DRESDEN", 3),
        ("ZÜRICH", 1),
    ]


def test_a_backend_with_endless_choices_does_not_make_an_endless_page() -> None:
    assert len(CITY.options(chosen=[], counts={str(number): 1 for number in range(10_000)})) == 500


@pytest.mark.parametrize(
    ("answer", "counts"),
    [
        ({"status": {"open": 2, "": 7, "done": None, "odd": "3", "yes": True}}, {"status": {"open": 2}}),
        ({"status": ["open"], "city": {}}, {"city": {}}),
        (None, {}),
        (["status"], {}),
    ],
)
def test_what_is_no_number_is_left_out(answer: Any, counts: dict[str, Any]) -> None:
    assert usable_counts(answer) == counts
