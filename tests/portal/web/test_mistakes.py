"""A mistake in a team's code reaches Django as an exception. It is shown neither as an outage nor as a page of ours."""

import logging
from typing import Any

import pytest
from django.test import Client
from responses import RequestsMock

from portal.errors import ConfigurationError, UsageError
from tests.portal.web.conftest import BACKEND

UNKNOWN_PARAMETER = (
    "energy.get_clients: colour is no parameter of this endpoint; it knows city, createdAtFrom, createdAtTo, q, sort"
)


@pytest.mark.parametrize(
    ("path", "kind", "message"),
    [
        *((f"/en/energy/in-{place}", UsageError, UNKNOWN_PARAMETER) for place in ("view", "template", "callback")),
        ("/en/energy/in-body", UsageError, "the body can't be written as JSON"),
        ("/en/in-settings", ConfigurationError, "'nowhere' is no project"),
    ],
)
def test_otherwise_the_log_has_one_traceback_and_the_page_tells_nothing(
    *, backend: RequestsMock, energy_user: Client, settings: Any, caplog: Any, path: str, kind: type, message: str
) -> None:
    settings.ROOT_URLCONF = "tests.support.mistaken_urls"
    backend.post(f"{BACKEND}/energy/clients", json={"id": "cli_1", "name": "Ada", "email": "ada@example.com"})
    energy_user.raise_request_exception = False
    response = energy_user.post(path)
    assert response.status_code == 500
    assert 'data-status="500"' in response.content.decode()
    assert message not in response.content.decode()
    (line,) = [record for record in caplog.records if record.levelno >= logging.ERROR]
    assert line.exc_info is not None
    assert isinstance(line.exc_info[1], kind)
    assert message in str(line.exc_info[1])
