"""The audit log of real servers: each event of a sign-in is one line of one file, with these fields and no others."""

from __future__ import annotations

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
ADMIN = "iam@example.com"
#: Each test has an address of its own: the limits on tries count by address.
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

    def line_of(self, act: Callable[[], object]) -> dict[str, object]:
        (line,) = self.lines_of(act)
        assert list(line) == [name for name in FIELDS if name in line], "the fields have one order"
        return line

    def answer_and_line_of(self, act: Callable[[], requests.Response]) -> tuple[requests.Response, dict[str, object]]:
        answers: list[requests.Response] = []
        line = self.line_of(lambda: answers.append(act()))
        return answers[0], line

    def browser(self) -> HttpBrowser:
        made = HttpBrowser()
        made.http.headers["User-Agent"] = BROWSER
        made.http.headers["X-Forwarded-For"] = f"198.51.100.9, {next(ADDRESSES)}"
        return made

    def signed_in(self, email: str = "all@example.com") -> HttpBrowser:
        browser = self.browser()
        assert browser.sign_in(self.gateway, email=email).status_code == 303
        self.remember(browser)
        return browser

    def remember(self, browser: HttpBrowser) -> None:
        self.secrets |= {str(browser.cookie(name)) for name in (VAR_ACCESS_TOKEN, VAR_REFRESH_TOKEN)}


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
    return hmac.new(KEY.encode(), b"portal audit log, version 1: entered name\0" + name.encode(), "sha256").hexdigest()[
        :16
    ]


def tag(subject: object) -> str:
    return sha256(str(subject).encode()).hexdigest()[:16]


def subject_of(browser: HttpBrowser) -> str:
    return str(jwt.decode(str(browser.cookie(VAR_ACCESS_TOKEN)), options={"verify_signature": False})["sub"])


def of_request(browser: HttpBrowser, response: requests.Response) -> dict[str, object]:
    return {
        "address": str(browser.http.headers["X-Forwarded-For"]).rpartition(" ")[2],
        "user_agent": BROWSER,
        "request_id": response.headers["X-Request-Id"],
    }


def without_time(line: dict[str, object], *others: str) -> dict[str, object]:
    assert re.fullmatch(r"\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z", str(line["time"]))
    assert line["logger"] == "portal.audit"
    return {name: value for name, value in line.items() if name not in {"time", "logger", *others}}


class TestSignIn:
    def test_a_success_names_the_account_the_sign_in_and_where_it_came_from(self, world: World) -> None:
        with world.browser() as browser:
            answer, line = world.answer_and_line_of(
                lambda: browser.sign_in(world.gateway, email="  Energy@Example.com ")
            )
            world.remember(browser)
            assert without_time(line, "sign_in") == {
                "app": "auth_app",
                "event": "sign-in",
                "outcome": "success",
                "method": "password",
                "user": tag(subject_of(browser)),
                "user_verified": True,
                "entered_name": entered("energy@example.com"),
                **of_request(browser, answer),
            }
            assert re.fullmatch("[0-9a-f]{16}", str(line["sign_in"]))

    def test_a_wrong_password_and_an_unknown_name_are_told_apart_from_nothing_but_the_name(self, world: World) -> None:
        with world.browser() as browser:
            for email in ("energy@example.com", "nobody@example.com"):
                answer, line = world.answer_and_line_of(
                    lambda email=email: browser.sign_in(world.gateway, email=email, password="wrong-words")
                )
                assert without_time(line) == {
                    "app": "auth_app",
                    "event": "sign-in",
                    "outcome": "failure",
                    "reason": "wrong-credentials",
                    "method": "password",
                    "entered_name": entered(email),
                    **of_request(browser, answer),
                }

    def test_tries_beyond_the_limit_are_lines_too(self, world: World) -> None:
        with world.browser() as browser:
            lines = world.lines_of(
                lambda: [
                    browser.sign_in(world.gateway, email="none@example.com", password="wrong-words") for _ in range(11)
                ]
            )
        assert [(line["outcome"], line["reason"]) for line in lines] == [("failure", "wrong-credentials")] * 10 + [
            ("throttled", "too-many-failures")
        ]
        assert {line["entered_name"] for line in lines} == {entered("none@example.com")}

    def test_a_try_while_the_backend_is_away(self, world: World) -> None:
        world.stack.proxy.failing.add("/auth/login")
        try:
            with world.browser() as browser:
                line = world.line_of(lambda: browser.sign_in(world.gateway, email="energy@example.com"))
        finally:
            world.stack.proxy.failing.clear()
        assert (line["outcome"], line["reason"]) == ("unavailable", "backend-unavailable")
        assert line["entered_name"] == entered("energy@example.com")

    def test_what_a_browser_says_of_itself_forges_no_line_and_brings_in_no_address(self, world: World) -> None:
        with world.browser() as browser:
            browser.http.headers["User-Agent"] = 'x\t"}{"event": "sign-in"} bot@mail.example ' + "y" * 5000
            line = world.line_of(
                lambda: browser.sign_in(world.gateway, email='a"\u2028{"event":1}', password="wrong-words")
            )
        agent = str(line["user_agent"])
        assert agent.startswith('x\t"}{"event": "sign-in"} (address) yyy')
        assert len(agent) == 200


