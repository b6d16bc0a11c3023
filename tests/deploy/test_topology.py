"""`make topology`: nginx over https, two instances of each project, Redis with Sentinels; started and stopped as one."""

import re
import signal
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

from portal.config.cookies import SIGN_IN_COOKIES, VAR_REFRESH_TOKEN
from portal_server.ports import port_is_free
from tests.support.harness import require_tool
from tests.support.local_run import Run
from tests.support.nginx_server import names_lead_here
from tests.support.ports import free_port_base
from tests.support.topology import DOMAIN, OFFSETS, Addresses, Person
from tests.support.topology.__main__ import PROGRAMS

#: Twenty-five processes start, on a machine that may be busy; seconds.
PATIENCE_S = 240
#: The most that it takes to stop all of it; seconds.
STOPS_WITHIN_S = 60
PAGES = {
    "energy": "/en/energy/clients",
    "operations": "/en/operations/work-orders",
    "finance": "/en/finance/invoices",
}


@pytest.fixture
def run(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Run]:
    for program in PROGRAMS:
        require_tool(program)
    (tmp_path / "tmp").mkdir()
    monkeypatch.setenv("TMPDIR", str(tmp_path / "tmp"))
    base = free_port_base(*OFFSETS)
    with Run(tmp_path, base, command=(sys.executable, "-m", "tests.support.topology")) as started:
        yield started


@pytest.mark.timeout(PATIENCE_S + 2 * STOPS_WITHIN_S)
def test_one_sign_in_opens_three_platforms_over_https_and_nothing_stays_behind(run: Run, tmp_path: Path) -> None:
    run.wait_for("ready", seconds=PATIENCE_S)
    addresses = Addresses(port_base=run.port_base)
    printed = "\n".join(run.lines)
    authority = Path(re.search(r"authority (\S+)", printed)[1])
    assert "all@example.com" in printed
    with names_lead_here(DOMAIN), Person(authority) as person:
        gateway = addresses.origin("auth_app")
        assert gateway in printed
        signed_in = person.sign_in(gateway, email="all@example.com")
        assert signed_in.status_code == 303
        for app, path in PAGES.items():
            page = person.get(addresses.origin(app) + path)
            assert (page.url, page.status_code) == (addresses.origin(app) + path, 200)
            assert "data-row-id=" in page.text
        assert {cookie.name for cookie in person.http.cookies if cookie.secure} >= set(SIGN_IN_COOKIES)
        ended = person.submit(page, "/logout")
        assert ended.url == f"{gateway}/en/signed-out"
        assert person.cookie(VAR_REFRESH_TOKEN) is None
        assert person.get(addresses.origin("energy") + PAGES["energy"]).url.startswith(f"{gateway}/en/login?next=")
    run.process.send_signal(signal.SIGTERM)
    assert run.process.wait(timeout=STOPS_WITHIN_S) == 0
    assert run.left_behind() == []
    assert list((tmp_path / "tmp").glob("portal-topology-*")) == []
    assert all(port_is_free("127.0.0.1", run.port_base + offset) for offset in (0, *OFFSETS))
