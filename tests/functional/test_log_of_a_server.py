"""What a running server writes: one form for the lines of all who write there, each with the request that it is about."""

import json
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest

from tests.functional.test_serve import answer_of, log_of, serving
from tests.portal_server.processes import until

#: The command, its checks, the edge, Django, the server: each in its own words, all in one form.
LOGGERS = {"portal.server", "portal.edge.middleware", "portal.edge.http.allowed_hosts", "django.request"}


@pytest.fixture(scope="module")
def server(tmp_path_factory: pytest.TempPathFactory) -> Iterator[tuple[int, Path]]:
    """Its port and its log, in JSON."""
    # Production, so that the checks have something to warn of: nothing verifies tokens, hosts share no cookies.
    state = tmp_path_factory.mktemp("json")
    with serving(state, "--threads", "3", production=True, APP_LOG_FORMAT="json") as (_, port):
        yield port, log_of(state)


def lines_of(log: Path) -> list[dict[str, object]]:
    return [json.loads(line) for line in log.read_text().splitlines()]


def test_json_lines_name_their_own_requests(server: tuple[int, Path]) -> None:
    port, log = server
    assert answer_of(port, "/en/energy", Host="evil.test")[0] == 400
    with ThreadPoolExecutor(8) as visitors:
        visits = [visitors.submit(answer_of, port, f"/static/{n}.css", **{"X-Request-Id": f"r-{n}"}) for n in range(60)]
        assert {visit.result()[0] for visit in visits} == {404}
    found = lines_of(log)
    named = {line["request_id"]: line["message"] for line in found if str(line.get("request_id")).startswith("r-")}
    assert named == {f"r-{n}": f"Not Found: /static/{n}.css" for n in range(60)}
    assert all("request_id" not in line for line in found if line["logger"] == "portal.server")
    assert {tuple(line)[:5] for line in found} == {("time", "level", "app", "logger", "message")}
    assert {line["app"] for line in found} == {"energy"}
    assert {line["logger"] for line in found} >= LOGGERS


@pytest.mark.parametrize(
    ("content_type", "body", "status"),
    [
        ("multipart/form-data", "--x\r\n", 400),
        ("application/x-www-form-urlencoded", "&".join(f"f{number}=" for number in range(2000)), 413),
    ],
    ids=["no boundary", "too many fields"],
)
def test_unreadable_form_is_one_line(server: tuple[int, Path], content_type: str, body: str, status: int) -> None:
    port, log = server
    cookies = f"csrf_energy={'a' * 32}; __Host-csrf_energy={'a' * 32}"
    sent = {"Content-Type": content_type, "Cookie": cookies, "X-Request-Id": f"the-form-{status}"}
    assert answer_of(port, "/locale", method="POST", body=body, **sent)[0] == status
    about = [line for line in lines_of(log) if line.get("request_id") == f"the-form-{status}"]
    by_django = [line for line in about if str(line["logger"]).startswith("django.")]
    assert [(line["level"], line.get("exception")) for line in by_django] == [("WARNING", None)]


def test_a_line_about_lost_cookies_names_no_request_but_its_own(server: tuple[int, Path]) -> None:
    """It is written before the request has an id, in a thread that has answered others."""
    port, log = server
    for number in range(6):
        assert answer_of(port, "/static/nothing.css", **{"X-Request-Id": f"before-{number}"})[0] == 404
    assert answer_of(port, "/healthz", Cookie="a=\xe9")[0] == 400
    until(lambda: "cookies were lost" in log.read_text(), seconds=10, what="the line is written")
    (lost,) = [line for line in lines_of(log) if line["logger"] == "portal.server.wsgi.lost_cookies"]
    assert "request_id" not in lost
