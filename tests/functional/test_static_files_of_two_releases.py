"""A release serves the static files that another one has left in the folder that they share, and nothing else."""

import gzip
import re
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.functional.test_serve import answer_of, serving

#: Of the other release alone.
STYLE = "/static/auth_app/later.0123456789ab.css"
RULES = b"a { color: red }\n" * 100


@pytest.fixture(scope="module")
def port(tmp_path_factory: pytest.TempPathFactory) -> Iterator[int]:
    folder = tmp_path_factory.mktemp("releases")
    shared = {"APP_STATIC_SHARED_DIR": str(folder / "shared")}
    with serving(folder / "state", app="auth_app", production=True, **shared) as (_, port):
        other = folder / "shared" / "auth_app" / STYLE.removeprefix("/static/")
        other.write_bytes(RULES)
        other.with_name(f"{other.name}.gz").write_bytes(gzip.compress(RULES))
        yield port


def test_the_style_sheet_of_another_release_is_served_compressed_and_not_sent_again(port: int) -> None:
    status, headers, body = answer_of(port, STYLE)
    assert (status, headers["content-type"], body) == (200, 'text/css; charset="utf-8"', RULES)
    assert "immutable" in headers["cache-control"]
    assert answer_of(port, STYLE, **{"If-None-Match": headers["etag"]})[0] == 304
    _, headers, packed = answer_of(port, STYLE, **{"Accept-Encoding": "gzip"})
    assert (headers["content-encoding"], gzip.decompress(packed)) == ("gzip", RULES)
    assert answer_of(port, f"{STYLE}.gz")[0] == 404, "a compressed file has no address of its own"


@pytest.mark.parametrize(
    "target",
    [
        "/static/.lock",
        "/static/../../../../../../../../etc/passwd.0123456789ab.css",
        "/static/x%00.0123456789ab.css",
        "/static/auth_app",
        f"/static/{'x' * 5000}.0123456789ab.css",
    ],
)
def test_no_other_name_leads_to_a_file(port: int, target: str) -> None:
    status, headers, body = answer_of(port, target)
    assert status in {400, 404}
    assert "immutable" not in headers.get("cache-control", "")
    assert b"root:" not in body


def test_a_server_whose_shared_folder_can_not_be_used_serves_its_own_files(tmp_path: Path) -> None:
    shared = tmp_path / "file"
    shared.touch()
    state = tmp_path / "state"
    with serving(state, app="auth_app", production=True, APP_STATIC_SHARED_DIR=str(shared)) as (_, port):
        page = answer_of(port, "/en/login")[2].decode()
        assert answer_of(port, re.search(r'href="(/static/auth_app/app\.[^"]+\.css)"', page)[1])[0] == 200
        assert answer_of(port, STYLE)[0] == 404
