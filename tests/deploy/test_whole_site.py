"""Projects as the unit starts them, with the variables of the example files, behind nginx: signed in over TLS."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from portal.config.cookies import SIGN_IN_COOKIES
from tests.support.harness import require_tool
from tests.support.nginx_server import names_lead_here
from tests.support.ports import free_port_base
from tests.support.topology import DOMAIN, OFFSETS, Person, Topology, running_topology

EMAIL, PASSWORD = "energy@example.com", "demo"
#: Enough for a sign-in that leads from one name to another.
STARTED = ("auth_app", "energy")


@pytest.fixture(scope="module")
def whole(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Topology]:
    require_tool("nginx")
    with (
        running_topology(
            tmp_path_factory.mktemp("site"),
            port_base=free_port_base(*OFFSETS),
            instances=1,
            workers=1,
            redis=False,
            apps=STARTED,
        ) as topology,
        names_lead_here(DOMAIN),
    ):
        yield topology


def test_one_sign_in_opens_the_platform_on_its_own_name(whole: Topology) -> None:
    with Person(whole.authority) as person:
        asked = person.get(f"{whole.url('energy')}/en/energy/clients")
        assert asked.url.startswith(f"{whole.url('auth_app')}/en/login?next=https%3A%2F%2Fenergy.portal.test%3A")
        signed_in = person.submit(asked, "/login", follow=False, email=EMAIL, password=PASSWORD)
        assert signed_in.status_code == 303
        page = person.get(signed_in.headers["Location"])
        assert (page.url, page.status_code) == (f"{whole.url('energy')}/en/energy/clients", 200)
        kept = {cookie.name: cookie for cookie in person.http.cookies if cookie.name.startswith("VAR_")}
        assert set(kept) == set(SIGN_IN_COOKIES)
        assert all(cookie.secure and cookie.domain == ".portal.test" for cookie in kept.values())
        assert page.headers["Strict-Transport-Security"].startswith("max-age=31536000")
        assert page.headers["Cache-Control"] == "private, no-store"
        insecure = person.get(f"{whole.url('auth_app')}/en/login", **{"X-Forwarded-Proto": "http"})
        assert "Strict-Transport-Security" in insecure.headers, "the scheme can't be forged"
        for asker, encoding in (("same-origin", "gzip"), ("cross-site", None)):
            asked = {"Sec-Fetch-Site": asker, "Accept-Encoding": "gzip"}
            assert person.get(page.url, **asked).headers.get("Content-Encoding") == encoding
