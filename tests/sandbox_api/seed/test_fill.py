from collections import Counter
from datetime import UTC, datetime, timedelta
from decimal import Decimal

import pytest
from django.core.management import call_command

from sandbox_api.auth.models import Account
from sandbox_api.demo_accounts import DEMO_ACCOUNTS
from sandbox_api.energy.models import Charger, ChargingSession, Client, Meter, MeterReading, Station
from sandbox_api.energy.serializers import ClientSerializer
from sandbox_api.finance.models import Invoice
from sandbox_api.operations.models import WorkOrder
from sandbox_api.seed import fill
from sandbox_api.seed.billing import plan_invoices
from sandbox_api.seed.grid import plan_stations
from sandbox_api.seed.people import plan_clients
from sandbox_api.seed.places import CITIES

UNTIL = datetime(2026, 3, 15, 12, tzinfo=UTC)
AT_LEAST = {
    Client: 2_000,
    Station: 150,
    Charger: 600,
    ChargingSession: 20_000,
    Meter: 400,
    MeterReading: 400,
    WorkOrder: 300,
    Invoice: 500,
}


@pytest.fixture(scope="module")
def filled(django_db_setup, django_db_blocker):
    """Fill the database once for this module."""
    with django_db_blocker.unblock():
        call_command("seed", until=UNTIL.isoformat(), verbosity=0)
        yield
        fill.empty()


@pytest.fixture(autouse=True)
def _database(filled, db):
    pass


def test_there_is_enough_of_everything_with_every_status():
    for model, number in AT_LEAST.items():
        assert model.objects.count() >= number, model
    for model in (Station, Charger, ChargingSession, Meter, WorkOrder, Invoice):
        assert set(model.objects.values_list("status", flat=True)) == set(model.Status.values), model


def test_a_second_run_changes_nothing_and_a_reset_gives_the_same_again_and_spares_other_accounts():
    own = Account.objects.create(email="own@example.com", name="Own", password="!")
    before = {model: list(model.objects.order_by("pk").values()) for model in (Client, Station, Invoice)}
    call_command("seed", until="2020-01-01T00:00")
    assert {model: list(model.objects.order_by("pk").values()) for model in before} == before
    Client.objects.all().delete()
    call_command("seed", until=UNTIL.isoformat(), reset=True)
    assert list(Client.objects.order_by("pk").values()) == before[Client]
    assert Account.objects.filter(id=own.id).exists()


def test_only_times_depend_on_when_the_data_ends():
    later = UNTIL + timedelta(days=400)
    for plan in (plan_clients, plan_stations):
        assert [(row.id, row.name, row.city) for row in plan(until=later)] == [
            (row.id, row.name, row.city) for row in plan(until=UNTIL)
        ]
    clients = plan_clients(until=UNTIL)
    assert [row.amount for row in plan_invoices(clients=clients, until=later)] == [
        row.amount for row in plan_invoices(clients=clients, until=UNTIL)
    ]


def test_the_five_accounts_can_sign_in(anyone):
    for demo in DEMO_ACCOUNTS:
        pair = anyone.post("/auth/login", {"email": demo.email, "password": "demo"}).json()
        me = anyone.get("/me", headers={"Authorization": f"Bearer {pair['accessToken']}"}).json()
        assert (me["email"], me["permissions"]) == (demo.email, list(demo.permissions))


def test_nothing_lies_after_the_end():
    for model, column in (
        (Client, "created_at"),
        (ChargingSession, "started_at"),
        (ChargingSession, "ended_at"),
        (WorkOrder, "completed_at"),
        (Invoice, "paid_at"),
        (MeterReading, "read_at"),
    ):
        assert not model.objects.filter(**{f"{column}__gt": UNTIL}).exists(), (model, column)


def test_clients_have_names_of_many_languages_and_addresses_of_their_own_that_an_input_would_have():
    names = Client.objects.values_list("name", flat=True)
    letters = Counter(letter for name in names for letter in name if not letter.isascii())
    assert {"ü", "ö", "ş", "ı", "ø"} <= set(letters)
    addresses = Client.objects.values_list("email", flat=True)
    assert len(addresses) == len(set(addresses))
    assert all(address.isascii() for address in addresses)
    times = Counter(Client.objects.values_list("created_at", flat=True))
    assert times.most_common(1)[0][1] > 50, "some share their time of creation"
    for client in Client.objects.all()[:300]:
        form = ClientSerializer(data=ClientSerializer(client).data)
        assert form.is_valid(), form.errors


def test_stations_stand_in_their_cities():
    by_name = {city.name: city for city in CITIES}
    for station in Station.objects.all():
        city = by_name[station.city]
        assert abs(station.latitude - city.latitude) < 0.2
        assert abs(station.longitude - city.longitude) < 0.2
        assert station.chargers.count() >= 1


def test_sessions_are_plausible():
    sessions = ChargingSession.objects.select_related("charger")
    hours = Counter(session.started_at.hour for session in sessions)
    assert hours[18] > 5 * hours[3]
    for session in sessions:
        ended = session.ended_at is not None
        assert ended == (session.status != "active")
        if ended:
            hours_taken = (session.ended_at - session.started_at) / timedelta(hours=1)
            assert 0 < session.energy_kwh + 0.001 <= session.charger.max_power_kw * hours_taken + 0.01
        assert Decimal("0.40") * Decimal(str(session.energy_kwh)) <= session.cost + 1


def test_people_charge_on_every_day_of_the_year_and_more_from_month_to_month():
    days = Counter(
        UNTIL.date() - begin.date() for begin in ChargingSession.objects.values_list("started_at", flat=True)
    )
    by_day = [days[timedelta(days=ago)] for ago in range(1, 361)]
    assert all(by_day)
    assert max(by_day) < 2 * sum(by_day[:30]) / 30, "no day stands out"
    newest, *others, oldest = (sum(by_day[first : first + 30]) for first in range(0, 360, 30))
    assert all(oldest < each < newest for each in others)


def test_a_charger_is_charging_exactly_while_a_session_goes_on():
    active = set(ChargingSession.objects.filter(status="active").values_list("charger_id", flat=True))
    charging = set(Charger.objects.filter(status="charging").values_list("id", flat=True))
    assert active == charging != set()


def test_meters_only_count_up_and_know_their_last_reading():
    for meter in Meter.objects.prefetch_related("readings")[:50]:
        counted = [reading.energy_kwh for reading in meter.readings.all()]
        assert counted == sorted(counted)
        assert counted[-1] == meter.last_reading_kwh


def test_invoices_add_up():
    for invoice in Invoice.objects.all():
        assert sum(Decimal(line["amount"]) for line in invoice.lines) == invoice.amount
        assert (invoice.paid_at is not None) == (invoice.status == "paid")


def test_no_demonstration_account_is_added_where_they_are_refused(configure, capsys):
    Account.objects.all().delete()
    configure(allow_demo_accounts=False)
    call_command("seed")
    assert not Account.objects.exists()
    assert "demonstration accounts: none" in capsys.readouterr().out
