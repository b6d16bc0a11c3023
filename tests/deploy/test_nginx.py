"""The site file of nginx, in front of servers that only say what reached them."""

import contextlib
import json
import re
import ssl
import time
from collections.abc import Iterator
from pathlib import Path

import pytest
import requests

from portal.config.cookies import MAX_COOKIE_BYTES, VAR_ACCESS_TOKEN, VAR_PERMITTED_PLATFORMS, VAR_REFRESH_TOKEN
from portal.config.projects import DEFAULT_PORT_BASE, PROJECTS
from tests.support.nginx_server import DOMAIN, Site, names_lead_here, running_site
from tests.support.ports import free_port
from tests.support.serving import Call, Reply, serving

NAME_BY_APP = {project.app: "auth" if project.is_gateway else project.app for project in PROJECTS}
#: A token as large as browsers keep it.
LARGEST = "x" * (MAX_COOKIE_BYTES - len(VAR_REFRESH_TOKEN) - 1)
#: What nginx waits for headers where nothing is said, seconds; far longer than what is said in a test.
HEADERS_OF_NGINX_S = 60
PAGE = b"<!doctype html><title>A page</title>" + b"<p>A row</p>" * 100


class Echo:
    """Answers with the request: target, headers. `/page` is a page, `/ends` has no answer."""

    def __init__(self, app: str) -> None:
        self.app = app
        self.targets: list[str] = []
        self.port = free_port()

    def answer(self, call: Call) -> Reply | None:
        self.targets.append(call.target)
        if call.target == "/ends":
            return None
        if call.target == "/page":
            return Reply(200, PAGE, [("Content-Type", "text/html; charset=utf-8")])
        cookies = []
        if call.target == "/sets-tokens":
            for name in (VAR_ACCESS_TOKEN, VAR_REFRESH_TOKEN):
                cookies.append(("Set-Cookie", f"{name}={LARGEST}; Domain={DOMAIN}; Path=/; Secure; HttpOnly"))
                cookies.append(("Set-Cookie", f'{name}=""; Max-Age=0; Path=/; Secure'))
        received = {"app": self.app, "target": call.target, "headers": call.headers}
        return Reply(200, json.dumps(received).encode(), [("Content-Type", "application/json"), *cookies])


@pytest.fixture(scope="module")
def echoes() -> Iterator[dict[str, Echo]]:
    """An echo for each project, for both of its servers, but finance, which is down."""
    with contextlib.ExitStack() as stack:
        made = {app: Echo(app) for app in NAME_BY_APP}
        for app in set(NAME_BY_APP) - {"finance"}:
            made[app].port = stack.enter_context(serving(made[app].answer)).port
        yield made


def ports_of(echoes: dict[str, Echo]) -> dict[int, int]:
    """Both servers of a project are its echo."""
    return {
        project.instance_port(instance, port_base=DEFAULT_PORT_BASE): echoes[project.app].port
        for project in PROJECTS
        for instance in (1, 2)
    }


@pytest.fixture(scope="module")
def site(echoes: dict[str, Echo], tmp_path_factory: pytest.TempPathFactory) -> Iterator[Site]:
    with (
        running_site(tmp_path_factory.mktemp("nginx"), ports=ports_of(echoes), tls_port=free_port()) as running,
        names_lead_here(),
    ):
        yield running


def ask(
    site: Site, path: str = "/", *, name: str = "auth", method: str = "GET", **options: object
) -> requests.Response:
    with requests.Session() as session:
        session.trust_env = False
        return session.request(
            method, site.url(name, path), verify=str(site.certificate), timeout=10, allow_redirects=False, **options
        )


def send(site: Site, target: str, *headers: str, host: str = "auth.example.com", tls: bool = True) -> bytes:
    """Send a request as it is; what no HTTP client would send."""
    lines = [f"GET {target} HTTP/1.1", f"Host: {host}", "Connection: close", *headers]
    return site.send("".join(f"{line}\r\n" for line in [*lines, ""]).encode(), tls=tls)


def received(answer: requests.Response) -> dict[str, str]:
    """Return the headers that reached the server."""
    headers: dict[str, str] = answer.json()["headers"]
    return headers


def test_each_name_leads_to_its_project(site: Site) -> None:
    for app in ("auth_app", "energy", "operations"):
        assert ask(site, name=NAME_BY_APP[app]).json()["app"] == app


def test_the_server_learns_the_host_the_scheme_and_the_address(site: Site) -> None:
    headers = received(ask(site))
    assert headers["host"] == f"auth.example.com:{site.tls_port}"
    assert headers["x-forwarded-proto"] == "https"
    assert headers["x-forwarded-for"] == "127.0.0.1"
    assert re.fullmatch("[0-9a-f]{32}", headers["x-request-id"])


