"""The audit log of real servers: each event of a sign-in is one line of one file, with these fields and no others."""

import hmac
import itertools
import json
import re
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from hashlib import sha256
from pathlib import Path
from urllib.parse import urlsplit

import jwt
import pytest
import requests

from portal.config.cookies import VAR_ACCESS_TOKEN, VAR_PERMITTED_PLATFORMS, VAR_REFRESH_TOKEN
from portal.telemetry.audit.events import FIELDS
from tests.support.harness import RunningStack, running_stack
from tests.support.http_browser import HttpBrowser, forms_of

KEY = "a key of the audit log that nobody guesses"
BROWSER = "Mozilla/5.0 (X11; Linux x86_64) Firefox/140.0"
TIME = r"\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z"
#: Each browser has an address of its own: the limits on tries count by address.
ADDRESSES = (f"203.0.113.{number}" for number in itertools.count(1))


@dataclass
class World:
    stack: RunningStack
    file: Path
    secrets: set[str] = field(default_factory=lambda: {"demo", "wrong-words"})

    @property
    def gateway(self) -> str:
        return self.stack.url("auth_app")

    def lines(self) -> list[dict[str, object]]:
        return [json.loads(line) for line in self.file.read_text().splitlines()] if self.file.exists() else []

    def lines_of(self, act: Callable[[], object]) -> list[dict[str, object]]:
        before = len(self.lines())
        act()
        return self.lines()[before:]

    def writes(self, browser: HttpBrowser, act: Callable[[], requests.Response], **fields: object) -> str:
        """A request writes one line: its own fields, and these. Gives the name of the sign-in."""
        answers: list[requests.Response] = []
        (line,) = self.lines_of(lambda: answers.append(act()))
        assert list(line) == [name for name in FIELDS if name in line], "the fields have one order"
        assert re.fullmatch(TIME, str(line.pop("time")))
        sign_in = str(line["sign_in"] if "sign_in" in fields else line.pop("sign_in", ""))
        assert line == {
            "logger": "portal.audit",
            "app": "auth_app",
            "outcome": "success",
            "address": str(browser.http.headers["X-Forwarded-For"]).rpartition(" ")[2],
            "user_agent": BROWSER,
            "request_id": answers[0].headers["X-Request-Id"],
            **fields,
        }
        self.remember(browser)
        return sign_in

    def browser(self) -> HttpBrowser:
        made = HttpBrowser()
        made.http.headers["User-Agent"] = BROWSER
        made.http.headers["X-Forwarded-For"] = f"198.51.100.9, {next(ADDRESSES)}"
        return made

    def signed_in(self, account: str) -> HttpBrowser:
        browser = self.browser()
        assert browser.sign_in(self.gateway, email=f"{account}@example.com").status_code == 303
        self.remember(browser)
        return browser

    def remember(self, browser: HttpBrowser) -> None:
        self.secrets |= {str(browser.cookie(name)) for name in (VAR_ACCESS_TOKEN, VAR_REFRESH_TOKEN)} - {"None"}


@pytest.fixture(scope="module")
def world(tmp_path_factory: pytest.TempPathFactory) -> Iterator[World]:
    folder = tmp_path_factory.mktemp("audited")
    with running_stack(
        folder,
        without=("operations", "finance"),
        through_proxy=True,
        APP_AUDIT_LOG=str(folder / "audit.jsonl"),
        APP_AUDIT_KEY=KEY,
        APP_BEHIND_PROXY="on",
    ) as stack:
        made = World(stack=stack, file=folder / "audit.jsonl")
        yield made
        # After all tests: nothing that went through them stands in any line.
        text = made.file.read_text()
        assert [secret for secret in made.secrets if secret and secret in text] == []
        assert "@" not in text
        assert '"logger": "portal.audit"' not in stack.log.read_text(), "the file, and nowhere else"


def entered(name: str) -> str:
    digest = hmac.new(KEY.encode(), b"portal audit log, version 1: entered name\0" + name.encode(), "sha256")
    return digest.hexdigest()[:16]


