"""What a running server writes: one form for the lines of all who write there, each with the request that it is about."""

from __future__ import annotations

import contextlib
import http.client
import json
import os
import re
import signal
import subprocess
import sys
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest

from portal.server.ports import answers
from tests.functional.test_serve import children, environment, production_environment, until
from tests.support.harness import ROOT
from tests.support.ports import free_port_base

SERVE = """
from portal.server.workers import serve_wsgi
serve_wsgi(target={target!r}, host="127.0.0.1", port={port}, workers=1, threads=2)
"""
TEXT_LINE = re.compile(r"\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z (DEBUG|INFO|WARNING|ERROR|CRITICAL) energy \S+ ")


@contextlib.contextmanager
def logged_server(
    folder: Path, *options: str, target: str | None = None, **variables: str
) -> Iterator[tuple[int, int, Path]]:
    """Gives the server's process id, its port and the file that takes all that it writes.

    :param target: a WSGI application in place of the energy project's own.
    """
    log, port = folder / "server.log", free_port_base()
    command = [sys.executable, "manage.py", "--app", "energy", "serve", "--port", str(port), *options]
    if target is not None:
        command = [sys.executable, "-c", SERVE.format(target=target, port=port)]
    # Production, so that the checks have something to warn of: nothing verifies tokens, hosts share no cookies.
    settings = production_environment(folder, **variables)
    with log.open("wb") as out:
        process = subprocess.Popen(command, cwd=ROOT, env=settings, stdout=out, stderr=out, start_new_session=True)
    try:
        until(lambda: answers(port) or process.poll() is not None, seconds=30, what="the server answers")
        assert process.poll() is None, log.read_text()
        yield process.pid, port, log
    finally:
        with contextlib.suppress(ProcessLookupError):
            os.killpg(process.pid, signal.SIGKILL)
        process.wait()


def ask(port: int, path: str, **headers: str) -> int:
    connection = http.client.HTTPConnection("127.0.0.1", port, timeout=10)
    try:
        connection.request("GET", path, headers={"Accept": "text/html", **headers})
        response = connection.getresponse()
        response.read()
        return response.status
    finally:
        connection.close()


@pytest.mark.parametrize("log_format", ["text", "json"])
def test_the_lines_of_all_who_write_there_have_one_form(tmp_path: Path, log_format: str) -> None:
    with logged_server(tmp_path, APP_LOG_FORMAT=log_format) as (pid, port, log):
        assert ask(port, "/static/nothing.css") == 404
        assert ask(port, "/healthz", Host="evil.test") == 200
        assert ask(port, "/en/energy", Host="evil.test") == 400
        (worker,) = children(pid)
        os.kill(worker, signal.SIGKILL)
        until(lambda: children(pid) - {worker} and answers(port), seconds=60, what="the worker is replaced")
        until(lambda: "has ended by itself" in log.read_text(), seconds=10, what="the parent says so")
    lines = log.read_text().splitlines()
    if log_format == "json":
        found = [json.loads(line) for line in lines]
        assert all(
            list(line)[:5] == ["time", "level", "app", "logger", "message"] and line["app"] == "energy"
            for line in found
        )
        loggers = {line["logger"] for line in found}
    else:
        assert all(TEXT_LINE.match(line) for line in lines), lines
        loggers = {line.split()[3] for line in lines}
    # The command, its checks, the edge, Django, the server: each in its own words, all in one form.
    assert {
        "portal.server",
        "portal.edge.middleware",
        "portal.edge.http.allowed_hosts",
        "django.request",
    } <= loggers


@pytest.mark.parametrize(
    ("content_type", "body", "status"),
    [
        ("multipart/form-data", "--x\r\n", 400),
        ("application/x-www-form-urlencoded", "&".join(f"f{number}=" for number in range(2000)), 413),
    ],
    ids=["no boundary", "too many fields"],
)
def test_a_form_that_cannot_be_read_is_one_line_and_no_error_of_the_server(
    tmp_path: Path, content_type: str, body: str, status: int
) -> None:
    secret = "a" * 32
    headers = {
        "Content-Type": content_type,
        "Cookie": f"csrf_energy={secret}; __Host-csrf_energy={secret}",
        "Accept": "text/html",
    }
    with logged_server(tmp_path, APP_LOG_FORMAT="json") as (_, port, log):
        connection = http.client.HTTPConnection("127.0.0.1", port, timeout=10)
        connection.request("POST", "/locale", body, {**headers, "X-Request-Id": "the-form"})
        with connection.getresponse() as response:
            assert response.status == status
        connection.close()
        lines = [json.loads(line) for line in log.read_text().splitlines()]
    about = [line for line in lines if line.get("request_id") == "the-form" and line["logger"].startswith("django.")]
    assert [(line["level"], line.get("exception")) for line in about] == [("WARNING", None)]


def test_each_line_names_its_own_request_whichever_thread_writes_it(tmp_path: Path) -> None:
    with (
        logged_server(tmp_path, "--threads", "3", APP_LOG_FORMAT="json") as (_, port, log),
        ThreadPoolExecutor(8) as visitors,
    ):
        visits = [visitors.submit(ask, port, f"/static/{n}.css", **{"X-Request-Id": f"r-{n}"}) for n in range(200)]
        assert {visit.result() for visit in visits} == {404}
        found = [json.loads(line) for line in log.read_text().splitlines()]
    named = {line["request_id"]: line["message"] for line in found if line.get("request_id", "").startswith("r-")}
    assert named == {f"r-{n}": f"Not Found: /static/{n}.css" for n in range(200)}
    assert all("request_id" not in line for line in found if line["logger"] == "portal.server")


def test_a_line_about_lost_cookies_names_no_request_but_its_own(tmp_path: Path) -> None:
    """It is written before the request has an id, in a thread that has answered others."""
    with logged_server(tmp_path, "--threads", "1", APP_LOG_FORMAT="json") as (_, port, log):
        assert ask(port, "/static/nothing.css", **{"X-Request-Id": "the-one-before"}) == 404
        assert ask(port, "/healthz", Cookie="a=\xe9") == 200
        until(lambda: "cookies were lost" in log.read_text(), seconds=10, what="the line is written")
        found = [json.loads(line) for line in log.read_text().splitlines()]
    (lost,) = [line for line in found if line["logger"] == "portal.server.wsgi.lost_cookies"]
    assert "request_id" not in lost


def test_an_unknown_format_stops_the_start_with_one_line(tmp_path: Path) -> None:
    command = [sys.executable, "manage.py", "--app", "energy", "serve"]
    settings = environment(tmp_path, APP_LOG_FORMAT="xml")
    result = subprocess.run(command, cwd=ROOT, env=settings, capture_output=True, text=True, check=False)
    assert result.returncode != 0
    assert result.stderr == "energy: APP_LOG_FORMAT should be text or json\n"
