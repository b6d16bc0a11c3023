"""`manage.py --app … serve`: one project with the production server, as a process of its own."""

from __future__ import annotations

import contextlib
import gzip
import http.client
import os
import re
import shutil
import signal
import socket
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from pathlib import Path

import brotli
import pytest

from portal.config.projects import PROJECTS
from portal.server.ports import answers, port_is_free
from tests.support.harness import ROOT, clean_environment
from tests.support.ports import free_port_base

DEAD_BACKEND = "http://127.0.0.1:9"


def environment(state: Path, **variables: str | None) -> dict[str, str]:
    merged = {
        **os.environ,
        **clean_environment(
            **{"DEBUG": "on", "APP_STATE_DIR": str(state), "APP_PUBLIC_API_BASE_URL": DEAD_BACKEND, **variables}
        ),
    }
    return {name: value for name, value in merged.items() if value is not None}


def production_environment(state: Path, **variables: str | None) -> dict[str, str]:
    """:func:`environment` with what a project must be told outside of `DEBUG`."""
    required = {
        "DEBUG": "off",
        "SECRET_KEY": "k" * 50,
        "ALLOWED_HOSTS": "localhost,127.0.0.1",
        "APP_PUBLIC_GATEWAY_APP_URL": "http://gateway.test",
    }
    return environment(state, **{**required, **variables})


def until(condition: Callable[[], object], *, seconds: float, what: str) -> None:
    end = time.monotonic() + seconds
    while not condition():
        assert time.monotonic() < end, f"not within {seconds} s: {what}"
        time.sleep(0.05)


@contextlib.contextmanager
def serving(
    state: Path, *options: str, app: str = "energy", port: int | None = None, **variables: str | None
) -> Iterator[tuple[int, int]]:
    """Gives the server's process id and its port."""
    port = port or free_port_base()
    command = [sys.executable, "manage.py", "--app", app, "serve", "--port", str(port), *options]
    process = subprocess.Popen(
        command, cwd=ROOT, env=environment(state, **variables), start_new_session=True, stderr=subprocess.PIPE
    )
    try:
        until(lambda: answers(port) or process.poll() is not None, seconds=30, what="the server answers")
        assert process.poll() is None, process.stderr.read().decode()
        yield process.pid, port
    finally:
        with contextlib.suppress(ProcessLookupError):
            os.killpg(process.pid, signal.SIGKILL)
        process.wait()
        process.stderr.close()


def get(port: int, path: str) -> tuple[int, bytes]:
    connection = http.client.HTTPConnection("127.0.0.1", port, timeout=30)
    with contextlib.closing(connection):
        connection.request("GET", path, headers={"Accept": "text/html"})
        response = connection.getresponse()
        return response.status, response.read()


def children(pid: int) -> set[int]:
    """Process ids of the direct children."""
    with contextlib.suppress(FileNotFoundError):
        return {int(word) for word in Path(f"/proc/{pid}/task/{pid}/children").read_text().split()}
    return set()


@pytest.mark.parametrize("app", [project.app for project in PROJECTS])
def test_each_project_passes_its_checks_in_a_fresh_process(app: str, tmp_path: Path) -> None:
    command = [sys.executable, "manage.py", "--app", app, "check", "--fail-level", "WARNING"]
    result = subprocess.run(command, cwd=ROOT, env=environment(tmp_path), capture_output=True, text=True, check=False)
    assert result.returncode == 0, result.stderr
    assert "no issues" in result.stdout


def test_the_server_needs_no_backend_and_nothing_run_before_it(tmp_path: Path) -> None:
    with serving(tmp_path) as (_, port):
        connection = http.client.HTTPConnection("127.0.0.1", port, timeout=5)
        connection.request("GET", "/en/energy", headers={"Accept": "text/html"})
        response = connection.getresponse()
        response.read()
        assert response.status == 302
        assert "/en/login" in response.getheader("Location", "")
        connection.close()


