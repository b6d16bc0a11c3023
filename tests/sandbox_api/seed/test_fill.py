from datetime import UTC, datetime
from decimal import Decimal

import pytest
from django.core.management import call_command

from sandbox_api.auth.models import Account
from sandbox_api.energy.models import Charger, ChargingSession, Client, Meter, Station
from sandbox_api.energy.summary import energy_state
from sandbox_api.finance.models import Invoice
from sandbox_api.operations.models import WorkOrder
from sandbox_api.seed import charging, fill, people
from sandbox_api.seed.examples import ACCOUNTS

UNTIL = datetime(2026, 3, 15, 12, tzinfo=UTC)


@pytest.fixture(scope="module")
def filled(django_db_setup, django_db_blocker):
    """Fill the database once for this module, with a tenth of the rows that are most."""
    with django_db_blocker.unblock(), pytest.MonkeyPatch.context() as patched:
        patched.setattr(charging, "COUNT", charging.COUNT // 10)
        patched.setattr(people, "COUNT", people.COUNT // 10)
        call_command("seed", until=UNTIL.isoformat(), verbosity=0)
        yield
        fill.empty()


@pytest.fixture(autouse=True)
def _database(filled, db):
    pass


def test_addresses_are_unique_and_each_status_occurs():
    addresses = Client.objects.values_list("email", flat=True)
    assert len(addresses) == len(set(addresses))
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


def test_the_five_accounts_can_sign_in(anyone):
    made = Account.objects.filter(is_demo=True)
    assert {each.email: tuple(each.permissions) for each in made} == {demo.email: demo.permissions for demo in ACCOUNTS}
    assert len({each.password for each in made}) == 1
    assert anyone.post("/auth/login", {"email": ACCOUNTS[0].email, "password": "demo"}).status_code == 200


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


def test_each_assignee_is_a_person_and_what_is_not_finished_is_mostly_a_fault():
    for order in WorkOrder.objects.exclude(assignee=None):
        assert (order.person.name, order.person.permissions) == (order.assignee, ["OPERATIONS_APP"])
    at_chargers = WorkOrder.objects.exclude(charger=None)
    assert all(order.charger.station_id == order.station_id for order in at_chargers)
    state = energy_state()
    assert 0 < state["faultedWithoutOrder"] < state["chargersByStatus"]["faulted"]
