"""Log lines about a request that the edge itself refuses name the user, as all others do."""

from __future__ import annotations

import logging
from collections.abc import Callable, Iterator
from hashlib import sha256

import pytest
from django.test import Client

from portal.config.log_lines import line_formatter

PROGRAM = {"accept": "application/json", "x-request-id": "r-1"}


@pytest.fixture
def lines() -> Iterator[list[str]]:
    """Django's lines about responses of 4xx, as text."""

    class Lines(logging.Handler):
        def emit(self, record: logging.LogRecord) -> None:
            written.append(formatter.format(record))

    written: list[str] = []
    formatter, handler, logger = (
        line_formatter(app="energy", log_format="text"),
        Lines(),
        logging.getLogger("django.request"),
    )
    logger.addHandler(handler)
    yield written
    logger.removeHandler(handler)


@pytest.mark.parametrize(("path", "status"), [("/en/finance", 403), ("/en/operations", 404), ("/en/a\\b", 400)])
def test_the_line_of_a_refused_program_names_its_user_and_the_next_one_names_nobody(
    browser_of: Callable[..., Client], account: str, lines: list[str], path: str, status: int
) -> None:
    browser = browser_of("ENERGY_APP", "OPERATIONS_APP")
    assert browser.get(path, headers=PROGRAM).status_code == status
    (line,) = lines
    assert line.endswith(f"request_id=r-1 user={sha256(account.encode()).hexdigest()[:16]}")
    assert Client().get("/en/finance", headers=PROGRAM).status_code == 401
    assert lines[-1].endswith("request_id=r-1")
