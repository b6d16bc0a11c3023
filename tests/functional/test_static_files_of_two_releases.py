"""Two releases of one project run side by side, and each serves the static files of the other."""

from __future__ import annotations

import contextlib
import gzip
import http.client
import os
import re
import signal
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

from portal.server.ports import answers
from tests.functional.test_serve import production_environment, until
from tests.support.checkout_copy import copy_of_checkout
from tests.support.harness import ROOT
from tests.support.ports import free_port

#: Of the later release's style sheet alone.
ADDED = "\n.only-in-the-later-release { color: red }\n"
PAGE = "/en/login"


@contextlib.contextmanager
def release(checkout: Path, state: Path, **variables: str) -> Iterator[int]:
    """A server of the gateway that runs the code of this checkout; gives its port."""
    port = free_port()
    command = [sys.executable, "manage.py", "--app", "auth_app", "serve", "--port", str(port)]
    environment = production_environment(state, **variables) | {"PYTHONPATH": f"{checkout}:{checkout}/packages"}
    process = subprocess.Popen(
        command, cwd=checkout, env=environment, start_new_session=True, stderr=subprocess.PIPE, text=True
    )
    try:
        until(lambda: answers(port) or process.poll() is not None, seconds=60, what="the server answers")
        assert process.poll() is None, process.stderr.read()
        yield port
    finally:
        with contextlib.suppress(ProcessLookupError):
            os.killpg(process.pid, signal.SIGKILL)
        process.communicate()


def get(port: int, path: str, **headers: str) -> tuple[int, http.client.HTTPMessage, bytes]:
    connection = http.client.HTTPConnection("127.0.0.1", port, timeout=60)
    with contextlib.closing(connection):
        connection.request("GET", path, headers={"Accept": "text/html,*/*", **headers})
        response = connection.getresponse()
        return response.status, response.headers, response.read()


def style_of(port: int) -> str:
    """The address of the page's style sheet."""
    return re.search(rb'href="(/static/auth_app/app\.[^"]+\.css)"', get(port, PAGE)[2])[1].decode()


@pytest.fixture(scope="module")
def releases(tmp_path_factory: pytest.TempPathFactory) -> Iterator[tuple[int, int]]:
    """The ports of an earlier and of a later release."""
    folder = tmp_path_factory.mktemp("releases")
    later = copy_of_checkout(folder / "later")
    with (later / "apps/auth_app/static/auth_app/app.css").open("a") as sheet:
        sheet.write(ADDED)
    shared = {"APP_STATIC_SHARED_DIR": str(folder / "shared")}
    earlier = copy_of_checkout(folder / "earlier")
    with release(earlier, folder / "state", **shared) as old, release(later, folder / "state", **shared) as new:
        yield old, new


def test_each_serves_the_style_sheet_of_the_other(releases: tuple[int, int]) -> None:
    old, new = releases
    assert style_of(old) != style_of(new)
    for port, other in ((old, new), (new, old)):
        status, headers, body = get(port, style_of(other))
        assert (status, headers["Content-Type"]) == (200, 'text/css; charset="utf-8"')
        assert "immutable" in headers["Cache-Control"]
        assert body == get(other, style_of(other))[2]
        assert (ADDED.strip().encode() in body) == (other == new)


def test_it_comes_compressed_and_is_not_sent_again(releases: tuple[int, int]) -> None:
    old, new = releases
    style = style_of(new)
    _, headers, body = get(old, style, **{"Accept-Encoding": "gzip"})
    assert headers["Content-Encoding"] == "gzip"
    assert gzip.decompress(body) == get(new, style)[2]
    assert get(old, style, **{"If-None-Match": headers["ETag"]})[0] == 304


@pytest.mark.parametrize(
    "target",
    [
        "/static/auth_app/app.ffffffffffff.css",
        "/static/auth_app/app.css",
        "/static/.in-use",
        "/static/.lock",
        "/static/../../../../../../../../etc/passwd.0123456789ab.css",
        "/static/%2e%2e/%2e%2e/state/x.0123456789ab.css",
        "/static//etc/x.0123456789ab.css",
        "/static/x%00.0123456789ab.css",
        "/static/x\\..\\y.0123456789ab.css",
        "/static/auth_app/",
        "/static/auth_app",
        f"/static/{'x' * 5000}.0123456789ab.css",
    ],
)
def test_no_other_name_leads_to_a_file(releases: tuple[int, int], target: str) -> None:
    status, headers, body = get(releases[0], target)
    assert status in {400, 404}
    assert "immutable" not in headers.get("Cache-Control", "")
    assert b"root:" not in body


def test_a_compressed_file_has_no_address_of_its_own(releases: tuple[int, int]) -> None:
    old, new = releases
    assert get(old, f"{style_of(new)}.br")[0] == 404


def test_a_server_whose_shared_folder_can_not_be_used_serves_its_own_files(tmp_path: Path) -> None:
    (tmp_path / "file").touch()
    with release(ROOT, tmp_path / "state", APP_STATIC_SHARED_DIR=str(tmp_path / "file")) as port:
        assert get(port, style_of(port))[0] == 200
        assert get(port, "/static/auth_app/app.ffffffffffff.css")[0] == 404
