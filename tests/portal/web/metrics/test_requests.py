"""Each forwarded request counts once, under the name of its page and never under its path."""

import pytest
from django.test import Client

from portal.config.cookies import VAR_ACCESS_TOKEN
from portal.testing import access_token
from tests.support.counts import counted


def requests(route: str, status: int, method: str = "GET") -> float:
    return counted("portal_http_requests_total", route=route, method=method, status=str(status))


@pytest.mark.parametrize(
    ("method", "path", "route", "status"),
    [
        ("HEAD", "/healthz", "healthz", 200),
        ("BREW", "/healthz", "healthz", 405),
        ("GET", "/en/logout", "logout", 200),
        ("GET", "/static/nothing.css", "unknown", 404),
        ("GET", "/healthz/of/somebody", "unknown", 404),
    ],
)
def test_a_page_counts_by_its_name(method: str, path: str, route: str, status: int) -> None:
    label = "other" if method == "BREW" else method
    before, timed = requests(route, status, label), counted("portal_http_request_duration_seconds_count", route=route)
    assert Client().generic(method, path).status_code == status
    assert requests(route, status, label) == before + 1
    assert counted("portal_http_request_duration_seconds_count", route=route) == timed + 1


@pytest.mark.parametrize(
    ("path", "rule", "host"),
    [
        ("/", "1-normal-form", "testserver"),
        ("/healthz", "0-ungated", "testserver"),
        ("/en/logout", "0-unknown-host", "evil.test"),
    ],
)
def test_each_request_counts_by_the_rule_that_decided(path: str, rule: str, host: str) -> None:
    before = counted("portal_edge_decisions_total", rule=rule)
    Client(HTTP_HOST=host).get(path, headers={"accept": "text/html"})
    assert counted("portal_edge_decisions_total", rule=rule) == before + 1


def test_a_page_of_a_rule_that_refuses_counts_as_refused() -> None:
    client = Client()
    client.cookies[VAR_ACCESS_TOKEN] = access_token("ada", "ENERGY_APP")
    before = requests("refused", 403, "POST")
    assert client.post("/en/finance", headers={"accept": "text/html"}).status_code == 403
    assert requests("refused", 403, "POST") == before + 1
    assert counted("portal_http_requests_in_progress") == 0
