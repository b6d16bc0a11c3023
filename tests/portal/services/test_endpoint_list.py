"""The services: every endpoint of the contract is declared, and the reference page shows them as they are."""

from __future__ import annotations

import io
from collections import Counter
from pathlib import Path

import pytest
from django.core.management import call_command

from portal.config.environment.reader import REPOSITORY
from portal.config.wire_names import REFRESH_PATH
from portal.management.commands import list_endpoints
from portal.query.hooks.checks import check_endpoints
from portal.services.endpoint_list import all_entries
from tests.support.contract_calls import contract_calls


def test_each_call_of_the_contract_is_declared_once() -> None:
    declared = Counter((entry.method, entry.path) for entry in all_entries())
    # The refresh is the API session's own.
    promised = contract_calls() - {("POST", REFRESH_PATH)}
    assert promised - set(declared) == set()
    assert [call for call, times in declared.items() if times > 1] == []


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
