"""Who changes a row says which version they saw, and nobody overwrites what they did not see."""

import threading
from concurrent.futures import ThreadPoolExecutor

import pytest
from django.db import connection
from rest_framework.test import APIClient

from sandbox_api.auth import sign_ins
from sandbox_api.energy.models import Client, Station
from sandbox_api.operations.models import WorkOrder

ROUNDS, WRITERS = 6, 8


@pytest.fixture
def client(db):
    return Client.objects.create(id="cli_1", name="Ada", email="ada@example.com", city="Köln", phone="12345")


PATH = "/energy/clients/cli_1"


def change(energy, body, version=None, **headers):
    headers |= {} if version is None else {"If-Match": version}
    return energy.patch(PATH, body, headers=headers)


def test_a_row_carries_its_version_and_each_change_raises_it(energy, client):
    answer = energy.get(PATH)
    assert (answer.json()["version"], answer["ETag"]) == (1, '"1"')
    assert energy.get("/energy/clients").json()["items"][0]["version"] == 1
    changed = change(energy, {"city": "Aachen"}, '"1"')
    assert (changed.status_code, changed.json()["version"], changed["ETag"]) == (200, 2, '"2"')
    assert energy.get(PATH)["ETag"] == '"2"'


def test_a_list_and_a_row_without_versions_have_no_tag(energy, client):
    Station.objects.create(id="sta_1", name="S", city="", country="DE", latitude=0, longitude=0)
    assert "ETag" not in energy.get("/energy/clients")
    assert "ETag" not in energy.get("/energy/stations/sta_1")


@pytest.mark.parametrize("method", ["patch", "delete"])
@pytest.mark.parametrize("tag", ['"2"', '"0"', '"01"', 'W/"1"', "1", "'1'", '""', "", '"2", "3"', '"1', "\u0661"])
def test_another_version_is_412_and_nothing_changes(energy, problem, client, method, tag):
    answer = getattr(energy, method)(PATH, {"city": "Aachen"}, headers={"If-Match": tag})
    assert problem(answer, 412)
    client.refresh_from_db()
    assert (client.city, client.version) == ("Köln", 1)


@pytest.mark.parametrize("tag", ['"1"', '"7", "1"', 'W/"2","1"', "*", " * "])
def test_the_present_version_is_changed(energy, client, tag):
    assert change(energy, {"city": "Aachen"}, tag).json()["city"] == "Aachen"


def test_without_the_header_any_version_is_changed(energy, client):
    change(energy, {"city": "Aachen"})
    assert change(energy, {"city": "Bonn"}).json()["version"] == 3
    assert energy.delete(PATH).status_code == 204


def test_the_present_version_is_deleted(energy, client):
    assert energy.delete(PATH, headers={"If-Match": '"1"'}).status_code == 204


def test_a_row_that_is_gone_is_404_whatever_version_was_seen(energy, problem, client):
    client.delete()
    assert problem(change(energy, {"city": "Aachen"}, '"1"'), 404)
    assert problem(energy.delete(PATH, headers={"If-Match": "*"}), 404)


def test_a_wrong_field_of_another_version_is_412_not_422(energy, problem, client):
    assert problem(change(energy, {"email": "x"}, '"2"'), 412)
    assert problem(change(energy, {"email": "x"}, '"1"'), 422, "email")
    client.refresh_from_db()
    assert client.version == 1


def test_a_repeated_change_is_answered_as_the_first_time(energy, client):
    headers = {"Idempotency-Key": "k"}
    first = change(energy, {"city": "Aachen"}, '"1"', **headers)
    again = change(energy, {"city": "Aachen"}, '"1"', **headers)
    assert (again.status_code, again.json(), again["ETag"]) == (200, first.json(), '"2"')
    assert again["Idempotent-Replayed"] == "true"
    client.refresh_from_db()
    assert client.version == 2


def test_a_refusal_is_not_stored_under_its_key(energy, problem, client):
    headers = {"Idempotency-Key": "k"}
    assert problem(change(energy, {"city": "Aachen"}, '"2"', **headers), 412)
    assert change(energy, {"city": "Aachen"}, '"1"', **headers).status_code == 200


def test_a_repeated_deletion_is_answered_as_the_first_time(energy, client):
    headers = {"Idempotency-Key": "k", "If-Match": '"1"'}
    assert [energy.delete(PATH, headers=headers).status_code for _ in range(2)] == [204, 204]


def test_work_orders_have_versions_too(sign_in, problem):
    operations = sign_in("OPERATIONS_APP")
    order = WorkOrder.objects.create(title="Look", priority="low")
    path = f"/operations/work-orders/{order.id}"
    assert operations.patch(path, {"status": "done"}, headers={"If-Match": '"1"'})["ETag"] == '"2"'
    assert problem(operations.patch(path, {"status": "open"}, headers={"If-Match": '"1"'}), 412)


@pytest.mark.django_db(transaction=True)
def test_of_many_who_saw_one_version_one_changes_it(make_account, problem):
    """Every writer but one is refused, in each round; so no change is lost."""
    pair = sign_ins.begin_sign_in(account=make_account("ENERGY_APP"), user_agent="")
    Client.objects.create(id="cli_1", name="Ada", email="ada@example.com")

    def write(round_, number, barrier):
        client = APIClient()
        client.credentials(HTTP_AUTHORIZATION=f"Bearer {pair.access_token}")
        barrier.wait(timeout=20)
        try:
            tag = f'"{round_ + 1}"'
            return client.patch(PATH, {"name": f"{round_} {number}"}, headers={"If-Match": tag})
        finally:
            connection.close()

    for round_ in range(ROUNDS):
        barrier = threading.Barrier(WRITERS)
        with ThreadPoolExecutor(WRITERS) as pool:
            answers = list(pool.map(write, [round_] * WRITERS, range(WRITERS), [barrier] * WRITERS))
        assert sorted(answer.status_code for answer in answers) == [200] + [412] * (WRITERS - 1)
        [winner] = [answer for answer in answers if answer.status_code == 200]
        assert Client.objects.get().name == winner.json()["name"]
        assert Client.objects.get().version == round_ + 2


@pytest.mark.django_db(transaction=True)
def test_changes_without_a_version_all_happen_one_after_the_other(make_account):
    pair = sign_ins.begin_sign_in(account=make_account("ENERGY_APP"), user_agent="")
    Client.objects.create(id="cli_1", name="Ada", email="ada@example.com")
    fields = [{"name": "Eve"}, {"email": "eve@example.com"}, {"phone": "54321"}, {"city": "Bonn"}]
    barrier = threading.Barrier(len(fields))

    def write(body):
        client = APIClient()
        client.credentials(HTTP_AUTHORIZATION=f"Bearer {pair.access_token}")
        barrier.wait(timeout=20)
        try:
            return client.patch(PATH, body).json()["version"]
        finally:
            connection.close()

    with ThreadPoolExecutor(len(fields)) as pool:
        assert sorted(pool.map(write, fields)) == [2, 3, 4, 5]
    row = Client.objects.get()
    assert (row.name, row.email, row.phone, row.city) == ("Eve", "eve@example.com", "54321", "Bonn")
