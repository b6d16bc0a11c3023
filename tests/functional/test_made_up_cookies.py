"""Requests of nobody, with cookies that no browser keeps, against the running server: they leave nothing behind."""

import os
from pathlib import Path

from portal.config.cookies import VAR_ACCESS_TOKEN, VAR_PERMITTED_PLATFORMS, VAR_REFRESH_TOKEN
from tests.functional.test_serve import answer_of, serving
from tests.support.http_server import reply, scripted_server
from tests.support.processes import workers_of

COOKIE_CHARS = 350_000
REQUESTS = 150
#: Bytes. Kept whole, the cookies would be 52 MB.
ROOM = 24 * 1024 * 1024


def resident_bytes(pid: int) -> int:
    return int(Path(f"/proc/{pid}/statm").read_text().split()[1]) * os.sysconf("SC_PAGE_SIZE")


def test_a_worker_keeps_nothing_of_cookies_that_no_browser_keeps(tmp_path: Path) -> None:
    refusal = reply(b"{}", status="401 Unauthorized")
    with (
        scripted_server(lambda _, out: out.sendall(refusal)) as backend,
        serving(tmp_path, production=True, APP_PUBLIC_API_BASE_URL=backend.url) as (pid, port),
    ):
        (worker,) = workers_of(pid)

        def visit(number: int) -> int:
            made_up = f"e30.{number:0{COOKIE_CHARS}d}.x"
            cookies = f"{VAR_ACCESS_TOKEN}={made_up}; {VAR_REFRESH_TOKEN}=r{number}; {VAR_PERMITTED_PLATFORMS}=%5B%22ENERGY%22%5D"
            return answer_of(port, "/en/essentials", Cookie=cookies)[0]

        # What a worker needs once, for its first pages, is none of it.
        statuses = {visit(number) for number in range(20)}
        before = resident_bytes(worker)
        statuses |= {visit(number) for number in range(20, 20 + REQUESTS)}
        grown = resident_bytes(worker) - before
    assert statuses == {302}, "the refresh was refused"
    assert {request.line for request in backend.received} == {"POST /refresh HTTP/1.1"}
    assert grown < ROOM, f"{grown / 1024 / 1024:.0f} MB"
