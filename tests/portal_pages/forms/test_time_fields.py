"""Times in forms are shown and typed in the user's zone, also in the hour that comes twice and the one that there is not."""

import re
from datetime import UTC, datetime, timedelta, timezone
from zoneinfo import ZoneInfo

import pytest
from django.utils import timezone as timezones

from portal_pages.forms.forms import BackendForm
from tests.portal_pages.payments import ROW, SENT, Payment, PaymentForm, valid_form


def test_a_time_that_utc_has_no_year_for_is_left_empty() -> None:
    row = Payment(received_at=datetime(1, 1, 1, tzinfo=timezone(timedelta(hours=9))))
    assert "value=" not in str(PaymentForm(row=row)["received_at"])


def test_a_time_is_shown_and_typed_in_the_users_own_zone_which_the_hint_names() -> None:
    with timezones.override(ZoneInfo("Asia/Kolkata")):
        field = PaymentForm(row=ROW)["received_at"]
        assert 'value="2026-03-01T15:50:30"' in str(field)
        assert field.help_text == "Time zone: Asia/Kolkata"
        assert valid_form(receivedAt="2026-03-01T15:50:30").body().fields["received_at"] == ROW.received_at
    assert PaymentForm(row=ROW)["received_at"].help_text == "Time zone: UTC"


#: 2:30 in Berlin, on the night in which the clocks go back: before, and after they do.
FIRST, SECOND = datetime(2026, 10, 25, 0, 30, tzinfo=UTC), datetime(2026, 10, 25, 1, 30, tzinfo=UTC)


class ReceiptForm(BackendForm[Payment]):
    class Meta:
        fields = {"payer": "Payer", "received_at": "Received"}


def sent_form(row: Payment, *, zone: str = "Europe/Berlin", **typed: str) -> ReceiptForm:
    """The form of a row as a browser sends it, with its hidden fields."""
    with timezones.override(ZoneInfo(zone)):
        html = "".join(str(field) for field in ReceiptForm(row=row))
    form = ReceiptForm({**dict(re.findall(r'name="([^"]*)" value="([^"]*)"', html)), **typed})
    assert form.is_valid(), form.errors
    return form


@pytest.mark.parametrize("received_at", [FIRST, SECOND])
def test_an_hour_that_comes_twice_stays_what_it_is_if_nobody_changes_it(received_at: datetime) -> None:
    row = Payment(id="p1", payer="Ada", received_at=received_at)
    with timezones.override(ZoneInfo("Europe/Berlin")):
        form = sent_form(row, payer="Bob")
        assert form.data["receivedAt"] == "2026-10-25T02:30:00"
        assert form.changes().fields.keys() == {"payer"}
        # A PUT sends it too.
        assert form.body().fields["received_at"] == received_at
        assert [form.showed_another("received_at", each) for each in (FIRST, SECOND)] == [
            received_at != FIRST,
            received_at != SECOND,
        ]


def test_another_time_of_the_night_of_the_doubled_hour_is_a_change() -> None:
    row = Payment(id="p1", payer="Ada", received_at=SECOND)
    with timezones.override(ZoneInfo("Europe/Berlin")):
        form = sent_form(row, receivedAt="2026-10-25T03:30")
        assert form.changes().fields == {"received_at": SECOND + timedelta(hours=1)}


def test_a_time_that_nobody_changed_is_not_sent_where_the_zone_became_known_meanwhile() -> None:
    row = Payment(id="p1", payer="Ada", received_at=SECOND)
    with timezones.override(ZoneInfo("Asia/Kolkata")):
        assert sent_form(row, zone="UTC", payer="Bob").changes().fields.keys() == {"payer"}


@pytest.mark.parametrize(
    ("sent", "meant"),
    [("2026-10-25T02:30:00", FIRST), ("2026-10-25T02:30:00+01:00", SECOND), ("2026-03-29T02:30:00", None)],
    ids=["an hour that comes twice", "with its offset, by a script", "an hour that there is not"],
)
def test_a_typed_time_is_one_of_the_users_zone(sent: str, meant: datetime | None) -> None:
    with timezones.override(ZoneInfo("Europe/Berlin")):
        form = PaymentForm({**SENT, "receivedAt": sent})
        if meant is None:
            message = "There is no such time on that day: the clocks go forward."
            assert form.errors["received_at"] == [message]
            return
        assert form.is_valid()
        assert form.body().fields["received_at"] == meant
        # Shown again, it is what a browser's field takes.
        assert 'value="2026-10-25T02:30:00"' in str(form["received_at"])
