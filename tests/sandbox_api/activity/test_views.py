"""The history of rows, the notes on them, and clients that are restored."""

import pytest

from sandbox_api.operations.models import WorkOrder

CLIENTS = "/energy/clients"


@pytest.fixture
def client_row(energy):
    return energy.post(CLIENTS, {"name": "Ada", "email": "ada@example.com", "city": "Berlin"}).json()


def history(caller, path):
    return caller.get(f"{path}/activity").json()["items"]


def test_each_write_is_told_newest_first_with_what_it_changed_on_the_wire(energy, client_row):
    path = f"{CLIENTS}/{client_row['id']}"
    energy.patch(path, {"city": "Bonn", "phone": "+49 30 901820", "name": "Ada"})
    newest, oldest = history(energy, path)
    assert newest == {
        "id": newest["id"],
        "kind": "changed",
        "createdAt": newest["createdAt"],
        "accountId": energy.account.id,
        "accountName": energy.account.name,
        "changes": [
            {"field": "phone", "before": None, "after": "+49 30 901820"},
            {"field": "city", "before": "Berlin", "after": "Bonn"},
        ],
        "text": "",
    }
    assert (oldest["kind"], oldest["changes"]) == ("created", [])
    page = energy.get(f"{path}/activity?limit=1").json()
    assert (page["items"], page["hasNext"], page["total"]) == ([newest], True, 2)
    assert energy.get(f"{path}/activity?limit=1&cursor={page['nextCursor']}").json()["items"] == [oldest]


def test_a_change_that_changes_nothing_and_one_that_is_refused_are_not_told(energy, client_row):
    path = f"{CLIENTS}/{client_row['id']}"
    energy.patch(path, {"city": "Berlin"})
    energy.patch(path, {"city": "Ulm", "email": "x"})
    energy.patch(path, {"city": "Ulm"}, headers={"If-Match": '"77"'})
    assert [each["kind"] for each in history(energy, path)] == ["created"]


def test_a_write_that_is_sent_twice_under_one_key_is_told_once(energy, client_row):
    path, key = f"{CLIENTS}/{client_row['id']}", {"Idempotency-Key": "k"}
    for _ in range(2):
        energy.patch(path, {"city": "Ulm"}, headers=key)
        energy.post(f"{path}/activity", {"text": "Called."}, headers=key)
    assert [each["kind"] for each in history(energy, path)] == ["note", "changed", "created"]


def test_a_note_has_lines_and_is_no_control_character_and_not_too_long(energy, client_row, problem):
    path = f"{CLIENTS}/{client_row['id']}/activity"
    answer = energy.post(path, {"text": " Called.\r\nCalls back. "})
    assert (answer.status_code, answer.json()["text"], answer.json()["kind"]) == (201, "Called.\nCalls back.", "note")
    assert energy.get(path).json()["items"][0] == answer.json()
    for text in ("", "  ", "a\0b", "x" * 2001, None, []):
        assert problem(energy.post(path, {"text": text}), 422, "text"), text


def test_the_history_has_the_permission_of_its_row_and_needs_one(energy, sign_in, client_row, problem):
    order = WorkOrder.objects.create(title="Look", priority="low")
    for caller, path in (
        (energy, f"/operations/work-orders/{order.id}/activity"),
        (sign_in("FINANCE_APP"), f"{CLIENTS}/{client_row['id']}/activity"),
    ):
        assert problem(caller.get(path), 403)
        assert problem(caller.post(path, {"text": "Hello"}), 403)
    for path in (f"{CLIENTS}/cli_none/activity", f"{CLIENTS}/{order.id}/activity"):
        assert problem(energy.get(path), 404)
        assert problem(energy.post(path, {"text": "Hello"}), 404)


def test_a_restored_client_is_there_again_with_sessions_invoices_and_history(energy, grid, problem):
    session, invoice = grid["sessions"], grid["invoice"]
    path = f"{CLIENTS}/{session.client_id}"
    before = energy.get(path).json()
    assert problem(energy.post(f"{path}/restore"), 404)
    assert energy.delete(path).status_code == 204
    for gone in (path, f"{path}/activity"):
        assert problem(energy.get(gone), 404)
    assert problem(energy.patch(path, {"name": "X"}), 404)
    assert energy.get(CLIENTS).json()["total"] == 0
    assert energy.get(f"{CLIENTS}/counts?by=city").json() == {"city": {}}
    assert energy.get("/energy/sessions?q=ada").json()["total"] == 0
    invoice.refresh_from_db()
    assert invoice.client_id is None

    restored = energy.post(f"{path}/restore")
    assert (restored.status_code, restored.json()) == (200, before | {"version": before["version"] + 2})
    assert energy.get(f"/energy/sessions?clientId={before['id']}").json()["total"] == 1
    invoice.refresh_from_db()
    assert invoice.client_id == before["id"]
    assert [each["kind"] for each in history(energy, path)] == ["restored", "deleted"]
    assert problem(energy.post(f"{path}/restore"), 404)