@contextlib.contextmanager
def gateway_in_production(state: Path) -> Iterator[http.client.HTTPConnection]:
    """A connection to the gateway as production runs it."""
    production = {"DEBUG": "off", "SECRET_KEY": "k" * 50, "ALLOWED_HOSTS": "127.0.0.1"}
    with serving(state, app="auth_app", APP_PUBLIC_GATEWAY_APP_URL=DEAD_BACKEND, **production) as (_, port):
        connection = http.client.HTTPConnection("127.0.0.1", port, timeout=5)
        yield connection
        connection.close()


def test_static_files_have_hashed_names_are_compressed_and_are_cached_for_good(tmp_path: Path) -> None:
    with gateway_in_production(tmp_path) as connection:
        connection.request("GET", "/en/login", headers={"Accept": "text/html"})
        page = connection.getresponse().read().decode()
        style = re.search(r'href="(/static/auth_app/app\.[0-9a-f]+\.css)"', page)[1]
        connection.request("GET", style)
        plain = connection.getresponse().read()
        assert b"@import" not in plain, "one style sheet"
        packers = {"br": brotli.decompress, "gzip": gzip.decompress}
        for accepted, encoding in {"gzip, deflate, br, zstd": "br", "gzip, deflate": "gzip"}.items():
            connection.request("GET", style, headers={"Accept-Encoding": accepted})
            response = connection.getresponse()
            body = response.read()
            assert (response.status, response.getheader("Content-Encoding")) == (200, encoding)
            assert packers[encoding](body) == plain
            assert response.getheader("Content-Length") == str(len(body))
            assert response.getheader("Vary") == "Accept-Encoding"
            assert "immutable" in response.getheader("Cache-Control", "")
        connection.request("GET", style, headers={"If-None-Match": response.getheader("ETag")})
        kept = connection.getresponse()
        assert (kept.status, kept.read()) == (304, b"")
        assert "immutable" in kept.getheader("Cache-Control", "")
        connection.request("GET", "/static/staticfiles.json")
        index = connection.getresponse()
        assert (index.status, b"app.css" in index.read()) == (404, False), "the list of all files is nobody's business"


def test_each_answer_tells_its_length(tmp_path: Path) -> None:
    page, fetched = {"Accept": "text/html"}, {"Accept": "application/json"}
    asked = {
        ("GET", "/en/login", 200): page,
        ("HEAD", "/en/login", 200): page,
        ("GET", "/", 307): page,
        ("GET", "/en/profile", 302): page,
        ("GET", "/en/profile", 401): fetched,
        ("GET", "/en/login/nothing", 404): page,
        ("POST", "/en/login", 403): page,
        ("GET", "/sign-in-state", 200): fetched,
        ("GET", "/favicon.ico", 200): {},
        ("HEAD", "/robots.txt", 200): {},
        ("GET", "/healthz", 200): {},
    }
    with gateway_in_production(tmp_path) as connection:
        for (method, target, status), headers in asked.items():
            connection.request(method, target, headers=headers)
            response = connection.getresponse()
            body = response.read()
            assert response.status == status, (method, target)
            assert response.getheader("Transfer-Encoding") is None, (method, target)
            length = int(response.getheader("Content-Length", "-1"))
            assert length == len(body) if method == "GET" else length > 0, (method, target)
        connection.request("OPTIONS", "/en/login")
        nothing = connection.getresponse()
        assert (nothing.status, nothing.getheader("Content-Length"), nothing.read()) == (204, None, b"")


def started_at(pid: int) -> float:
    """When a process began, by the kernel: seconds since the machine did. Field 22 of `stat`, in clock ticks."""
    fields = Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()
    return int(fields[19]) / os.sysconf("SC_CLK_TCK")


