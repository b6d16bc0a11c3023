"""Log lines about a request that the edge itself refuses name the user, as all others do."""

import logging
from collections.abc import Callable
from hashlib import sha256
from typing import Any

import pytest
from django.test import Client

from portal.config.log_lines import line_formatter

PROGRAM = {"accept": "application/json", "x-request-id": "r-1"}


@pytest.mark.parametrize(("path", "status"), [("/en/finance", 403), ("/en/operations", 404), ("/en/a\\b", 400)])
def test_the_line_of_a_refused_program_names_its_user_and_the_next_one_names_nobody(
    *, browser_of: Callable[..., Client], account: str, caplog: Any, monkeypatch: Any, path: str, status: int
) -> None:
    monkeypatch.setattr(caplog.handler, "formatter", line_formatter(app="energy", log_format="text"))
    caplog.set_level(logging.WARNING, logger="django.request")
    browser = browser_of("ENERGY_APP", "OPERATIONS_APP")
    assert browser.get(path, headers=PROGRAM).status_code == status
    assert caplog.text.endswith(f"request_id=r-1 user={sha256(account.encode()).hexdigest()[:16]}\n")
    assert Client().get("/en/finance", headers=PROGRAM).status_code == 401
    assert caplog.text.endswith("request_id=r-1\n")