def tag(subject: object) -> str:
    return sha256(str(subject).encode()).hexdigest()[:16]


def subject_of(browser: HttpBrowser) -> str:
    return str(jwt.decode(str(browser.cookie(VAR_ACCESS_TOKEN)), options={"verify_signature": False})["sub"])


def certain(browser: HttpBrowser) -> dict[str, object]:
    return {"user": tag(subject_of(browser)), "user_verified": True}


def test_a_sign_in_names_who_tried_from_where_and_what_became_of_it(world: World) -> None:
    with world.signed_in("energy") as known, world.browser() as browser:
        tries = {"event": "sign-in", "method": "password"}
        for name, fields in (
            ("energy@example.com", {"outcome": "failure", "reason": "wrong-credentials"}),
            ("nobody@example.com", {"outcome": "failure", "reason": "wrong-credentials"}),
        ):
            world.writes(
                browser,
                lambda name=name: browser.sign_in(world.gateway, email=name, password="wrong-words"),
                **tries | fields | {"entered_name": entered(name)},
            )
        tries["entered_name"] = entered("energy@example.com")
        world.stack.proxy.failing.add("/auth/login")
        try:
            away = {"outcome": "unavailable", "reason": "backend-unavailable"}
            world.writes(browser, lambda: browser.sign_in(world.gateway, email="energy@example.com"), **tries | away)
        finally:
            world.stack.proxy.failing.clear()
        name = "  Energy@Example.com "
        sign_in = world.writes(browser, lambda: browser.sign_in(world.gateway, email=name), **tries | certain(known))
        assert re.fullmatch("[0-9a-f]{16}", sign_in)


def test_user_agent_brings_in_no_address(world: World) -> None:
    with world.browser() as browser:
        browser.http.headers["User-Agent"] = 'x\t"}{"event": "sign-in"} bot@mail.example ' + "y" * 5000
        (line,) = world.lines_of(lambda: browser.sign_in(world.gateway, email="a", password="wrong-words"))
    agent = str(line["user_agent"])
    assert agent.startswith('x\t"}{"event": "sign-in"} (address) yyy')
    assert len(agent) == 200


def test_a_sign_out_names_the_sign_in_that_it_ends_through_refreshes_and_in_every_app(world: World) -> None:
    with world.signed_in("all") as browser:
        sign_in = world.lines()[-1]["sign_in"]
        for _ in range(2):
            browser.http.cookies.set(VAR_ACCESS_TOKEN, None, domain="localhost.local", path="/")
            assert browser.get(world.stack.url("energy", "/en/energy/clients")).status_code == 200
            world.remember(browser)
        page = browser.get(world.stack.url("energy", "/en/logout"))
        # The backend has taken the access token: it is certain whose it is.
        ended = {"app": "energy", "event": "sign-out", "sign_in": sign_in, **certain(browser)}
        world.writes(browser, lambda: browser.submit(page, "/logout", follow=False), **ended)


def test_nobody_who_signs_out_leaves_no_line_and_made_up_cookies_are_no_certain_user(world: World) -> None:
    with world.browser() as browser:
        page = browser.get(f"{world.gateway}/en/logout")
        assert world.lines_of(lambda: browser.submit(page, "/logout", follow=False)) == []
        forged = jwt.encode({"sub": "acc_of_somebody", "exp": 4_000_000_000}, "k" * 32, algorithm="HS256")
        browser.http.cookies.set(VAR_ACCESS_TOKEN, forged, domain="localhost.local", path="/")
        page = browser.get(f"{world.gateway}/en/logout")
        (line,) = world.lines_of(lambda: browser.submit(page, "/logout", follow=False))
    assert (line["user"], line["user_verified"]) == (tag("acc_of_somebody"), False)


