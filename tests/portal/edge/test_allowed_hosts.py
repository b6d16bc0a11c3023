"""A request for a host that is not ours is refused, whatever its path, by Django's own check."""

import pytest
from django.http import HttpRequest
from django.test import Client, RequestFactory, override_settings

from portal.edge.middleware import MAX_CACHED, AllowedHosts

PATHS = (
    "GET /",
    "GET /en/energy",
    "GET /healthz/x",
    "GET /static/x.css",
    "GET /en/a\\b",
    "POST /locale",
    "OPTIONS /en",
)


@pytest.mark.parametrize("request_line", PATHS)
@pytest.mark.parametrize("host", ["localhost.evil.com", "", "10.0.0.7", "x@localhost"])
def test_every_path_is_refused_for_another_host(request_line: str, host: str) -> None:
    response = Client().generic(*request_line.split(), headers={"host": host, "accept": "text/html"})
    assert (response.status_code, response["Content-Type"]) == (400, "application/problem+json")
    assert response.json()["status"] == 400
    assert "Location" not in response.headers
    assert not response.cookies


@pytest.mark.parametrize(
    ("path", "host", "status"),
    [
        # A load balancer knows an instance by its address; what a probe is told depends on no host.
        *(("/healthz", host, 200) for host in ("10.0.0.7:8001", "evil.com")),
        *(("/robots.txt", host, 200) for host in ("localhost:8001", "LOCALHOST", "testserver.", "127.0.0.1")),
        # Of the server alone.
        ("/robots.txt", None, 200),
    ],
)
def test_own_host_passes_and_probes_name_any(path: str, host: str | None, status: int) -> None:
    client = Client(SERVER_NAME="localhost", headers={} if host is None else {"host": host})
    assert client.get(path).status_code == status
    assert Client(SERVER_NAME="0.0.0.0").get("/robots.txt").status_code == 400


class CountedRequest(HttpRequest):
    """Counts how often Django's own check runs."""

    checks = 0

    def get_host(self) -> str:
        type(self).checks += 1
        return super().get_host()


def request_for(host: str) -> HttpRequest:
    request = CountedRequest()
    request.META = RequestFactory(headers={"host": host}).get("/").META
    return request


def test_accepted_host_is_checked_once(caplog: pytest.LogCaptureFixture) -> None:
    CountedRequest.checks, hosts = 0, AllowedHosts()
    assert [hosts.accepts(request_for("localhost:8001")) for _ in range(3)] == [True] * 3
    assert CountedRequest.checks == 1
    assert [hosts.accepts(request_for("evil.com")) for _ in range(3)] == [False] * 3
    assert CountedRequest.checks == 4
    assert "evil.com" in caplog.text


@override_settings(ALLOWED_HOSTS=["*"])
def test_what_is_kept_is_bounded() -> None:
    hosts = AllowedHosts()
    for checks in (3 * MAX_CACHED, 2 * MAX_CACHED):
        CountedRequest.checks = 0
        assert all(hosts.accepts(request_for(f"h{number}.test")) for number in range(3 * MAX_CACHED))
        assert CountedRequest.checks == checks


@override_settings(USE_X_FORWARDED_HOST=True)
def test_where_another_header_names_the_host_nothing_is_kept() -> None:
    hosts = AllowedHosts()
    assert hosts.accepts(request_for("localhost"))
    request = request_for("localhost")
    request.META["HTTP_X_FORWARDED_HOST"] = "evil.com"
    assert not hosts.accepts(request)
