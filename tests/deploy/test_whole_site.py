"""Projects as the unit starts them, with the variables of the example files, behind nginx: signed in over TLS."""

from __future__ import annotations

import os
import re
import subprocess
import sys
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

import pytest
import requests

from portal.config.cookies import SIGN_IN_COOKIES, VAR_ACCESS_TOKEN
from portal.config.limits import SIGN_IN_TRIES
from portal.config.projects import BACKEND_PORT_OFFSET, DEFAULT_PORT_BASE, PROJECT_BY_APP, PROJECTS
from portal.server.server_group import Server, ServerGroup
from tests.deploy.files import (
    PROJECT_VARIABLES,
    SHARED_VARIABLES,
    example_variables,
    start_command,
    unit_variables,
)
from tests.support.harness import ROOT, clean_environment, require_tool
from tests.support.http_browser import HttpBrowser
from tests.support.nginx_server import DOMAIN, Site, names_lead_here, running_site
from tests.support.ports import free_port, free_port_base

EMAIL, PASSWORD = "ada@example.com", "a long enough password"
#: Enough for a sign-in that leads from one name to another.
STARTED = ("auth_app", "energy")
METRICS_TOKEN = "a token of the scraper's"
JWT_KEY = "a key for tests that is long enough for HS256"


@dataclass(frozen=True)
class Whole:
    """nginx, and the projects' own ports behind it."""

    site: Site
    port_base: int

    @property
    def gateway(self) -> str:
        return self.site.url("auth")

    @property
    def energy(self) -> str:
        return self.site.url("energy")


class Person(HttpBrowser):
    """A browser that trusts the certificate, and says where a form comes from."""

    def __init__(self, site: Site) -> None:
        super().__init__()
        self.http.verify = str(site.certificate)

    def post(self, url: str, fields: dict[str, str], *, follow: bool = False, **headers: str) -> requests.Response:
        origin = "/".join(url.split("/", 3)[:3])
        return super().post(url, fields, follow=follow, **{"Origin": origin, **headers})


def variables_of(app: str, *, folder: Path, port_base: int, tls_port: int) -> dict[str, str | None]:
    """The example files' variables for one project; addresses and secrets are those of this test."""
    name = "auth" if app == "auth_app" else app
    written = {
        **unit_variables(),
        **example_variables(SHARED_VARIABLES.read_text()),
        **example_variables(PROJECT_VARIABLES.read_text().replace("energy", name)),
    }
    here = {
        "PORT_BASE": str(port_base),
        "APP_STATE_DIR": str(folder / "state"),
        "APP_PUBLIC_API_BASE_URL": f"http://127.0.0.1:{port_base + BACKEND_PORT_OFFSET}",
        "APP_METRICS_TOKEN": METRICS_TOKEN,
        "APP_JWT_KEY": JWT_KEY,
        "SECRET_KEY": f"a long random text for {app} in this test alone",
        "WORKERS": "1",
        # The addresses that the cookie domain gives, on the port of this test.
        **{
            project.url_variable: f"https://{'auth' if project.is_gateway else project.app}.{DOMAIN}:{tls_port}"
            for project in PROJECTS
        },
    }
    return clean_environment(**{"DEBUG": None, **written, **here})


@pytest.fixture(scope="module")
def whole(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Whole]:
    require_tool("nginx")
    folder = tmp_path_factory.mktemp("site")
    base, tls_port = free_port_base(), free_port()
    backend = clean_environment(DEBUG="on", SANDBOX_STATE_DIR=str(folder / "sandbox"), SANDBOX_JWT_KEY=JWT_KEY)
    sandbox = ("-m", "sandbox_api")
    group = ServerGroup(log=folder / "servers.log")
    account = ("create_account", "--email", EMAIL, "--permissions", "ENERGY_APP")
    for step in (("migrate",), account):
        command = [sys.executable, *sandbox, *step]
        typed = f"{PASSWORD}\n".encode()
        subprocess.run(command, cwd=ROOT, env=_merged(backend), input=typed, check=True, capture_output=True)
    servers = [
        Server(
            name="sandbox_api",
            command=(*sandbox, "serve", "--port", str(base + BACKEND_PORT_OFFSET)),
            port=base + BACKEND_PORT_OFFSET,
            environment=backend,
        )
    ]
    for project in map(PROJECT_BY_APP.__getitem__, STARTED):
        variables = variables_of(project.app, folder=folder, port_base=base, tls_port=tls_port)
        values = {name: value for name, value in variables.items() if value is not None}
        _, *words = start_command(project.app, variables=values)
        port = base + project.port_offset
        servers.append(Server(name=project.app, command=tuple(words), port=port, environment=variables))
    ports = {DEFAULT_PORT_BASE + project.port_offset: base + project.port_offset for project in PROJECTS}
    try:
        group.start(servers)
        group.wait_until_ready()
        with running_site(folder, ports=ports, tls_port=tls_port) as site, names_lead_here():
            yield Whole(site=site, port_base=base)
    finally:
        group.stop()


def _merged(variables: dict[str, str | None]) -> dict[str, str]:
    return {name: value for name, value in {**os.environ, **variables}.items() if value is not None}