def test_a_worker_that_dies_is_replaced_within_5_s_again_and_again(tmp_path: Path) -> None:
    with serving(tmp_path, "--workers", "2") as (pid, port):
        until(lambda: len(children(pid)) == 2, seconds=30, what="two workers")
        for _ in range(3):
            before = children(pid)
            killed_at = time.clock_gettime(time.CLOCK_BOOTTIME)
            for worker in before:
                os.kill(worker, signal.SIGKILL)
            until(
                lambda before=before: len(children(pid) - before) == 2 and answers(port),
                seconds=30,
                what="both workers are replaced",
            )
            # By the kernel's clock: however long this test itself waits for its turn on a busy machine.
            assert max(started_at(worker) for worker in children(pid)) - killed_at <= 5


def test_the_server_stops_on_sigterm_and_frees_its_port(tmp_path: Path) -> None:
    with serving(tmp_path) as (pid, port):
        os.kill(pid, signal.SIGTERM)
        until(lambda: port_is_free("127.0.0.1", port), seconds=5, what="the port is free")


def test_workers_end_when_their_server_is_killed(tmp_path: Path) -> None:
    with serving(tmp_path) as (pid, port):
        workers = children(pid)
        assert workers
        os.kill(pid, signal.SIGKILL)
        until(lambda: port_is_free("127.0.0.1", port), seconds=5, what="no worker keeps the port")


@pytest.mark.parametrize(("variables", "said"), [(environment, " in DEBUG"), (production_environment, "")])
def test_the_log_says_of_a_server_that_it_is_in_debug(
    tmp_path: Path, variables: Callable[[Path], dict[str, str]], said: str
) -> None:
    port = free_port_base()
    command = [sys.executable, "manage.py", "--app", "energy", "serve", "--port", str(port)]
    process = subprocess.Popen(command, cwd=ROOT, env=variables(tmp_path), stderr=subprocess.PIPE, text=True)
    try:
        line = next(line for line in process.stderr if "serving at" in line)
    finally:
        process.terminate()
        process.communicate(timeout=10)
    assert line.endswith(f" serving at http://127.0.0.1:{port}{said}: 1 worker(s) of 8 threads\n")


def test_a_taken_port_is_named_in_one_line(tmp_path: Path) -> None:
    with socket.socket() as taken:
        taken.bind(("127.0.0.1", 0))
        taken.listen(1)
        port = taken.getsockname()[1]
        command = [sys.executable, "manage.py", "--app", "energy", "serve", "--port", str(port)]
        result = subprocess.run(
            command, cwd=ROOT, env=environment(tmp_path), capture_output=True, text=True, check=False
        )
    assert result.returncode != 0
    assert (
        result.stderr.strip()
        == f"CommandError: port {port} is taken: stop what listens there, or name another with --port"
    )


def test_a_missing_variable_stops_the_start_with_one_line(tmp_path: Path) -> None:
    command = [sys.executable, "manage.py", "--app", "energy", "serve"]
    settings = environment(tmp_path) | {"DEBUG": "off"}
    result = subprocess.run(command, cwd=ROOT, env=settings, capture_output=True, text=True, check=False)
    assert result.returncode != 0
    assert result.stderr == "energy: SECRET_KEY is missing: it should be a long random text\n"


def test_without_an_app_the_entry_lists_what_there_is(tmp_path: Path) -> None:
    command = [sys.executable, str(ROOT / "manage.py")]
    result = subprocess.run(
        command, cwd=tmp_path, env=environment(tmp_path), capture_output=True, text=True, check=False
    )
    assert result.returncode == 0
    for word in ("auth_app", "energy", "operations", "finance", "run", "startplatform"):
        assert f"  {word}" in result.stdout


def test_an_unknown_app_is_answered_with_the_names_of_all(tmp_path: Path) -> None:
    command = [sys.executable, "manage.py", "--app", "nowhere", "check"]
    result = subprocess.run(command, cwd=ROOT, env=environment(tmp_path), capture_output=True, text=True, check=False)
    assert result.returncode == 2
    assert (
        result.stderr
        == f"--app nowhere: no such project; there are {', '.join(project.app for project in PROJECTS)} and sandbox_api\n"
    )


