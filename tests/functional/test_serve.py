"""`manage.py --app … serve`: one project with the production server, as a process of its own."""

import contextlib
import gzip
import http.client
import os
import re
import shutil
import signal
import sys
from collections.abc import Iterator
from pathlib import Path

import brotli
import pytest

from portal_server.ports import answers, port_is_free
from tests.portal_server.processes import get, until
from tests.support.harness import PRODUCTION, ROOT, clean_environment, prepare_files, with_own
from tests.support.ports import free_port_base
from tests.support.private_folder import run_folder
from tests.support.processes import process_group, workers_of

DEAD_BACKEND = "http://127.0.0.1:9"


def environment(state: Path, **variables: str | None) -> dict[str, str]:
    own = {"DEBUG": "on", "APP_STATE_DIR": str(state), "APP_PUBLIC_API_BASE_URL": DEAD_BACKEND}
    return with_own(clean_environment(**{**own, **variables}))


def production_environment(state: Path, **variables: str | None) -> dict[str, str]:
    """:func:`environment` with what a project must be told outside of `DEBUG`."""
    return environment(state, **{**PRODUCTION, **variables})


@contextlib.contextmanager
def serving(
    state: Path,
    *options: str,
    app: str = "energy",
    production: bool = False,
    port: int | None = None,
    checkout: Path | None = None,
    **variables: str | None,
) -> Iterator[tuple[int, int]]:
    """Gives the server's process id and its port. All that it writes is in :func:`log_of` its state folder.

    :param checkout: whose code runs; this one's otherwise.
    """
    port = port or free_port_base()
    command = [sys.executable, "manage.py", "--app", app, "serve", "--port", str(port), *options]
    given = (production_environment if production else environment)(state, **variables)
    if production and checkout is None:
        prepare_files(state, app)
    if checkout is not None:
        given["PYTHONPATH"] = f"{checkout}:{checkout}/packages"
    state.mkdir(exist_ok=True)
    with (
        log_of(state).open("ab") as log,
        process_group(command, cwd=checkout or ROOT, env=given, stdout=log, stderr=log) as process,
    ):
        until(lambda: answers(port) or process.poll() is not None, seconds=60, what="the server answers")
        assert process.poll() is None, log_of(state).read_text()
        yield process.pid, port


def log_of(state: Path) -> Path:
    return state / "server.log"


def answer_of(
    port: int, path: str, *, method: str = "GET", body: str | None = None, **headers: str
) -> tuple[int, dict[str, str], bytes]:
    """Status, headers by their names in small letters, and body."""
    connection = http.client.HTTPConnection("127.0.0.1", port, timeout=60)
    with contextlib.closing(connection):
        connection.request(method, path, body, headers={"Accept": "text/html", **headers})
        response = connection.getresponse()
        given = {name.lower(): value for name, value in response.getheaders()}
        return response.status, given, response.read()


@pytest.fixture(scope="module")
def gateway(tmp_path_factory: pytest.TempPathFactory) -> Iterator[int]:
    """The port of the gateway as production runs it."""
    state = tmp_path_factory.mktemp("gateway")
    with serving(state, app="auth_app", production=True) as (_, port):
        yield port
    assert re.search(r" serving at http://127.0.0.1:\d+: 1 worker\(s\) of 8 threads\n", log_of(state).read_text())


def test_static_files_have_hashed_names_are_compressed_and_are_cached_for_good(gateway: int) -> None:
    page = answer_of(gateway, "/en/login")[2].decode()
    style = re.search(r'href="(/static/auth_app/app\.[0-9a-f]+\.css)"', page)[1]
    plain = answer_of(gateway, style)[2]
    assert b"@import" not in plain, "one style sheet"
    packers = {"br": brotli.decompress, "gzip": gzip.decompress}
    for accepted, encoding in {"gzip, deflate, br, zstd": "br", "gzip, deflate": "gzip"}.items():
        status, given, body = answer_of(gateway, style, **{"Accept-Encoding": accepted})
        assert (status, given["content-encoding"]) == (200, encoding)
        assert packers[encoding](body) == plain
        assert given["content-length"] == str(len(body))
        assert given["vary"] == "Accept-Encoding"
        assert "immutable" in given["cache-control"]
    status, given, body = answer_of(gateway, style, **{"If-None-Match": given["etag"]})
    assert (status, body) == (304, b"")
    assert "immutable" in given["cache-control"]
    status, _, body = answer_of(gateway, "/static/staticfiles.json")
    assert (status, b"app.css" in body) == (404, False), "the list of all files is nobody's business"