class TestSignOut:
    def test_it_names_the_sign_in_that_it_ends(self, world: World) -> None:
        with world.signed_in() as browser:
            began = world.lines()[-1]
            # The backend has taken the access token: now it is certain whose it is.
            assert browser.get(f"{world.gateway}/en/profile").status_code == 200
            page = browser.get(f"{world.gateway}/en/logout")
            answer, line = world.answer_and_line_of(lambda: browser.submit(page, "/logout", follow=False))
        assert without_time(line) == {
            "app": "auth_app",
            "event": "sign-out",
            "outcome": "success",
            "user": began["user"],
            "user_verified": True,
            "sign_in": began["sign_in"],
            **of_request(browser, answer),
        }

    def test_a_sign_in_keeps_its_name_through_refreshes_and_in_every_app(self, world: World) -> None:
        with world.signed_in() as browser:
            began = world.lines()[-1]
            for _ in range(2):
                browser.http.cookies.set(VAR_ACCESS_TOKEN, None, domain="localhost.local", path="/")
                assert browser.get(world.stack.url("energy", "/en/energy/clients")).status_code == 200
                world.remember(browser)
            page = browser.get(world.stack.url("energy", "/en/logout"))
            line = world.line_of(lambda: browser.submit(page, "/logout", follow=False))
        assert (line["app"], line["event"], line["sign_in"]) == ("energy", "sign-out", began["sign_in"])

    def test_nobody_who_signs_out_leaves_no_line(self, world: World) -> None:
        with world.browser() as browser:
            page = browser.get(f"{world.gateway}/en/logout")
            assert world.lines_of(lambda: browser.submit(page, "/logout", follow=False)) == []

    def test_made_up_cookies_are_no_certain_user(self, world: World) -> None:
        forged = jwt.encode({"sub": "acc_of_somebody", "exp": 4_000_000_000}, "k" * 32, algorithm="HS256")
        with world.browser() as browser:
            browser.http.cookies.set(VAR_ACCESS_TOKEN, forged, domain="localhost.local", path="/")
            page = browser.get(f"{world.gateway}/en/logout")
            line = world.line_of(lambda: browser.submit(page, "/logout", follow=False))
        assert (line["user"], line["user_verified"]) == (tag("acc_of_somebody"), False)

    def test_another_sign_in_and_then_everywhere(self, world: World) -> None:
        with world.signed_in("operations@example.com"), world.signed_in("operations@example.com") as here:
            page = here.get(f"{world.gateway}/en/profile")
            # The sign-in of this browser comes first.
            _, ended, *_ = [action for action, _ in forms_of(page) if re.search(r"/sign-ins/[^/]+/revoke$", action)]
            answer, line = world.answer_and_line_of(lambda: here.submit(page, ended, follow=False))
            assert without_time(line) == {
                "app": "auth_app",
                "event": "sign-out-other",
                "outcome": "success",
                "user": tag(subject_of(here)),
                "user_verified": True,
                "other_sign_in": ended.split("/")[-2],
                **of_request(here, answer),
            }
            with world.signed_in("operations@example.com"):
                page = here.get(f"{world.gateway}/en/profile")
                lines = world.lines_of(lambda: here.submit(page, "/profile/sign-ins/revoke", follow=False))
        assert [line["event"] for line in lines][-1] == "sign-out-everywhere"
        assert {line["event"] for line in lines[:-1]} == {"sign-out-other"}
        assert {line["outcome"] for line in lines} == {"success"}
        assert len({line["request_id"] for line in lines}) == 1


