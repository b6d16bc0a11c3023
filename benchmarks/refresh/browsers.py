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

import urllib3

from portal.config.cookies import VAR_ACCESS_TOKEN, VAR_REFRESH_TOKEN

_FORM_TOKEN = re.compile(r'name="csrfmiddlewaretoken"\s+value="([^"]+)"')


@dataclass(frozen=True)
class Answer:
    """One response; a cookie that it takes away is empty.

    :param started: the time at which its request was sent.
    """

    status: int
    cookies: dict[str, str]
    body: str
    started: float

    @property
    def sets_tokens(self) -> bool:
        return bool(self.cookies.get(VAR_REFRESH_TOKEN))

    @property
    def clears_tokens(self) -> bool:
        return self.cookies.get(VAR_REFRESH_TOKEN) == ""


class Tab:
    """A tab's connections to the projects."""

    def __init__(self, browser: Browser) -> None:
        self._browser = browser
        self._pool = urllib3.PoolManager(timeout=40, retries=False)

    def ask(self, port: int, path: str, form: dict[str, str] | None = None) -> Answer | None:
        """Send a request; None if the connection broke, as it does when a worker is killed."""
        started = time.monotonic()
        headers = self._browser.headers(port) | ({} if form is None else {"Origin": f"http://localhost:{port}"})
        fields = {} if form is None else {"fields": form, "encode_multipart": False}
        with contextlib.suppress(urllib3.exceptions.HTTPError):
            url = f"http://127.0.0.1:{port}{path}"
            method = "GET" if form is None else "POST"
            response = self._pool.request(method, url, headers=headers, redirect=False, **fields)  # type: ignore[arg-type]
            cookies: dict[str, str] = {}
            for header in response.headers.getlist("Set-Cookie"):
                for name, morsel in SimpleCookie(header).items():
                    cookies[name] = "" if morsel["max-age"] == "0" else morsel.coded_value
            return Answer(response.status, cookies, response.data.decode("utf-8", "replace"), started)
        return None

    def abort(self, port: int, path: str) -> None:
        """Send a request and go away, as a reader does who clicks on."""
        connection = http.client.HTTPConnection("127.0.0.1", port, timeout=5)
        with contextlib.suppress(OSError, http.client.HTTPException), contextlib.closing(connection):
            connection.request("GET", path, headers=self._browser.headers(port))

    def close(self) -> None:
        self._pool.clear()


@dataclass
class Browser:
    """One user: cookies, which ports share, and the counts of its responses.

    :param ended: responses that took the tokens away although the user did not sign out.
    :param late: requests after the sign-out; `undone` are those that got a page, or tokens.
    """

    cookies: dict[str, str] = field(default_factory=dict)
    statuses: Counter[int | None] = field(default_factory=Counter)
    signed_out_at: float | None = None
    ended: int = 0
    undone: int = 0
    late: int = 0
    lock: threading.Lock = field(default_factory=threading.Lock)

    def headers(self, port: int) -> dict[str, str]:
        with self.lock:
            cookies = "; ".join(f"{name}={value}" for name, value in self.cookies.items())
        return {"Accept": "text/html", "Cookie": cookies, "Host": f"localhost:{port}"}

    def take(self, answer: Answer) -> None:
        """Apply a response's cookies, whenever it arrives."""
        with self.lock:
            self.cookies = {name: value for name, value in (self.cookies | answer.cookies).items() if value}

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

    def use_tab(self, paths: dict[int, list[str]], stop: threading.Event) -> None:
        """Browse until told to stop: pages of both projects, some abandoned, responses held back at random.

        :param paths: of pages, by port.
        """
        tab, dice = Tab(self), random.Random()
        while not stop.is_set():
            port = dice.choice([*paths])
            path = dice.choice(paths[port])
            if dice.random() < 0.2:
                path += f"?q={dice.choice('abcdefghijklmnopqrstuvwxyz')}"
            if dice.random() < 0.03:
                tab.abort(port, path)
                continue
            answer = tab.ask(port, path)
            self.note(answer)
            if answer is not None:
                # Held back, so that the answer to a later request may arrive earlier.
                time.sleep(dice.choice((0, 0, 0, 0.05, 0.2, 0.5)))
                self.take(answer)
            unwell = answer is None or answer.status != http.client.OK
            stop.wait(dice.uniform(0.1, 0.5) if unwell else dice.uniform(0, 0.1))
        tab.close()

    def ask_once(self, port: int, path: str) -> None:
        with contextlib.closing(Tab(self)) as tab:
            self.note(tab.ask(port, path))

    def sign_out(self, port: int) -> None:
        """Press the sign-out button until it is accepted."""
        with contextlib.closing(Tab(self)) as tab:
            for _ in range(100):
                page = tab.ask(port, "/en/logout")
                found = _FORM_TOKEN.search(page.body) if page else None
                if page is None or found is None:
                    time.sleep(0.1)
                    continue
                self.take(page)
                answer = tab.ask(port, "/en/logout", form={"csrfmiddlewaretoken": found.group(1)})
                if answer is not None and answer.status == http.client.SEE_OTHER:
                    self.signed_out_at = time.monotonic()
                    self.take(answer)
                    return

    def is_signed_in(self, port: int, path: str, *, until: float) -> bool:
        """Return whether this browser, left alone, still gets a page before that moment, in monotonic seconds."""
        with contextlib.closing(Tab(self)) as tab:
            while time.monotonic() < until:
                answer = tab.ask(port, path)
                if answer is not None:
                    self.take(answer)
                    if answer.status != http.client.SERVICE_UNAVAILABLE:
                        return answer.status == http.client.OK
                time.sleep(0.5)
        return False


def cookies_of(tokens: dict[str, str]) -> dict[str, str]:
    """Return the cookies of a sign-in at the backend."""
    return {VAR_ACCESS_TOKEN: tokens["accessToken"], VAR_REFRESH_TOKEN: tokens["refreshToken"]}
