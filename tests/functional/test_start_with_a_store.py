"""The start of a real server whose Redis is away, or whose address is wrong."""

import re
import subprocess
import sys
from pathlib import Path

import pytest

from portal_operate.management.commands.serve import STORE_WAIT_S
from portal_server.ports import answers
from tests.deploy.files import unit_settings
from tests.functional.test_serve import environment
from tests.portal_server.processes import get, until
from tests.support.harness import ROOT
from tests.support.ports import free_port
from tests.support.redis_server import RedisServer, running_redis

pytestmark = pytest.mark.redis
PATIENCE_S = 60


def start_server(folder: Path, port: int, url: str) -> subprocess.Popen[bytes]:
    """`serve` of one project, with this `CACHE_URL`; its log goes to `folder/log`."""
    command = [sys.executable, "manage.py", "--app", "energy", "serve", "--port", str(port)]
    with (folder / "log").open("wb") as log:
        return subprocess.Popen(command, cwd=ROOT, env=environment(folder, CACHE_URL=url), stdout=log, stderr=log)


def test_a_store_that_starts_a_moment_later_is_waited_for(tmp_path) -> None:
    server, port = RedisServer(tmp_path), free_port()
    process = start_server(tmp_path, port, server.url())
    try:
        log = tmp_path / "log"
        until(lambda: "Waiting for at most" in log.read_text(), seconds=PATIENCE_S, what="it waits")
        server.start()
        until(lambda: answers(port) and get(port, "/readyz")[0] == 200, seconds=PATIENCE_S, what="it is ready")
    finally:
        process.terminate()
        process.wait(timeout=PATIENCE_S)
        server.stop()
    assert "CACHE_URL can't be reached: nothing listens at its port." in (tmp_path / "log").read_text()


def test_a_wrong_password_is_refused_at_once_in_one_line(tmp_path) -> None:
    with running_redis(tmp_path, "--requirepass", "the-right-one") as server:
        url = f"redis://:the-wrong-one@127.0.0.1:{server.port}/0"
        assert start_server(tmp_path, free_port(), url).wait(timeout=PATIENCE_S) == 1
    (line,) = (tmp_path / "log").read_text().splitlines()
    cause = "it refuses the user or the password, or wants one"
    hint = "docs/reference/environment.md has the forms of its address"
    assert line == f"energy: CACHE_URL can't work: {cause}; {hint}"


def test_systemd_never_gives_up_on_a_store_that_is_away() -> None:
    unit = unit_settings()
    interval, burst = int(unit["StartLimitIntervalSec"][0]), int(unit["StartLimitBurst"][0])
    pause = int(re.sub(r"\D", "", unit["RestartSec"][0]))
    assert (STORE_WAIT_S + pause) * burst > interval