@pytest.mark.parametrize(
    "name",
    [
        *("X-Forwarded-For", "X-Forwarded-Proto", "X-Forwarded-Host", "X-Forwarded-Port", "X-Real-IP", "Forwarded"),
        # The last two are the same names to WSGI.
        *("X-Request-ID", "x-forwarded-for", "X_Forwarded_For", "X_Forwarded-Proto"),
    ],
)
def test_nobody_can_forge_what_a_proxy_says(site: Site, name: str) -> None:
    answer = send(site, "/", f"{name}: 6.6.6.6", f"{name}: 6.6.6.6")
    assert answer.startswith(b"HTTP/1.1 200")
    assert b"6.6.6.6" not in answer


@pytest.mark.parametrize(
    "target", ["/en/energy/clients/a%2Fb?q=a%20b&next=%2F", "/en/..%2Fme", "/en//x", "/en/%e2%82%ac/../x", "/?%00"]
)
def test_an_address_arrives_as_it_was_sent(site: Site, target: str) -> None:
    assert json.loads(send(site, target).partition(b"\r\n\r\n")[2])["target"] == target


@pytest.mark.parametrize("page", ["metrics", "readyz"])
@pytest.mark.parametrize(
    "form", ["/{}", "/{}/", "/{}/x", "/{}?x=1", "//{}", "/./{}", "/en/../{}", "/x/..//{}", "/%{:x}{}", "/{}%2f"]
)
def test_what_is_for_the_machine_alone_is_not_here(site: Site, echoes: dict[str, Echo], page: str, form: str) -> None:
    target = form.format(ord(page[0]), page[1:]) if ":x" in form else form.format(page)
    before = len(echoes["auth_app"].targets)
    assert send(site, target).startswith(b"HTTP/1.1 404")
    assert len(echoes["auth_app"].targets) == before


def test_largest_cookies_arrive_whole_and_larger_are_refused(site: Site) -> None:
    pairs = [f"{name}={LARGEST}" for name in (VAR_ACCESS_TOKEN, VAR_REFRESH_TOKEN)] * 2
    cookie = "; ".join([*pairs, f"{VAR_PERMITTED_PLATFORMS}=" + "%22" * 1024])
    assert received(ask(site, headers={"Cookie": cookie}))["cookie"] == cookie
    assert ask(site, headers={"Cookie": "a=" + "x" * 40_000}).status_code == 400


@pytest.mark.parametrize(
    ("sent", "arrives"),
    [
        ("b=\u00e9; a=1; c; d=2", "a=1; c; d=2"),
        ("a=1; \u00e9; c=\u00e9; d=2; \u00fc=3", "a=1; d=2;"),
        ("a=\u00e9", None),
    ],
)
def test_cookies_outside_ascii_do_not_arrive(site: Site, sent: str, arrives: str | None) -> None:
    """The servers would read no cookie beside them."""
    assert received(ask(site, headers={"Cookie": sent.encode()})).get("cookie") == arrives


def test_the_largest_tokens_can_be_set(site: Site) -> None:
    answer = ask(site, "/sets-tokens")
    assert answer.status_code == 200
    assert answer.raw.headers.getlist("Set-Cookie")[2].startswith(f"{VAR_REFRESH_TOKEN}={LARGEST};")


@pytest.mark.parametrize(("size", "status"), [(2**20, 200), (2**20 + 1, 413)])
def test_a_body_has_its_limit(site: Site, size: int, status: int) -> None:
    assert ask(site, "/en/login", method="POST", data=b"x" * size).status_code == status


@pytest.mark.parametrize(
    ("path", "asker", "compressed"),
    [
        ("/page", "same-origin", True),
        ("/data", "same-origin", False),
        # "none" too: Chromium says it for what a sibling name prefetches by its speculation rules, with the cookies.
        *(
            ("/page", asker, False)
            for asker in ("cross-site", "same-site", "none", None, "", "same-origin, cross-site")
        ),
    ],
)
def test_only_a_page_that_no_other_site_may_have_opened_is_compressed(
    site: Site, path: str, asker: str | None, *, compressed: bool
) -> None:
    answer = ask(site, path, headers={} if asker is None else {"Sec-Fetch-Site": asker})
    assert answer.headers.get("Content-Encoding") == ("gzip" if compressed else None)
    assert path != "/page" or answer.content == PAGE


