from collections import Counter
from datetime import UTC, datetime, timedelta
from decimal import Decimal

import pytest
from django.core.management import call_command

from sandbox_api.auth.models import Account
from sandbox_api.demo_accounts import DEMO_ACCOUNTS
from sandbox_api.energy.models import Charger, ChargingSession, Client, Meter, MeterReading, Station
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


@pytest.mark.parametrize("model", AT_LEAST)
def test_there_is_enough_of_everything(model):
    assert model.objects.count() >= AT_LEAST[model]


def test_a_second_run_changes_nothing():
    before = {model: set(model.objects.values_list("pk", flat=True)) for model in AT_LEAST}
    call_command("seed", until="2020-01-01T00:00")
    assert {model: set(model.objects.values_list("pk", flat=True)) for model in AT_LEAST} == before


def test_a_reset_gives_the_same_again_and_spares_other_accounts():
    own = Account.objects.create(email="own@example.com", name="Own", password="!")
    before = list(Client.objects.order_by("id").values())
    Client.objects.all().delete()
    call_command("seed", until=UNTIL.isoformat(), reset=True)
    assert list(Client.objects.order_by("id").values()) == before
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
    assert not Client.objects.filter(created_at__gt=UNTIL).exists()
    assert not ChargingSession.objects.filter(started_at__gt=UNTIL).exists()
    assert not ChargingSession.objects.filter(ended_at__gt=UNTIL).exists()
    assert not WorkOrder.objects.filter(completed_at__gt=UNTIL).exists()
    assert not Invoice.objects.filter(paid_at__gt=UNTIL).exists()
    assert not MeterReading.objects.filter(read_at__gt=UNTIL).exists()


def test_clients_have_names_of_many_languages_and_addresses_of_their_own():
    names = Client.objects.values_list("name", flat=True)
    letters = Counter(letter for name in names for letter in name if not letter.isascii())
    assert {"ü", "ö", "ş", "ı", "ø"} <= set(letters)
    addresses = Client.objects.values_list("email", flat=True)
    assert len(addresses) == len(set(addresses))
    assert all(address.isascii() for address in addresses)


def test_some_clients_share_their_time_of_creation():
    times = Counter(Client.objects.values_list("created_at", flat=True))
    assert times.most_common(1)[0][1] > 50


def test_what_was_seeded_would_be_accepted_as_input():
    from sandbox_api.energy.serializers import ClientSerializer

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


def test_no_session_ends_in_the_future():
    assert not ChargingSession.objects.filter(ended_at__gt=UNTIL).exists()


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


def test_every_status_occurs():
    for model in (Station, Charger, ChargingSession, Meter, WorkOrder, Invoice):
        found = set(model.objects.values_list("status", flat=True))
        assert found == set(model.Status.values), model


def test_no_demonstration_account_is_added_where_they_are_refused(configure, capsys):
    Account.objects.all().delete()
    configure(allow_demo_accounts=False)
    call_command("seed")
    assert not Account.objects.exists()
    assert "demonstration accounts: none" in capsys.readouterr().out
