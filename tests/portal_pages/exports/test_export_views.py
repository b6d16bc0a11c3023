"""`<list>/export`: the whole list as a file, and a page where there is none."""

import re
from collections.abc import Iterator
from datetime import date
from typing import Any
from urllib.parse import unquote

import pytest
from django.test import Client as Browser
from django.utils import timezone

from portal.config.cookies import VAR_TIME_ZONE
from portal.config.limits import EXPORTS_PER_USER, WALK_PAGE_ROWS
from portal.errors import ApiValidationError
from portal.testing import Backend, SignedIn
from portal_pages.exports.export_slots import RUNNING

PATH, GERMAN = "/en/energy/clients/export", "/de/energy/clients/export"
CLIENTS = "/energy/clients"
NAMES = ["Ada", "=1+1", *(f"Ümit {number}" for number in range(WALK_PAGE_ROWS))]


@pytest.fixture
def user(backend: Backend, signed_in: SignedIn) -> Browser:
    same = {"phone": "+49 30 1", "createdAt": "2026-01-31T23:00:00Z"}
    backend.lists(CLIENTS, [{"id": f"cli_{number}", "name": name, **same} for number, name in enumerate(NAMES)])
    return signed_in("ENERGY_APP")


@pytest.fixture(autouse=True)
def _all_slots_are_given_back() -> Iterator[None]:
    before = set(RUNNING)
    yield
    assert before == RUNNING


def lines(response: Any) -> list[str]:
    return b"".join(response.streaming_content).decode("utf-8-sig").splitlines()


def test_it_is_a_file_with_all_rows_that_no_cache_keeps(user: Browser) -> None:
    response = user.get(PATH)
    assert (response.status_code, response["Content-Type"]) == (200, "text/csv; charset=utf-8")
    assert response["Content-Disposition"].startswith('attachment; filename="Clients 2')
    assert {"private", "no-store"} <= set(response["Cache-Control"].split(", "))
    assert "Portal-Export-Rows" not in response, "only a script that asks gets their number"
    head, first, second, *others = lines(response)
    assert head == "ID,Name,Email,Phone,City,Client since (UTC)"
    assert first == "cli_0,Ada,,+49 30 1,,2026-01-31 23:00:00"
    assert second == "cli_1,'=1+1,,+49 30 1,,2026-01-31 23:00:00"
    assert len(others) == WALK_PAGE_ROWS


def test_head_has_headers_and_reads_one_page(user: Browser, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("django.test.client.conditional_content_removal", lambda _request, response: response)
    response = user.head(PATH)
    assert (response.status_code, response["Content-Type"]) == (200, "text/csv; charset=utf-8")
    assert lines(response) == []


@pytest.mark.parametrize(
    ("query", "name"),
    [
        ("createdAtFrom=2026-10-01&createdAtTo=2026-10-31", "Clients 2026-10-01–2026-10-31.csv"),
        ("createdAtFrom=2026-10-02", "Clients 2026-11-05.csv"),
    ],
)
def test_its_name_says_which_days_it_has(user: Browser, query: str, name: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(timezone, "localdate", lambda: date(2026, 11, 5))
    response = user.get(f"{PATH}?{query}")
    response.close()
    disposition = unquote(response["Content-Disposition"])
    assert re.search(r"""filename(?:="|\*=utf-8'')([^"]+)""", disposition)[1] == name  # type: ignore[index]  # it is there


def test_it_is_the_list_as_its_address_has_it(user: Browser, backend: Backend) -> None:
    address = f"{PATH}?q=cli&city=Oslo&city=Bergen&sort=name&cursor=x&pages=3&unknown=1"
    backend.lists(CLIENTS, [{"id": f"cli_{n}", "name": name, "city": "Oslo"} for n, name in enumerate(NAMES)])
    assert len(lines(user.get(address))) == 1 + len(NAMES)
    asked = {"q": "cli", "city": "Bergen,Oslo", "sort": "name", "limit": str(WALK_PAGE_ROWS)}
    first, second = [dict(call.query) for call in backend.calls_to(CLIENTS)]
    assert (first, second) == (asked, asked | {"cursor": second["cursor"]})


def test_file_has_the_language_and_the_zone(user: Browser) -> None:
    user.cookies[VAR_TIME_ZONE] = "Europe/Berlin"
    head, first, *_ = lines(user.get(GERMAN))
    assert head == "ID;Name;E-Mail;Telefon;Ort;Kunde seit (Europe/Berlin)"
    assert first == "cli_0;Ada;;+49 30 1;;2026-02-01 00:00:00"


def test_script_gets_the_number_of_rows_and_an_end_mark(user: Browser, backend: Backend) -> None:
    whole, broken = (user.get(path, headers={"Portal-Export": "watched"}) for path in (PATH, GERMAN))
    assert whole["Portal-Export-Rows"] == str(len(NAMES))
    assert b"".join(whole.streaming_content).endswith(b"\r\n\x04")
    backend.refuses("GET", CLIENTS, status=422, detail="no")
    parts: list[bytes] = []
    with pytest.raises(ApiValidationError):
        parts.extend(broken.streaming_content)
    assert parts[-1].decode().startswith("Diese Datei ist unvollständig")


@pytest.mark.parametrize("status", [503, 403, 422])
def test_a_list_that_can_not_be_read_is_a_page(user: Browser, backend: Backend, status: int) -> None:
    backend.refuses("GET", CLIENTS, status=status)
    response = user.get(PATH)
    assert (response.status_code, b"<h1" in response.content) == (status, True)


def test_a_user_has_so_many_at_once_and_a_page_says_so(user: Browser, backend: Backend) -> None:
    running = [user.get(PATH) for _ in range(EXPORTS_PER_USER)]
    assert len(backend.calls_to(CLIENTS)) == EXPORTS_PER_USER, "one page of each, until more is asked for"
    refused = user.get(PATH)
    assert (refused.status_code, bool(refused["Retry-After"])) == (429, True)
    assert "Your other exports are still running" in refused.content.decode()
    for response in running:
        response.close()
    again = user.get(PATH)
    assert again.status_code == 200
    again.close()


def test_denied_user_leaves_no_file_open(user: Browser, backend: Backend, caplog: pytest.LogCaptureFixture) -> None:
    user.get("/en/energy/clients")
    backend.answers("GET", "/me", json={"id": "someone else", "permissions": ["FINANCE_APP"]})
    with caplog.at_level("INFO"):
        response = user.get(PATH, headers={"Cache-Control": "max-age=0"})
    assert (response.status_code, b"Ada" in response.content) == (403, False)
    # The file had begun beside the profile. It was closed, and did not wait for the garbage collection.
    assert "export of energy.get_clients cancelled after 0 rows" in caplog.text
