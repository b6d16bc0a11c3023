"""A browser's connections through nginx: https by the topology's names, with its certificate checked."""

from __future__ import annotations

import http.client
import socket
import ssl
import time
from collections import Counter
from dataclasses import dataclass, field
from typing import TYPE_CHECKING
from urllib.parse import urlencode, urlsplit

from benchmarks._browsers import REFRESH, SIGN_OUT_FIELD, Answer, Jar, cookies_of

if TYPE_CHECKING:
    from pathlib import Path

    from tests.support.topology import Topology

PASSWORD = "demo"


@dataclass(frozen=True)
class Doors:
    """Where nginx listens, and what a browser must know of it. It can be sent to another process.

    :param hosts: project to its name.
    """

    port: int
    authority: Path
    hosts: dict[str, str]

    @classmethod
    def of(cls, topology: Topology) -> Doors:
        names = {app: topology.addresses.host(app) for app in ("auth_app", "energy", "operations", "finance")}
        return cls(topology.site.tls_port, topology.authority, names)

    def context(self) -> ssl.SSLContext:
        return ssl.create_default_context(cafile=str(self.authority))

    def origin(self, app: str) -> str:
        return f"https://{self.hosts[app]}:{self.port}"


class _Https(http.client.HTTPSConnection):
    """To 127.0.0.1, whatever the name: no DNS has it."""

    def __init__(self, host: str, port: int, *, context: ssl.SSLContext, timeout: float) -> None:
        super().__init__(host, port, context=context, timeout=timeout)
        self._tls = context

    def connect(self) -> None:
        plain = socket.create_connection(("127.0.0.1", self.port), timeout=self.timeout)
        plain.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
        self.sock = self._tls.wrap_socket(plain, server_hostname=self.host)


class Tab:
    """One browser's connections, one to each name."""

    def __init__(self, doors: Doors, *, timeout_s: float = 40) -> None:
        self._doors = doors
        self._context = doors.context()
        self._timeout_s = timeout_s
        self._kept: dict[str, _Https] = {}

    def ask(
        self, app: str, path: str, jar: Jar, *, form: dict[str, str] | None = None, accept: str = "text/html"
    ) -> Answer | None:
        """One request; None where there was no answer."""
        kept = self._kept.get(app)
        if kept is None:
            host = self._doors.hosts[app]
            kept = _Https(host, self._doors.port, context=self._context, timeout=self._timeout_s)
            self._kept[app] = kept
        headers = {"Accept": accept}
        if cookies := jar.header():
            headers["Cookie"] = cookies
        body = None
        if form is not None:
            body = urlencode(form)
            headers |= {"Content-Type": "application/x-www-form-urlencoded", "Origin": self._doors.origin(app)}
        started = time.monotonic()
        try:
            kept.request("GET" if form is None else "POST", path, body=body, headers=headers)
            with kept.getresponse() as response:
                text = response.read().decode("utf-8", "replace")
                location = response.getheader("Location") or ""
                return Answer(response.status, location, cookies_of(response), text, started)
        except (OSError, http.client.HTTPException):
            kept.close()
            return None

    def close(self) -> None:
        for connection in self._kept.values():
            connection.close()


@dataclass
class Visitor:
    """One signed-in user with one tab, and what came of the requests.

    :param lost: requests without an answer, or answered 5xx: when, by the clock of the run, and what.
    :param signed_out: responses that took the tokens, or led to the sign-in page.
    """

    email: str
    jar: Jar = field(default_factory=Jar)
    statuses: Counter[int | None] = field(default_factory=Counter)
    latencies_s: list[tuple[float, float, int | None]] = field(default_factory=list)
    lost: list[tuple[float, str]] = field(default_factory=list)
    signed_out: int = 0
    refreshed: int = 0

    def sign_in(self, tab: Tab) -> None:
        """By the form, as people do.

        :raises RuntimeError: it did not work.
        """
        page = tab.ask("auth_app", "/en/login", self.jar)
        assert page is not None
        self.jar.take(page)
        found = SIGN_OUT_FIELD.search(page.body)
        assert found, page
        form = {"csrfmiddlewaretoken": found.group(1), "email": self.email, "password": PASSWORD, "next": ""}
        answer = tab.ask("auth_app", "/en/login", self.jar, form=form)
        if answer is None or answer.status != http.client.SEE_OTHER or not answer.sets_tokens:
            raise RuntimeError(f"{self.email} can't sign in: {answer}")
        self.jar.take(answer)

    def ask(
        self,
        tab: Tab,
        app: str,
        path: str,
        *,
        began: float,
        form: dict[str, str] | None = None,
        accept: str = "text/html",
    ) -> Answer | None:
        """One request, noted. `began` is when the run did, monotonic."""
        started = time.monotonic()
        answer = tab.ask(app, path, self.jar, form=form, accept=accept)
        ended = time.monotonic()
        status = answer.status if answer else None
        self.statuses[status] += 1
        self.latencies_s.append((started - began, ended - started, status))
        if status is None or status >= http.client.INTERNAL_SERVER_ERROR:
            method = "GET" if form is None else "POST"
            self.lost.append((started - began, f"{status} {method} {app} {path} after {ended - started:.1f} s"))
        if answer is not None:
            self.signed_out += answer.clears_tokens or "/login" in urlsplit(answer.location).path
            self.refreshed += answer.sets_tokens
            self.jar.take(answer)
        return answer

    @property
    def is_signed_in(self) -> bool:
        return self.jar.token(REFRESH) is not None


def quantile(values: list[float], part: float) -> float:
    """The value that this part of the values does not exceed."""
    return sorted(values)[min(len(values) - 1, int(len(values) * part))] if values else 0.0
