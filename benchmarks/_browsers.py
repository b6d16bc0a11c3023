"""Browsers as cookie jars: several tabs share one, and responses reach it late and out of order."""

from __future__ import annotations

import contextlib
import http.client
import random
import re
import threading
import time
from collections import Counter
from dataclasses import dataclass, field
from http.cookies import SimpleCookie
from urllib.parse import urlencode

from portal.config.cookies import VAR_ACCESS_TOKEN, VAR_REFRESH_TOKEN

ACCESS, REFRESH = VAR_ACCESS_TOKEN, VAR_REFRESH_TOKEN
SIGN_OUT_FIELD = re.compile(r'name="csrfmiddlewaretoken"\s+value="([^"]+)"')


@dataclass(frozen=True)
class Answer:
    """One response."""

    status: int
    location: str
    cookies: tuple[tuple[str, str], ...]
    body: str
    started: float

    @property
    def sets_tokens(self) -> bool:
        return any(name == REFRESH and value for name, value in self.cookies)

    @property
    def clears_tokens(self) -> bool:
        return any(name == REFRESH and not value for name, value in self.cookies)


class Jar:
    """One browser's cookies; ports share them."""

    def __init__(self) -> None:
        self._cookies: dict[str, str] = {}
        self._lock = threading.Lock()

    def put(self, cookies: dict[str, str]) -> None:
        with self._lock:
            self._cookies |= cookies

    def take(self, answer: Answer) -> None:
        """Apply a response's cookies, whenever it arrives."""
        with self._lock:
            for name, value in answer.cookies:
                if value:
                    self._cookies[name] = value
                else:
                    self._cookies.pop(name, None)

    def header(self) -> str:
        with self._lock:
            return "; ".join(f"{name}={value}" for name, value in self._cookies.items())

    def token(self, name: str) -> str | None:
        with self._lock:
            return self._cookies.get(name)


class Connection:
    """A tab's connections to the projects."""

    def __init__(self, *, timeout_s: float = 40) -> None:
        self._kept: dict[int, http.client.HTTPConnection] = {}
        self._timeout_s = timeout_s

    def ask(self, port: int, path: str, jar: Jar, *, form: dict[str, str] | None = None) -> Answer | None:
        """One request; None where the connection broke, as it does when a worker is killed."""
        kept = self._kept.setdefault(port, http.client.HTTPConnection("127.0.0.1", port, timeout=self._timeout_s))
        headers = {"Accept": "text/html", "Cookie": jar.header(), "Host": f"localhost:{port}"}
        body = None
        if form is not None:
            body = urlencode(form)
            headers |= {"Content-Type": "application/x-www-form-urlencoded", "Origin": f"http://localhost:{port}"}
        started = time.monotonic()
        try:
            kept.request("GET" if form is None else "POST", path, body=body, headers=headers)
            with kept.getresponse() as response:
                text = response.read().decode("utf-8", "replace")
                return Answer(
                    response.status, response.getheader("Location") or "", cookies_of(response), text, started
                )
        except (OSError, http.client.HTTPException):
            kept.close()
            return None

    def abort(self, port: int, path: str, jar: Jar) -> None:
        """Send a request and go away, as a reader does who clicks on."""
        connection = http.client.HTTPConnection("127.0.0.1", port, timeout=5)
        with contextlib.suppress(OSError, http.client.HTTPException):
            connection.request("GET", path, headers={"Accept": "text/html", "Cookie": jar.header()})
        connection.close()

    def close(self) -> None:
        for connection in self._kept.values():
            connection.close()


def cookies_of(response: http.client.HTTPResponse) -> tuple[tuple[str, str], ...]:
    found = []
    for header in response.headers.get_all("Set-Cookie") or ():
        for name, morsel in SimpleCookie(header).items():
            found.append((name, "" if morsel["max-age"] == "0" else morsel.coded_value))
    return tuple(found)


@dataclass
class Browser:
    """One user: a jar and what happened to it.

    :param ended: responses that took the tokens away although the user did not sign out.
    :param undone: requests after the sign-out that got a page, or tokens.
    """

    jar: Jar = field(default_factory=Jar)
    statuses: Counter[int | None] = field(default_factory=Counter)
    signed_out_at: float | None = None
    ended: int = 0
    undone: int = 0
    late: int = 0
    lock: threading.Lock = field(default_factory=threading.Lock)

    def note(self, answer: Answer | None) -> None:
        with self.lock:
            self.statuses[answer.status if answer else None] += 1
            if answer is None:
                return
            if self.signed_out_at is None:
                self.ended += answer.clears_tokens
            elif answer.started > self.signed_out_at:
                self.late += 1
                self.undone += answer.sets_tokens or answer.status == http.client.OK


def use_tab(browser: Browser, ports: list[int], paths: dict[int, list[str]], stop: threading.Event) -> None:
    """Browse until told to stop: pages of both projects, some abandoned, responses held back at random."""
    connection = Connection()
    dice = random.Random()
    while not stop.is_set():
        port = dice.choice(ports)
        path = dice.choice(paths[port])
        if dice.random() < 0.2:
            path += f"?q={dice.choice('abcdefghijklmnopqrstuvwxyz')}"
        if dice.random() < 0.03:
            connection.abort(port, path, browser.jar)
            continue
        answer = connection.ask(port, path, browser.jar)
        browser.note(answer)
        if answer is not None:
            # Held back, so that what was asked later may arrive earlier.
            time.sleep(dice.choice((0, 0, 0, 0.05, 0.2, 0.5)))
            browser.jar.take(answer)
        unwell = answer is None or answer.status != http.client.OK
        stop.wait(dice.uniform(0.1, 0.5) if unwell else dice.uniform(0, 0.1))
    connection.close()


def sign_out(browser: Browser, port: int) -> bool:
    """Press the sign-out button; whether it was accepted."""
    connection = Connection()
    try:
        for _ in range(100):
            page = connection.ask(port, "/en/logout", browser.jar)
            found = SIGN_OUT_FIELD.search(page.body) if page else None
            if page is None or found is None:
                time.sleep(0.1)
                continue
            browser.jar.take(page)
            answer = connection.ask(port, "/en/logout", browser.jar, form={"csrfmiddlewaretoken": found.group(1)})
            if answer is not None and answer.status == http.client.SEE_OTHER:
                browser.signed_out_at = time.monotonic()
                browser.jar.take(answer)
                return True
    finally:
        connection.close()
    return False
