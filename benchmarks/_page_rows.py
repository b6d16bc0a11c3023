"""The pages that are measured and profiled: each one's request, and what its response must be."""

from __future__ import annotations

import itertools
import re
import time
from dataclasses import dataclass
from http.cookies import SimpleCookie
from typing import TYPE_CHECKING, Final, Literal

import jwt

from benchmarks._stub_backend import PERMISSION, ROWS, STATION, USER
from portal.config.cookies import VAR_ACCESS_TOKEN, VAR_REFRESH_TOKEN

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Mapping

#: Signs the access tokens of a run.
KEY: Final = "for-measuring-only-and-nothing-else-at-all"
#: None has expired when a run ends, seconds.
TOKEN_LIFE_S: Final = 86_400
#: Each search of a process has another number.
_numbers = itertools.count(1)

Cookies = Literal["none", "access token", "a browser's"]


@dataclass(frozen=True, kw_only=True)
class Row:
    """One page.

    :param name: as the table has it.
    :param cookies: what the request brings. A browser brings the tokens and what earlier responses have set.
    :param marker: a text of the response.
    :param rows: how many rows of a list the body has.
    :param is_cached: once the page was shown, it needs no call to the backend.
    :param searches: each request has another search.
    """

    name: str
    path: str
    marker: str
    app: str = "energy"
    status: int = 200
    rows: int = 0
    cookies: Cookies = "a browser's"
    headers: tuple[tuple[str, str], ...] = ()
    is_cached: bool = True
    searches: bool = False


CLIENTS: Final = "/en/energy/clients"
_HTMX = (
    ("Accept", "*/*"),
    ("Sec-Fetch-Dest", "empty"),
    ("Sec-Fetch-Mode", "cors"),
    ("HX-Request", "true"),
    ("HX-Target", "list"),
    ("HX-Current-URL", f"http://localhost{CLIENTS}"),
)
PAGES: Final[Mapping[str, Row]] = {
    "sign-in": Row(name="sign-in", app="auth_app", path="/en/login", marker='name="password"'),
    "clients": Row(name="clients, cached", path=CLIENTS, marker='id="search"', rows=20),
    "clients-token": Row(
        name="the same, access token alone", path=CLIENTS, marker='id="search"', rows=20, cookies="access token"
    ),
    "search": Row(
        name="clients, another search each time",
        path=CLIENTS,
        marker='id="search"',
        rows=20,
        is_cached=False,
        searches=True,
    ),
    "overview": Row(name="overview", path="/en/energy", marker="5,210"),
    "client": Row(name="record of a client", path=f"{CLIENTS}/{ROWS[0]['id']}", marker='id="sessions"', rows=5),
    "station": Row(name="record of a station", path=f"/en/energy/stations/{STATION}", marker='id="meters"', rows=15),
    "form": Row(name="edit form", path=f"{CLIENTS}/{ROWS[0]['id']}/edit", marker='name="phone"'),
    "fragment": Row(name="table fragment", path=CLIENTS, marker='id="list"', rows=20, headers=_HTMX),
    "redirect": Row(name="redirect to sign in", path=CLIENTS, marker="/en/login?next=", status=302, cookies="none"),
    "404": Row(name="404", path="/en/energy/none", marker="404", status=404),
}


def access_token() -> str:
    """The user's, valid for a day."""
    claims = {"sub": USER, "permissions": [PERMISSION], "exp": int(time.time()) + TOKEN_LIFE_S, "jti": "j"}
    return jwt.encode(claims, KEY, algorithm="HS256")


class Visitor:
    """A browser on one server, for one page: it keeps the cookies of its responses, if the row says so.

    :param send: sends the octets of a request, and gives those of its answer.
    """

    def __init__(self, row: Row, send: Callable[[bytes], bytes]) -> None:
        self.row, self._send = row, send
        self._cookies = {VAR_ACCESS_TOKEN: access_token()} if row.app != "auth_app" and row.cookies != "none" else {}
        if self._cookies and row.cookies == "a browser's":
            self._cookies[VAR_REFRESH_TOKEN] = "a-refresh-token-that-is-not-used-here"
        self._head = ""
        self._build()

    def requests(self) -> Iterator[bytes]:
        """The octets of one request after another, without end."""
        if not self.row.searches:
            return itertools.repeat(f"GET {self.row.path}{self._head}".encode())
        return (f"GET {self.row.path}?q=word{number}{self._head}".encode() for number in _numbers)

    def visit(self) -> None:
        """Open the page once, take its cookies, and check what came.

        :raises AssertionError: it is not the page that is meant.
        """
        answer = self._send(next(self.requests())).decode()
        head, _, body = answer.partition("\r\n\r\n")
        status, shown = int(head.split(" ", 2)[1]), len(re.findall(r"data-row-id=", body))
        wanted = (self.row.status, self.row.rows, True)
        if (status, shown, self.row.marker in answer) != wanted:
            raise AssertionError(f"{self.row.name}: status {status}, {shown} rows, not {wanted}: {head}\n{body[:2000]}")
        if self.row.cookies == "a browser's":
            for line in head.splitlines():
                name, _, value = line.partition(":")
                if name.lower() == "set-cookie":
                    self._cookies.update({key: morsel.coded_value for key, morsel in SimpleCookie(value).items()})
            self._build()

    def _build(self) -> None:
        headers = {
            "Host": "localhost",
            "User-Agent": "Mozilla/5.0 (X11; Linux x86_64; rv:140.0) Gecko/20100101 Firefox/140.0",
            "Accept": "text/html,application/xhtml+xml,application/xml;q=0.9,*/*;q=0.8",
            "Accept-Language": "en-US,en;q=0.5",
            "Sec-Fetch-Dest": "document",
            "Sec-Fetch-Mode": "navigate",
            "Sec-Fetch-Site": "same-origin",
            **dict(self.row.headers),
        }
        if self._cookies:
            headers["Cookie"] = "; ".join(f"{name}={value}" for name, value in self._cookies.items())
        self._head = " HTTP/1.1\r\n" + "".join(f"{name}: {value}\r\n" for name, value in headers.items()) + "\r\n"
