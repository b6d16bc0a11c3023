"""Projects as the unit starts them, with the variables of the example files, behind nginx: signed in over TLS."""

from __future__ import annotations

import re
from collections.abc import Iterator

import pytest

from portal.config.cookies import SIGN_IN_COOKIES, VAR_ACCESS_TOKEN
from portal.config.limits import SIGN_IN_TRIES
from tests.support.harness import require_tool
from tests.support.nginx_server import names_lead_here
from tests.support.ports import free_port_base
from tests.support.topology import DOMAIN, OFFSETS, Person, Topology, running_topology

EMAIL, PASSWORD = "energy@example.com", "demo"
#: Enough for a sign-in that leads from one name to another.
STARTED = ("auth_app", "energy")
METRICS_TOKEN = "a token of the scraper's"


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
            more={"APP_METRICS_TOKEN": METRICS_TOKEN},
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


def test_a_form_that_came_over_https_is_taken(whole: Topology) -> None:
    with Person(whole.authority) as person:
        person.sign_in(whole.url("auth_app"), email=EMAIL, password=PASSWORD)
        form = person.get(f"{whole.url('energy')}/en/energy/clients/new")
        fields = {"name": "Zoë Behind Nginx", "email": "zoe@example.com"}
        page = person.submit(form, "/clients/new", **fields)
        assert re.fullmatch(rf"{whole.url('energy')}/en/energy/clients/cli_\w+", page.url)
        page = person.get(f"{whole.url('energy')}/en/energy/clients")
        _, first, *others = page.text.split("data-row-id=")
        assert ["Zoë Behind Nginx" in row for row in (first, *others[:-1])] == [True, *[False] * len(others[:-1])]
        ended = person.submit(page, "/logout")
        assert ended.url == f"{whole.url('auth_app')}/en/signed-out"
        assert person.cookie(VAR_ACCESS_TOKEN) is None


def test_a_forged_address_buys_no_further_tries(whole: Topology) -> None:
    with Person(whole.authority) as person:
        page = person.get(f"{whole.url('auth_app')}/en/login")
        statuses = []
        for number in range(SIGN_IN_TRIES + 1):
            values = {"email": "nobody@example.com", "password": "wrong"}
            forged = {"X-Forwarded-For": f"203.0.113.{number}", "Forwarded": f"for=203.0.113.{number}"}
            token = re.search(r'name="csrfmiddlewaretoken" value="([^"]+)"', page.text)[1]
            answer = person.post(page.url, {"csrfmiddlewaretoken": token, **values}, **forged)
            statuses.append(answer.status_code)
        assert statuses == [401] * SIGN_IN_TRIES + [429]


def test_the_counters_are_read_on_the_servers_own_port_with_the_token(whole: Topology) -> None:
    with Person(whole.authority) as person:
        assert person.get(f"{whole.url('energy')}/metrics").status_code == 404
        own = f"http://127.0.0.1:{whole.instances['energy-1'].port}/metrics"
        assert person.get(own).status_code == 403
        scraped = person.get(own, Authorization=f"Bearer {METRICS_TOKEN}")
        assert 'portal_refresh_total{app="energy"' in scraped.text
