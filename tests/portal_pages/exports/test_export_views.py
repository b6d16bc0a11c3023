"""`<list>/export`: the whole list as a file, and a page where there is none."""

from __future__ import annotations

import threading
from collections.abc import Iterator
from contextlib import suppress
from typing import Any

import pytest
from django.test import Client as Browser

from portal.config.cookies import VAR_TIME_ZONE
from portal.config.limits import EXPORTS_PER_USER, WALK_PAGE_ROWS
from portal.errors import ApiValidationError, SlotLostError
from portal.testing import Backend, SignedIn
from portal_pages.exports import export_slots
from portal_pages.exports.export_slots import RUNNING

PATH = "/en/energy/clients/export"
CLIENTS = "/energy/clients"
NAMES = ["Ada", "=1+1", *(f"Ümit {number}" for number in range(WALK_PAGE_ROWS))]


@pytest.fixture
def user(backend: Backend, signed_in: SignedIn) -> Browser:
    backend.lists(
        CLIENTS,
        [
            {"id": f"cli_{number}", "name": name, "phone": "+49 30 1", "createdAt": "2026-01-31T23:00:00Z"}
            for number, name in enumerate(NAMES)
        ],
    )
    return signed_in("ENERGY_APP")


@pytest.fixture(autouse=True)
def _all_slots_are_given_back() -> Iterator[None]:
    before = RUNNING.count
    yield
    assert RUNNING.count == before


def lines(response: Any) -> list[str]:
    return b"".join(response.streaming_content).decode("utf-8-sig").splitlines()


def queries(backend: Backend) -> list[dict[str, str]]:
    return [dict(call.query) for call in backend.calls if call.path == CLIENTS]


def test_it_is_a_file_with_all_rows_that_no_cache_keeps(user: Browser) -> None:
    response = user.get(PATH)
    assert response.status_code == 200
    assert response["Content-Type"] == "text/csv; charset=utf-8"
    assert response["Content-Disposition"].startswith('attachment; filename="Clients 2')
    assert {"private", "no-store"} <= set(response["Cache-Control"].split(", "))
    head, first, second, *others = lines(response)
    assert head == "ID,Name,Email,Phone,City,Client since (UTC)"
    assert first == "cli_0,Ada,,'+49 30 1,,2026-01-31 23:00:00"
    assert second == "cli_1,'=1+1,,'+49 30 1,,2026-01-31 23:00:00"
    assert len(others) == WALK_PAGE_ROWS


def test_it_is_the_list_as_its_address_has_it(user: Browser, backend: Backend) -> None:
    address = f"{PATH}?q=cli&city=Oslo&city=Bergen&sort=name&cursor=x&pages=3&unknown=1"
    assert len(lines(user.get(address))) == 1 + len(NAMES)
    asked = {"q": "cli", "city": "Bergen,Oslo", "sort": "name", "limit": str(WALK_PAGE_ROWS)}
    # Before them comes the page that tells whether the backend searches.
    *_, first, second = queries(backend)
    assert first == asked
    assert second == asked | {"cursor": second["cursor"]}


def test_it_is_in_the_language_of_its_address_and_in_the_users_zone(user: Browser) -> None:
    user.cookies[VAR_TIME_ZONE] = "Europe/Berlin"
    head, first, *_ = lines(user.get(PATH.replace("/en/", "/de/")))
    assert head == "ID;Name;E-Mail;Telefon;Ort;Kunde seit (Europe/Berlin)"
    assert first == "cli_0;Ada;;'+49 30 1;;2026-02-01 00:00:00"


def test_a_script_gets_the_number_of_rows_and_a_mark_at_the_end(user: Browser) -> None:
    response = user.get(PATH, headers={"Portal-Export": "watched"})
    assert response["Portal-Export-Rows"] == str(len(NAMES))
    assert b"".join(response.streaming_content).endswith(b"\r\n\x04")


def test_a_list_without_rows_is_a_heading(user: Browser, backend: Backend) -> None:
    backend.lists(CLIENTS, [])
    assert lines(user.get(PATH)) == ["ID,Name,Email,Phone,City,Client since (UTC)"]


@pytest.mark.parametrize("status", [503, 403, 422])
def test_a_list_that_can_not_be_read_is_a_page(user: Browser, backend: Backend, status: int) -> None:
    backend.refuses("GET", CLIENTS, status=status)
    response = user.get(PATH)
    assert response.status_code == status
    assert b"<h1" in response.content


def test_a_failure_in_the_middle_is_the_last_line(user: Browser, backend: Backend) -> None:
    response = user.get(PATH, headers={"Portal-Export": "watched"})
    backend.refuses("GET", CLIENTS, status=422, detail="no")
    parts: list[bytes] = []
    with pytest.raises(ApiValidationError):
        parts.extend(response.streaming_content)
    text = b"".join(parts).decode()
    assert "This file is not whole" in text.splitlines()[-1]
    assert "\x04" not in text


def test_it_reads_a_page_only_when_it_is_asked_for(user: Browser, backend: Backend) -> None:
    response = user.get(PATH)
    assert len(queries(backend)) == 1
    next(iter(response.streaming_content))
    response.close()
    assert len(queries(backend)) == 1


def test_a_user_has_so_many_at_once_and_a_page_says_so(user: Browser) -> None:
    running = [user.get(PATH) for _ in range(EXPORTS_PER_USER)]
    refused = user.get(PATH)
    assert refused.status_code == 429
    assert refused["Retry-After"]
    assert "Your other exports are still running" in refused.content.decode()
    for response in running:
        response.close()
    again = user.get(PATH)
    assert again.status_code == 200
    again.close()


def test_a_file_that_stood_still_ends_where_another_one_has_its_place(
    user: Browser, monkeypatch: pytest.MonkeyPatch
) -> None:
    with monkeypatch.context() as short:
        short.setattr(export_slots, "EXPORT_LEASE_S", 1)
        stalled = [user.get(PATH.replace("/en/", "/de/")) for _ in range(EXPORTS_PER_USER)]
    pause = threading.Event()
    while (other := user.get(PATH)).status_code == 429:
        pause.wait(0.05)
    texts = []
    for response in stalled:
        parts: list[bytes] = []
        with suppress(SlotLostError):
            parts.extend(response.streaming_content)
        response.close()
        texts.append(b"".join(parts).decode())
    cut = [text for text in texts if text.splitlines()[-1].startswith("Diese Datei ist unvollständig: Der Abruf stand")]
    assert len(cut) == 1, "the place of the other one is free"
    assert len(lines(other)) == 1 + len(NAMES)


def test_who_may_not_open_the_platform_gets_no_file_and_none_is_left_open(
    user: Browser, backend: Backend, caplog: pytest.LogCaptureFixture
) -> None:
    user.get("/en/energy/clients")
    backend.answers("GET", "/me", json={"id": "someone else", "permissions": ["FINANCE_APP"]})
    with caplog.at_level("INFO"):
        response = user.get(PATH, headers={"Cache-Control": "max-age=0"})
    assert response.status_code == 403
    assert b"Ada" not in response.content
    # The file had begun beside the profile. It was closed, and did not wait for the garbage collection.
    assert "export of energy.get_clients cancelled after 0 rows" in caplog.text


@pytest.mark.parametrize("method", ["head", "put"])
def test_any_other_method_is_405(user: Browser, method: str) -> None:
    assert getattr(user, method)(PATH).status_code == 405


def test_without_a_sign_in_the_address_leads_to_it(signed_out: Browser) -> None:
    response = signed_out.get(f"{PATH}?q=a")
    assert response.status_code == 302
    assert "login?next=" in response["Location"]