def test_another_sign_in_and_then_everywhere(world: World) -> None:
    with world.signed_in("operations"), world.signed_in("operations") as here:
        page = here.get(f"{world.gateway}/en/profile")
        # The sign-in of this browser comes first.
        _, ended, *_ = [action for action, _ in forms_of(page) if re.search(r"/sign-ins/[^/]+/revoke$", action)]
        fields = {"event": "sign-out-other", "other_sign_in": ended.split("/")[-2], **certain(here)}
        world.writes(here, lambda: here.submit(page, ended, follow=False), **fields)
        with world.signed_in("operations"):
            page = here.get(f"{world.gateway}/en/profile")
            lines = world.lines_of(lambda: here.submit(page, "/profile/sign-ins/revoke", follow=False))
    assert [line["event"] for line in lines][-1] == "sign-out-everywhere"
    assert {line["event"] for line in lines[:-1]} == {"sign-out-other"}
    assert {line["outcome"] for line in lines} == {"success"}
    assert len({line["request_id"] for line in lines}) == 1


def test_a_refresh_that_the_backend_refuses_is_told_once_though_several_requests_meet_it(world: World) -> None:
    with world.signed_in("all") as browser:
        sign_in, refresh = world.lines()[-1]["sign_in"], browser.cookie(VAR_REFRESH_TOKEN)
        requests.post(f"{world.stack.backend}/auth/logout", json={"refreshToken": refresh}, timeout=20)
        kept = {name: str(browser.cookie(name)) for name in (VAR_REFRESH_TOKEN, VAR_PERMITTED_PLATFORMS)}

        def visit(app: str, path: str) -> requests.Response:
            url, headers = world.stack.url(app, path), {"Accept": "text/html", **browser.http.headers}
            answer = requests.get(url, cookies=kept, headers=headers, allow_redirects=False, timeout=20)
            assert answer.status_code == 302
            return answer

        refused = {"outcome": "failure", "reason": "token-refused", "detail": "status 401", "sign_in": sign_in}
        fields = {"app": "energy", "event": "refresh", **refused}
        world.writes(browser, lambda: visit("energy", "/en/energy/clients"), **fields)
        assert world.lines_of(lambda: visit("auth_app", "/en/profile")) == []


def test_a_change_of_permissions_names_both_accounts_and_what_was_before_and_after(world: World) -> None:
    with world.signed_in("none") as other, world.signed_in("iam") as admin:
        whose = subject_of(other)
        form = admin.get(f"{world.gateway}/en/accounts/{whose}/edit")
        fields = {"event": "permissions", "target_user": tag(whose), **certain(admin)}

        def give(permission: str) -> requests.Response:
            return admin.submit(form, "/edit", follow=False, permissions=permission)

        changes = {"before": [], "after": ["FINANCE_APP"]}
        world.writes(admin, lambda: give("FINANCE_APP"), **fields | changes)
        assert world.lines_of(lambda: give("FINANCE_APP")) == []
        world.stack.proxy.failing.add(f"/iam/accounts/{whose}")
        try:
            (line,) = world.lines_of(lambda: give("ENERGY_APP"))
            away = {"outcome": "unavailable", "reason": "backend-unavailable", "after": ["ENERGY_APP"]}
            assert away.items() <= line.items()
            assert "before" not in line
        finally:
            world.stack.proxy.failing.clear()


def test_a_forgotten_password_is_asked_for_and_set(world: World) -> None:
    with world.browser() as browser:
        page = browser.get(f"{world.gateway}/en/login/forgot")
        asked = {"event": "password-reset-request", "entered_name": entered("finance@example.com")}
        world.writes(
            browser, lambda: browser.submit(page, "/forgot", follow=False, email="finance@example.com"), **asked
        )
        token = re.findall(r"reset\?token=(\S+)", world.stack.log.read_text())[-1]
        world.secrets |= {token, "quite other words", "and other ones again"}
        for words, fields in (
            ("quite other words", {}),
            ("and other ones again", {"outcome": "failure", "reason": "link-refused"}),
        ):
            page = browser.get(f"{world.gateway}/en/login/reset?token={token}")
            world.writes(
                browser,
                lambda page=page, words=words: browser.submit(
                    page, urlsplit(page.url).path, follow=False, password=words
                ),
                **{"event": "password-reset"} | fields,
            )
