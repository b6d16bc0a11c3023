"""Who changes a row says which version they saw, and nobody overwrites what they did not see."""

import pytest

from sandbox_api.energy.models import Client


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