#: Runs `serve` as `manage.py` does, and says at its end what the process has imported.
SERVE_AND_TELL = """
import atexit, sys
atexit.register(lambda: print(sorted({"django", "environ", "portal.server.startup"} & sys.modules.keys())))
from portal.operate.program.entry import main
sys.exit(main(["manage.py", "--app", "energy", "serve", *sys.argv[1:]]))
"""


@pytest.mark.parametrize(
    ("workers", "imported"),
    [("1", "[]"), ("2", "['django', 'environ', 'portal.server.startup']")],
    ids=["one", "several"],
)
def test_the_parent_imports_the_project_for_several_workers_alone(tmp_path: Path, workers: str, imported: str) -> None:
    port = free_port_base()
    command = [sys.executable, "-c", SERVE_AND_TELL, "--port", str(port), "--workers", workers]
    process = subprocess.Popen(
        command, cwd=ROOT, env=environment(tmp_path), start_new_session=True, stdout=subprocess.PIPE, text=True
    )
    try:
        until(lambda: answers(port) or process.poll() is not None, seconds=30, what="the server answers")
        process.terminate()
        said, _ = process.communicate(timeout=10)
        assert said == f"{imported}\n"
    finally:
        with contextlib.suppress(ProcessLookupError):
            os.killpg(process.pid, signal.SIGKILL)
        process.wait()


def test_the_private_folders_of_a_server_go_with_it(tmp_path: Path) -> None:
    folder = tmp_path / "tmp"
    folder.mkdir()
    with serving(tmp_path, TMPDIR=str(folder)) as (pid, port):
        [private] = folder.glob("portal-server-*/static")
        assert list(private.rglob("*.css"))
        os.kill(pid, signal.SIGTERM)
        until(lambda: port_is_free("127.0.0.1", port) and not list(folder.iterdir()), seconds=5, what="all is removed")


def test_the_folders_of_a_killed_server_are_removed_by_the_next_start_and_those_of_a_living_one_stay(
    tmp_path: Path,
) -> None:
    folder = tmp_path / "tmp"
    folder.mkdir()
    with serving(tmp_path, TMPDIR=str(folder)) as (pid, _):
        left = set(folder.iterdir())
        workers = children(pid)
        os.kill(pid, signal.SIGKILL)
        until(lambda: not any(Path(f"/proc/{worker}").exists() for worker in workers), seconds=30, what="no worker")
    assert left
    assert set(folder.iterdir()) == left
    with serving(tmp_path, TMPDIR=str(folder)):
        first = set(folder.iterdir())
        assert not first & left
        with serving(tmp_path, TMPDIR=str(folder)):
            assert first < set(folder.iterdir())


def test_a_worker_that_is_replaced_after_its_static_files_were_lost_still_has_pages(tmp_path: Path) -> None:
    """A cleaner of temporary files may take the folders of a server that runs for weeks."""
    folder = tmp_path / "tmp"
    folder.mkdir()
    with serving(tmp_path, app="auth_app", TMPDIR=str(folder)) as (pid, port):
        for private in folder.iterdir():
            shutil.rmtree(private)
        [worker] = children(pid)
        os.kill(worker, signal.SIGKILL)
        until(lambda: not children(pid) & {worker} and answers(port), seconds=30, what="the worker is replaced")
        status, body = get(port, "/en/login")
        assert status == 200
        assert b'href="/static/auth_app/app.css"' in body
        assert get(port, "/metrics")[0] == 200


def test_help_is_help_and_starts_nothing(tmp_path: Path) -> None:
    command = [sys.executable, "manage.py", "--app", "energy", "serve", "--help"]
    result = subprocess.run(command, cwd=ROOT, env=environment(tmp_path), capture_output=True, text=True, check=False)
    assert (result.returncode, result.stderr) == (0, "")
    assert "--end-with-parent" in result.stdout
