"""The services: every endpoint of the contract is declared, and the reference page shows them as they are."""

from __future__ import annotations

import io
from pathlib import Path

import pytest
from django.core.management import call_command

from portal.config.environment.reader import REPOSITORY
from portal.management.commands import list_endpoints
from portal.query.hooks.checks import check_endpoints
from portal.services.endpoint_list import all_entries

#: Contract, section 7, but for POST /refresh, which is the API session's own; and the overviews' figures.
CONTRACT = {
    "POST /auth/login",
    "POST /auth/logout",
    "GET /me",
    "GET /energy/summary",
    "GET /energy/clients",
    "POST /energy/clients",
    "GET /energy/clients/{id}",
    "PATCH /energy/clients/{id}",
    "DELETE /energy/clients/{id}",
    "GET /energy/stations",
    "GET /energy/stations/{id}",
    "GET /energy/chargers",
    "GET /energy/chargers/{id}",
    "GET /energy/sessions",
    "GET /energy/sessions/{id}",
    "GET /energy/meters",
    "GET /energy/meters/{id}",
    "GET /iam/accounts",
    "GET /iam/accounts/{id}",
    "PATCH /iam/accounts/{id}",
    "GET /iam/auth/sessions",
    "DELETE /iam/auth/sessions/{id}",
    "GET /operations/summary",
    "GET /operations/work-orders",
    "POST /operations/work-orders",
    "GET /operations/work-orders/{id}",
    "PATCH /operations/work-orders/{id}",
    "GET /finance/summary",
    "GET /finance/invoices",
    "GET /finance/invoices/{id}",
}


def test_each_endpoint_of_the_contract_is_declared_once() -> None:
    calls = [f"{entry.method} {entry.path}" for entry in all_entries()]
    assert sorted(calls) == sorted(CONTRACT)


def test_the_declarations_pass_the_system_checks() -> None:
    assert check_endpoints() == []


def test_a_file_is_written_only_when_there_is_something_to_write(tmp_path: Path, monkeypatch) -> None:
    page = tmp_path / "endpoints.md"
    call_command("list_endpoints", "--markdown", "--output", str(page))
    written = page.read_text()
    assert written == (REPOSITORY / "docs" / "reference" / "endpoints.md").read_text()
    monkeypatch.setattr(list_endpoints, "all_entries", lambda: 1 / 0)
    with pytest.raises(ZeroDivisionError):
        call_command("list_endpoints", "--markdown", "--output", str(page))
    assert page.read_text() == written


def test_the_reference_page_is_current() -> None:
    out = io.StringIO()
    call_command("list_endpoints", "--markdown", stdout=out)
    assert (REPOSITORY / "docs" / "reference" / "endpoints.md").read_text() == out.getvalue(), (
        "write it again: ./manage.py --app energy list_endpoints --markdown --output docs/reference/endpoints.md"
    )


def test_every_write_of_a_listed_resource_patches_its_list() -> None:
    entries = all_entries()
    lists = {entry.path: entry.key for entry in entries if entry.method == "GET" and "item: " in entry.types[0]}
    for entry in entries:
        listed = lists.get(entry.path.removesuffix("/{id}"))
        if entry.method != "GET" and listed:
            assert any(f"`{listed}`" in effect for effect in entry.effects), entry.key
