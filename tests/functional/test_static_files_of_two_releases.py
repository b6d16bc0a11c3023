"""Two releases of one project run side by side, and each serves the static files of the other."""

from __future__ import annotations

import gzip
import re
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.functional.test_serve import answer_of, serving
from tests.support.checkout_copy import copy_of_checkout

#: Of the later release's style sheet alone.
ADDED = "\n.only-in-the-later-release { color: red }\n"


def style_of(port: int) -> str:
    """The address of the page's style sheet."""
    return re.search(rb'href="(/static/auth_app/app\.[^"]+\.css)"', answer_of(port, "/en/login")[2])[1].decode()


@pytest.fixture(scope="module")
def releases(tmp_path_factory: pytest.TempPathFactory) -> Iterator[tuple[int, int]]:
    """The ports of an earlier and of a later release."""
    folder = tmp_path_factory.mktemp("releases")
    later = copy_of_checkout(folder / "later")
    with (later / "apps/auth_app/static/auth_app/app.css").open("a") as sheet:
        sheet.write(ADDED)
    shared = {"app": "auth_app", "production": True, "APP_STATIC_SHARED_DIR": str(folder / "shared")}
    with (
        serving(folder / "old", checkout=copy_of_checkout(folder / "earlier"), **shared) as (_, old),
        serving(folder / "new", checkout=later, **shared) as (_, new),
    ):
        yield old, new


def test_each_serves_the_style_sheet_of_the_other(releases: tuple[int, int]) -> None:
    old, new = releases
    assert style_of(old) != style_of(new)
    for port, other in ((old, new), (new, old)):
        status, headers, body = answer_of(port, style_of(other))
        assert (status, headers["content-type"]) == (200, 'text/css; charset="utf-8"')
        assert "immutable" in headers["cache-control"]
        assert body == answer_of(other, style_of(other))[2]
        assert (ADDED.strip().encode() in body) == (other == new)


def test_it_comes_compressed_and_is_not_sent_again(releases: tuple[int, int]) -> None:
    old, new = releases
    style = style_of(new)
    _, headers, body = answer_of(old, style, **{"Accept-Encoding": "gzip"})
    assert headers["content-encoding"] == "gzip"
    assert gzip.decompress(body) == answer_of(new, style)[2]
    assert answer_of(old, style, **{"If-None-Match": headers["etag"]})[0] == 304
    assert answer_of(old, f"{style}.br")[0] == 404, "a compressed file has no address of its own"


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
    status, headers, body = answer_of(releases[0], target)
    assert status in {400, 404}
    assert "immutable" not in headers.get("cache-control", "")
    assert b"root:" not in body


def test_a_server_whose_shared_folder_can_not_be_used_serves_its_own_files(tmp_path: Path) -> None:
    (tmp_path / "file").touch()
    shared = str(tmp_path / "file")
    with serving(tmp_path / "state", app="auth_app", production=True, APP_STATIC_SHARED_DIR=shared) as (_, port):
        assert answer_of(port, style_of(port))[0] == 200
        assert answer_of(port, "/static/auth_app/app.ffffffffffff.css")[0] == 404