def test_one_sign_in_opens_the_platform_on_its_own_name(whole: Whole) -> None:
    with Person(whole.site) as person:
        asked = person.get(f"{whole.energy}/en/energy/clients")
        assert asked.url.startswith(f"{whole.gateway}/en/login?next=https%3A%2F%2Fenergy.example.com%3A")
        signed_in = person.submit(asked, "/login", follow=False, email=EMAIL, password=PASSWORD)
        assert signed_in.status_code == 303
        page = person.get(signed_in.headers["Location"])
        assert (page.url, page.status_code) == (f"{whole.energy}/en/energy/clients", 200)
        kept = {cookie.name: cookie for cookie in person.http.cookies if cookie.name.startswith("VAR_")}
        assert set(kept) == set(SIGN_IN_COOKIES)
        assert all(cookie.secure and cookie.domain == ".example.com" for cookie in kept.values())
        assert page.headers["Strict-Transport-Security"].startswith("max-age=31536000")
        assert page.headers["Cache-Control"] == "private, no-store"


def test_a_form_that_came_over_https_is_taken(whole: Whole) -> None:
    with Person(whole.site) as person:
        person.sign_in(whole.gateway, email=EMAIL, password=PASSWORD)
        form = person.get(f"{whole.energy}/en/energy/clients/new")
        fields = {"name": "Zoë Behind Nginx", "email": "zoe@example.com"}
        page = person.submit(form, "/clients/new", **fields)
        assert page.url == f"{whole.energy}/en/energy/clients"
        assert len(re.findall("data-row-id=", page.text)) == 1
        assert "Zoë Behind Nginx" in page.text
        ended = person.submit(page, "/logout")
        assert ended.url == f"{whole.gateway}/en/signed-out"
        assert person.cookie(VAR_ACCESS_TOKEN) is None


@pytest.mark.parametrize(("accepted", "encoding"), [("gzip, deflate, br, zstd", "br"), ("gzip", "gzip")])
def test_static_files_are_compressed_and_kept_for_good(whole: Whole, accepted: str, encoding: str) -> None:
    with Person(whole.site) as person:
        page = person.get(f"{whole.gateway}/en/login")
        style = re.search(r'href="(/static/[^"]+\.css)"', page.text)[1]
        answer = person.get(f"{whole.gateway}{style}", **{"Accept-Encoding": accepted})
        assert answer.status_code == 200
        assert "immutable" in answer.headers["Cache-Control"]
        assert answer.headers["Content-Encoding"] == encoding
        assert answer.headers["Vary"] == "Accept-Encoding"


def test_a_page_is_compressed_for_its_own_origin(whole: Whole) -> None:
    with Person(whole.site) as person:
        lengths = {}
        for asker in ("same-origin", "cross-site"):
            answer = person.get(f"{whole.gateway}/en/login", **{"Sec-Fetch-Site": asker, "Accept-Encoding": "gzip"})
            assert "<form" in answer.text
            lengths[asker] = answer.headers.get("Content-Encoding"), answer.headers.get("Content-Length")
        assert lengths["same-origin"] == ("gzip", None)
        assert lengths["cross-site"] == (None, str(len(answer.content)))


def test_a_forged_address_buys_no_further_tries(whole: Whole) -> None:
    with Person(whole.site) as person:
        page = person.get(f"{whole.gateway}/en/login")
        statuses = []
        for number in range(SIGN_IN_TRIES + 1):
            values = {"email": "nobody@example.com", "password": "wrong"}
            forged = {"X-Forwarded-For": f"203.0.113.{number}", "Forwarded": f"for=203.0.113.{number}"}
            token = re.search(r'name="csrfmiddlewaretoken" value="([^"]+)"', page.text)[1]
            answer = person.post(page.url, {"csrfmiddlewaretoken": token, **values}, **forged)
            statuses.append(answer.status_code)
        assert statuses == [401] * SIGN_IN_TRIES + [429]


def test_a_forged_scheme_makes_no_page_insecure(whole: Whole) -> None:
    with Person(whole.site) as person:
        page = person.get(f"{whole.gateway}/en/login", **{"X-Forwarded-Proto": "http"})
        assert "Strict-Transport-Security" in page.headers


def test_the_counters_are_read_on_the_servers_own_port_with_the_token(whole: Whole) -> None:
    with Person(whole.site) as person:
        assert person.get(f"{whole.energy}/metrics").status_code == 404
        own = f"http://127.0.0.1:{whole.port_base + 1}/metrics"
        assert person.get(own).status_code == 403
        scraped = person.get(own, Authorization=f"Bearer {METRICS_TOKEN}")
        assert 'portal_refresh_total{app="energy"' in scraped.text


def test_a_load_balancer_may_ask_whether_it_lives_and_only_this_machine_whether_it_is_ready(whole: Whole) -> None:
    with Person(whole.site) as person:
        assert person.get(f"{whole.energy}/healthz").text == "ok\n"
        assert person.get(f"{whole.energy}/readyz").status_code == 404
        assert person.get(f"http://127.0.0.1:{whole.port_base + 1}/readyz").text == "ok\n"
