from datetime import timedelta
from unittest.mock import patch

from sandbox_api.energy.models import Client
from sandbox_api.energy.views import ClientsView
from sandbox_api.idempotency import StoredAnswer, purge_ended

BODY = {"name": "Ada", "email": "ada@example.com"}


def create(client, body=BODY, key="k"):
    return client.post("/energy/clients", body, headers={"Idempotency-Key": key})


def test_a_repeated_write_runs_once_and_answers_the_same(energy):
    first, again = create(energy), create(energy)
    assert (again.status_code, again.content) == (first.status_code, first.content) == (201, first.content)
    assert "Idempotent-Replayed" not in first.headers
    assert again.headers["Idempotent-Replayed"] == "true"
    assert Client.objects.count() == 1
    assert b"ada@example.com" not in bytes(StoredAnswer.objects.get().sealed)


def test_the_same_key_with_another_body_is_422(energy, problem):
    create(energy)
    assert problem(create(energy, {**BODY, "name": "Eve"}), 422, "idempotencyKey")
    assert Client.objects.get().name == "Ada"


def test_a_malformed_key_is_422(energy, problem):
    for key in ("", " ", "a b", "ü", "x" * 256, "tab\t"):
        assert problem(create(energy, key=key), 422, "idempotencyKey"), key
    assert not Client.objects.exists()


def test_a_key_belongs_to_one_account(sign_in):
    for _ in range(2):
        assert create(sign_in("ENERGY_APP")).status_code == 201
    assert Client.objects.count() == 2


def test_a_key_belongs_to_one_method_and_path(energy):
    row = create(energy).json()
    path = f"/energy/clients/{row['id']}"
    assert energy.patch(path, BODY, headers={"Idempotency-Key": "k"}).status_code == 200
    assert energy.delete(path, headers={"Idempotency-Key": "k"}).status_code == 204
    assert energy.delete(path, headers={"Idempotency-Key": "k"}).status_code == 204
    assert energy.delete(path, headers={"Idempotency-Key": "other"}).status_code == 404


def test_a_failure_leaves_nothing_and_can_be_tried_again(energy, problem):
    with patch.object(ClientsView, "represent", side_effect=RuntimeError("after the row was inserted")):
        assert problem(create(energy), 500)
    assert not Client.objects.exists()
    assert not StoredAnswer.objects.exists()
    assert create(energy).status_code == 201


def test_an_answer_ends_and_is_removed(energy, configure):
    configure(idempotency_window=timedelta(seconds=-1))
    create(energy)
    create(energy)
    assert Client.objects.count() == 2
    assert StoredAnswer.objects.count() == 1  # each claim removes those that ended before it
    assert purge_ended() == 1