def test_a_request_whose_answer_may_be_compressed_is_passed_on_like_any_other(site: Site) -> None:
    own = {"Sec-Fetch-Site": "same-origin", "X-Forwarded-For": "6.6.6.6"}
    headers = received(ask(site, headers=own))
    assert headers["host"] == f"auth.example.com:{site.tls_port}"
    assert (headers["x-forwarded-for"], headers["x-forwarded-proto"]) == ("127.0.0.1", "https")
    assert ask(site, "/metrics", headers=own).status_code == 404
    assert ask(site, "/en/finance", name="finance", headers=own).headers["Retry-After"] == "5"


@pytest.mark.parametrize(
    ("path", "language", "said"),
    [("/depot", "en", "You are still signed in"), ("/tr/finance?next=/de", "tr", "şu anda gösterilemiyor")],
)
def test_a_project_that_is_down_is_a_503_in_the_words_of_a_person(
    site: Site, path: str, language: str, said: str
) -> None:
    answer = ask(site, path, name="finance")
    assert (answer.status_code, answer.headers["Retry-After"]) == (503, "5")
    assert answer.headers["Cache-Control"] == "no-store"
    assert answer.headers["Content-Type"] == "text/html; charset=utf-8"
    assert f"<html lang={language}>" in answer.text
    assert said in answer.text
    assert answer.headers["X-Request-Id"] in answer.text


@pytest.mark.parametrize(("method", "tries"), [("POST", 1), ("GET", 2)])
def test_a_page_is_asked_of_the_other_server_when_its_server_ends_in_the_middle_and_a_form_is_not_sent_twice(
    site: Site, echoes: dict[str, Echo], method: str, tries: int
) -> None:
    before = len(echoes["energy"].targets)
    assert ask(site, "/ends", name="energy", method=method).status_code == 503
    assert echoes["energy"].targets[before:] == ["/ends"] * tries


def test_unended_headers_keep_no_connection(echoes: dict[str, Echo], tmp_path: Path) -> None:
    lower = {"client_header_timeout 15s": "client_header_timeout 1s"}
    with running_site(tmp_path, ports=ports_of(echoes), tls_port=free_port(), lower=lower) as site:
        began = time.monotonic()
        with contextlib.suppress(ConnectionError):
            site.send(b"GET / HTTP/1.1\r\nHost: auth.example.com\r\n")
        assert time.monotonic() - began < HEADERS_OF_NGINX_S


def test_who_asks_for_too_much_is_told_so_in_words(echoes: dict[str, Echo], tmp_path: Path) -> None:
    lower = {"rate=300r/s": "rate=1r/m", "burst=600": "burst=2"}
    with running_site(tmp_path, ports=ports_of(echoes), tls_port=free_port(), lower=lower) as site, names_lead_here():
        answers = [ask(site, "/de/x", name="operations") for _ in range(5)]
    assert [answer.status_code for answer in answers] == [200] * 3 + [429] * 2
    assert answers[-1].headers["Retry-After"] == "1"
    assert "Zu viele Anfragen auf einmal" in answers[-1].text
    assert echoes["operations"].targets.count("/de/x") == 3


@pytest.mark.parametrize("sni", [None, "example.com", "evil.test", "meters.example.com"])
def test_a_name_that_is_not_ours_gets_no_certificate(site: Site, sni: str | None) -> None:
    with pytest.raises(ssl.SSLError, match="UNRECOGNIZED_NAME"):
        site.send(b"GET / HTTP/1.1\r\nHost: auth.example.com\r\n\r\n", sni=sni)


@pytest.mark.parametrize("host", ["evil.test", "127.0.0.1", "example.com", "auth.example.com.evil.test"])
@pytest.mark.parametrize("tls", [True, False])
def test_a_host_that_is_not_ours_is_refused(site: Site, echoes: dict[str, Echo], host: str, *, tls: bool) -> None:
    before = len(echoes["auth_app"].targets)
    assert send(site, "/", host=host, tls=tls).startswith(b"HTTP/1.1 421")
    assert len(echoes["auth_app"].targets) == before


def test_without_tls_a_name_of_ours_leads_to_https(site: Site) -> None:
    answer = send(site, "/en/login?next=%2Fen", tls=False)
    assert answer.startswith(b"HTTP/1.1 308")
    assert b"\r\nLocation: https://auth.example.com/en/login?next=%2Fen\r\n" in answer


def test_the_log_names_the_request_and_keeps_no_query(site: Site) -> None:
    request_id = received(ask(site, "/login/oidc/callback?code=of-somebody"))["x-request-id"]
    (line,) = site.logged(request_id)
    assert '"GET /login/oidc/callback" 200' in line
    assert "of-somebody" not in site.log.read_text()