class TestRefresh:
    def test_one_that_the_backend_refuses_is_told_once_though_several_requests_meet_it(self, world: World) -> None:
        with world.signed_in() as browser:
            began = world.lines()[-1]
            requests.post(
                f"{world.stack.backend}/auth/logout",
                json={"refreshToken": browser.cookie(VAR_REFRESH_TOKEN)},
                timeout=20,
            )
            kept = (VAR_REFRESH_TOKEN, VAR_PERMITTED_PLATFORMS)
            cookies = {name: str(browser.cookie(name)) for name in kept}

            def visit() -> None:
                for app in ("energy", "auth_app"):
                    answer = requests.get(
                        world.stack.url(app, "/en/profile" if app == "auth_app" else "/en/energy/clients"),
                        cookies=cookies,
                        headers={"Accept": "text/html", **browser.http.headers},
                        allow_redirects=False,
                        timeout=20,
                    )
                    assert answer.status_code == 302

            line = world.line_of(visit)
        assert without_time(line, "request_id", "address", "user_agent") == {
            "app": "energy",
            "event": "refresh",
            "outcome": "failure",
            "reason": "token-refused",
            "detail": "status 401",
            "sign_in": began["sign_in"],
        }


class TestPermissions:
    def test_a_change_names_both_accounts_and_what_was_before_and_after(self, world: World) -> None:
        with world.signed_in("none@example.com") as other:
            whose = subject_of(other)
        with world.signed_in(ADMIN) as admin:
            form = admin.get(f"{world.gateway}/en/accounts/{whose}/edit")
            assert form.status_code == 200
            answer, line = world.answer_and_line_of(
                lambda: admin.submit(form, "/edit", follow=False, permissions="FINANCE_APP")
            )
            assert without_time(line) == {
                "app": "auth_app",
                "event": "permissions",
                "outcome": "success",
                "user": tag(subject_of(admin)),
                "user_verified": True,
                "target_user": tag(whose),
                "before": [],
                "after": ["FINANCE_APP"],
                **of_request(admin, answer),
            }
            assert world.lines_of(lambda: admin.submit(form, "/edit", follow=False, permissions="FINANCE_APP")) == []
            world.stack.proxy.failing.add(f"/iam/accounts/{whose}")
            try:
                line = world.line_of(lambda: admin.submit(form, "/edit", follow=False, permissions="ENERGY_APP"))
            finally:
                world.stack.proxy.failing.clear()
        assert (line["outcome"], line["reason"], line["after"]) == (
            "unavailable",
            "backend-unavailable",
            ["ENERGY_APP"],
        )
        assert "before" not in line


class TestForgottenPassword:
    def test_the_request_and_the_new_password(self, world: World) -> None:
        with world.browser() as browser:
            page = browser.get(f"{world.gateway}/en/login/forgot")
            line = world.line_of(lambda: browser.submit(page, "/forgot", email="finance@example.com"))
            assert without_time(line, "request_id", "address", "user_agent") == {
                "app": "auth_app",
                "event": "password-reset-request",
                "outcome": "success",
                "entered_name": entered("finance@example.com"),
            }
            token = re.findall(r"reset\?token=(\S+)", world.stack.log.read_text())[-1]
            world.secrets |= {token, "quite other words", "and other ones again"}
            page = browser.get(f"{world.gateway}/en/login/reset?token={token}")
            action = urlsplit(page.url).path
            for words, *expected in (
                ("quite other words", "success", None),
                ("and other ones again", "failure", "link-refused"),
            ):
                with world.browser() as another:
                    page = another.get(f"{world.gateway}/en/login/reset?token={token}")
                    line = world.line_of(
                        lambda page=page, another=another, words=words: another.submit(
                            page, action, follow=False, password=words
                        )
                    )
                    assert (line["event"], line["outcome"], line.get("reason")) == ("password-reset", *expected)