@pytest.mark.parametrize(
    ("method", "target", "status", "accepted"),
    [
        ("GET", "/en/login", 200, "text/html"),
        ("HEAD", "/en/login", 200, "text/html"),
        ("GET", "/", 307, "text/html"),
        ("GET", "/en/profile", 401, "application/json"),
        ("POST", "/en/login", 403, "text/html"),
        ("GET", "/favicon.ico", 200, "*/*"),
        ("OPTIONS", "/en/login", 204, "*/*"),
    ],
)
def test_each_answer_tells_its_length(gateway: int, method: str, target: str, status: int, accepted: str) -> None:
    found, given, body = answer_of(gateway, target, method=method, Accept=accepted)
    assert found == status
    assert "transfer-encoding" not in given
    if method == "OPTIONS":
        assert ("content-length" in given, body) == (False, b"")
    else:
        length = int(given["content-length"])
        assert length > 0 if method == "HEAD" else length == len(body)


def test_start_finds_what_another_configuration_has_prepared(tmp_path: Path) -> None:
    prepare_files(tmp_path, "auth_app")
    assert [path.name for path in (run_folder() / "prepared-auth_app" / "state").iterdir()] == ["prepared"]
    kept = tmp_path / "prepared" / "auth_app"
    made = kept.stat()
    elsewhere = {"ALLOWED_HOSTS": "127.0.0.1", "APP_PUBLIC_GATEWAY_APP_URL": "https://a.test"}
    with serving(tmp_path, app="auth_app", production=True, **elsewhere) as (_, port):
        found = re.findall(r"/static/[^\"]+", get(port, "/tr/login")[1].decode())
        assert {get(port, path)[0] for path in found} == {200}
    assert (kept.stat().st_ino, kept.stat().st_mtime_ns) == (made.st_ino, made.st_mtime_ns)


def test_the_server_stops_on_sigterm_frees_its_port_and_takes_its_private_folders_along(tmp_path: Path) -> None:
    folder = tmp_path / "tmp"
    folder.mkdir()
    with serving(tmp_path, TMPDIR=str(folder)) as (pid, port):
        [private] = folder.glob("portal-server-*/static")
        assert list(private.rglob("*.css"))
        os.kill(pid, signal.SIGTERM)
        until(lambda: port_is_free("127.0.0.1", port) and not list(folder.iterdir()), seconds=5, what="all is removed")
    assert f"{port} in DEBUG: 1 worker(s) of 8 threads\n" in log_of(tmp_path).read_text()


def test_killed_server_leaves_no_worker_and_next_start_removes_folders(tmp_path: Path) -> None:
    folder = tmp_path / "tmp"
    folder.mkdir()
    with serving(tmp_path, TMPDIR=str(folder)) as (pid, port):
        left = set(folder.iterdir())
        assert workers_of(pid)
        os.kill(pid, signal.SIGKILL)
        until(lambda: port_is_free("127.0.0.1", port), seconds=5, what="no worker keeps the port")
    assert left
    assert set(folder.iterdir()) == left
    with serving(tmp_path, TMPDIR=str(folder)):
        assert not set(folder.iterdir()) & left


def test_a_worker_that_is_replaced_after_its_static_files_were_lost_still_has_pages(tmp_path: Path) -> None:
    """A cleaner of temporary files may take the folders of a server that runs for weeks."""
    folder = tmp_path / "tmp"
    folder.mkdir()
    with serving(tmp_path, app="auth_app", TMPDIR=str(folder)) as (pid, port):
        for private in folder.iterdir():
            shutil.rmtree(private)
        [worker] = workers_of(pid)
        os.kill(worker, signal.SIGKILL)
        until(lambda: worker not in workers_of(pid) and answers(port), seconds=30, what="the worker is replaced")
        status, body = get(port, "/en/login")
        assert status == 200
        assert b'href="/static/auth_app/app.css"' in body
        assert get(port, "/metrics")[0] == 200
