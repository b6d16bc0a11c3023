"""Who changes a row says which version they saw, and nobody overwrites what they did not see."""

import threading
from concurrent.futures import ThreadPoolExecutor

import pytest
from django.db import connection
from rest_framework.test import APIClient

from sandbox_api.auth import sign_ins
from sandbox_api.energy.models import Client

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


@pytest.mark.parametrize("method", ["patch", "delete"])
def test_another_version_is_412_and_nothing_changes(energy, problem, client, method):
    for tag in ('"2"', '"0"', '"01"', 'W/"1"', "1", "'1'", '""', "", '"2", "3"', '"1', "\u0661"):
        answer = getattr(energy, method)(PATH, {"city": "Aachen"}, headers={"If-Match": tag})
        assert problem(answer, 412), tag
    client.refresh_from_db()
    assert (client.city, client.version) == ("Köln", 1)


def test_the_present_version_is_changed_and_deleted_and_any_without_the_header(energy, problem, client):
    for tag in ('"1"', '"7", "2"', 'W/"2","3"', "*", " * ", None):
        assert change(energy, {"city": "Aachen"}, tag).status_code == 200, tag
    assert energy.delete(PATH, headers={"If-Match": '"7"'}).status_code == 204
    assert problem(change(energy, {"city": "Aachen"}, '"1"'), 404)
    assert problem(energy.delete(PATH, headers={"If-Match": "*"}), 404)


def test_a_repeated_change_or_deletion_is_answered_as_the_first_time_and_a_refusal_is_not_stored(
    energy, problem, client
):
    key = {"Idempotency-Key": "k"}
    assert problem(change(energy, {"city": "Aachen"}, '"2"', **key), 412)
    first, again = (change(energy, {"city": "Aachen"}, '"1"', **key) for _ in range(2))
    assert (again.status_code, again.json(), again["ETag"]) == (200, first.json(), '"2"')
    assert again["Idempotent-Replayed"] == "true"
    client.refresh_from_db()
    assert client.version == 2
    headers = {"Idempotency-Key": "d", "If-Match": '"2"'}
    assert [energy.delete(PATH, headers=headers).status_code for _ in range(2)] == [204, 204]


@pytest.fixture
def write_at_once(transactional_db, make_account):
    """Sends changes of the row at the same moment, each from a thread of its own: bodies and headers."""
    pair = sign_ins.begin_sign_in(account=make_account("ENERGY_APP"), user_agent="")
    Client.objects.create(id="cli_1", name="Ada", email="ada@example.com")

    def write_all(*changes):
        barrier = threading.Barrier(len(changes))

        def write(change):
            client = APIClient()
            client.credentials(HTTP_AUTHORIZATION=f"Bearer {pair.access_token}")
            barrier.wait(timeout=20)
            try:
                return client.patch(PATH, change[0], headers=change[1])
            finally:
                connection.close()

        with ThreadPoolExecutor(len(changes)) as pool:
            return list(pool.map(write, changes))

    return write_all


def test_of_many_who_saw_one_version_one_changes_it(write_at_once):
    """Every writer but one is refused, in each round; so no change is lost."""
    for round_ in range(ROUNDS):
        headers = {"If-Match": f'"{round_ + 1}"'}
        answers = write_at_once(*(({"name": f"{round_} {number}"}, headers) for number in range(WRITERS)))
        assert sorted(answer.status_code for answer in answers) == [200] + [412] * (WRITERS - 1)
        [winner] = [answer for answer in answers if answer.status_code == 200]
        assert (Client.objects.get().name, Client.objects.get().version) == (winner.json()["name"], round_ + 2)
