"""Walks through lists while rows come and go: what was there all the time is seen exactly once."""

from datetime import timedelta
from decimal import Decimal

import pytest
import rows
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from rows import NOON

from sandbox_api.energy.models import Charger, ChargingSession, Client
from sandbox_api.energy.views import ChargingSessionsView, ClientsView
from sandbox_api.lists.pages import read_page
from sandbox_api.lists.parameters import read_parameters

# Few values, so that many rows share one.
values = st.integers(0, 3)
changes = st.lists(st.tuples(st.sampled_from(["insert", "delete"]), values, st.integers(0, 50)), max_size=12)
walks = settings(max_examples=20, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])


def make_client(value):
    return Client.objects.create(
        name=f"Näme {value}", email=f"{value}@example.com", created_at=NOON + timedelta(microseconds=value)
    )


def make_session(value):
    return rows.make_session(
        Charger.objects.first() or rows.make_charger(),
        started_at=NOON + timedelta(seconds=value),
        # Values that binary fractions can't hold.
        energy_kwh=value * 0.1 + 0.2,
        cost=Decimal(value) / 10 + Decimal("0.07"),
    )


def pages(spec, found, **query):
    """Give page after page, each with its total, as a caller would fetch them."""
    cursor = ""
    while cursor is not None:
        parameters = read_parameters(query={**query, "cursor": cursor}, spec=spec, model=found.model)
        page = read_page(rows=found.all(), spec=spec, parameters=parameters)
        yield page
        cursor = page.next_cursor


@pytest.mark.django_db
@pytest.mark.parametrize(
    ("spec", "make", "sort"),
    [(ClientsView.spec, make_client, sort) for sort in ("-createdAt", "name")]
    + [(ChargingSessionsView.spec, make_session, sort) for sort in ("-energyKwh", "cost")],
)
@walks
@given(at_first=st.lists(values, max_size=14), steps=changes, limit=st.integers(1, 5))
def test_a_walk_sees_every_row_that_stays_exactly_once(spec, make, sort, at_first, steps, limit):
    model = Client if make is make_client else ChargingSession
    model.objects.all().delete()
    stable = {make(value).pk for value in at_first}
    seen, pending = [], list(steps)
    for page in pages(spec, model.objects, sort=sort, limit=str(limit)):
        assert len(page.rows) <= limit
        seen += [row.pk for row in page.rows]
        assert page.total == model.objects.count()
        for kind, value, pick in pending[:2]:
            if kind == "insert":
                make(value)
            elif ids := list(model.objects.order_by("pk").values_list("pk", flat=True)):
                gone = ids[pick % len(ids)]  # often the very row that the cursor was made from
                model.objects.filter(pk=gone).delete()
                stable.discard(gone)
        del pending[:2]
    assert len(seen) == len(set(seen))
    assert stable <= set(seen)


@pytest.fixture
def two_pages(energy):
    for value in (0, 1, 1, 2):
        make_client(value)
    return energy.get("/energy/clients?limit=2").json()


def test_a_cursor_is_not_taken_in_another_sort_order_or_list(energy, problem, two_pages):
    cursor = two_pages["nextCursor"]
    assert energy.get("/energy/clients", {"cursor": cursor}).status_code == 200
    for sort in ("name", "createdAt", "-name"):
        assert problem(energy.get("/energy/clients", {"cursor": cursor, "sort": sort}), 422, "cursor")
    assert problem(energy.get("/energy/stations", {"cursor": cursor}), 422, "cursor")


def test_a_changed_cursor_is_422(energy, problem, two_pages):
    cursor = two_pages["nextCursor"]
    for wrong in ("x", "é", "e30", "e30=", "W10", "bnVsbA"):
        assert problem(energy.get("/energy/clients", {"cursor": wrong}), 422, "cursor"), wrong
    for place in range(0, len(cursor), 3):
        changed = cursor[:place] + ("A" if cursor[place] != "A" else "B") + cursor[place + 1 :]
        assert problem(energy.get("/energy/clients", {"cursor": changed}), 422, "cursor"), place
