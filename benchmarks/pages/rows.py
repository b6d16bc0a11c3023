"""The pages that are measured and profiled: the request of each, and the content that its response must have."""

import itertools
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from http.cookies import SimpleCookie
from typing import Final, Literal

from benchmarks.harness.stub_backend import ROWS, STATION, access_token
from portal.config.cookies import VAR_ACCESS_TOKEN, VAR_REFRESH_TOKEN

#: Each search of a process has another number.
_numbers = itertools.count(1)


@dataclass(frozen=True, kw_only=True)
class Row:
    """One page.

    :param name: as the table has it.
    :param cookies: of the request. A browser sends the tokens, and the cookies of earlier responses.
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
    cookies: Literal["none", "access token", "a browser's"] = "a browser's"
    headers: tuple[tuple[str, str], ...] = ()
    is_cached: bool = True
    searches: bool = False


CLIENTS: Final = "/en/energy/clients"
_CLIENT: Final = f"{CLIENTS}/{ROWS[0]['id']}"
_SEARCH: Final = 'id="search"'
_HTMX: Final = (
    *(("Accept", "*/*"), ("Sec-Fetch-Dest", "empty"), ("Sec-Fetch-Mode", "cors")),
    *(("HX-Request", "true"), ("HX-Target", "list"), ("HX-Current-URL", f"http://localhost{CLIENTS}")),
)
PAGES: Final[Mapping[str, Row]] = {
    "sign-in": Row(name="sign-in", app="auth_app", path="/en/login", marker='name="password"'),
    "clients": Row(name="clients, cached", path=CLIENTS, marker=_SEARCH, rows=20),
    "clients-token": Row(
        name="the same, access token alone", path=CLIENTS, marker=_SEARCH, rows=20, cookies="access token"
    ),
    "search": Row(
        name="clients, another search each time", path=CLIENTS, marker=_SEARCH, rows=20, is_cached=False, searches=True
    ),
    "overview": Row(name="overview", path="/en/energy", marker="5,210"),
    "client": Row(name="record of a client", path=_CLIENT, marker='id="sessions"', rows=5),
    "station": Row(name="record of a station", path=f"/en/energy/stations/{STATION}", marker='id="meters"', rows=15),
    "form": Row(name="edit form", path=f"{_CLIENT}/edit", marker='name="phone"'),
    "fragment": Row(name="table fragment", path=CLIENTS, marker='id="list"', rows=20, headers=_HTMX),
    "redirect": Row(name="redirect to sign in", path=CLIENTS, marker="/en/login?next=", status=302, cookies="none"),
    "404": Row(name="404", path="/en/energy/none", marker="404", status=404),
}


class Visitor:
    """A browser on one server, for one page: it sends the cookies of earlier responses, if the row says so.

    :param send: sends the octets of a request, and returns those of its answer.
    """

    def __init__(self, row: Row, send: Callable[[bytes], bytes]) -> None:
        self.row, self._send = row, send
        self._cookies = {VAR_ACCESS_TOKEN: access_token()} if row.app != "auth_app" and row.cookies != "none" else {}
        if self._cookies and row.cookies == "a browser's":
            self._cookies[VAR_REFRESH_TOKEN] = "a-refresh-token-that-is-not-used-here"

    def requests(self) -> Iterator[bytes]:
        """Return the octets of one request after another, without end."""
        head = self._head()
        if not self.row.searches:
            return itertools.repeat(f"GET {self.row.path}{head}".encode())
        return (f"GET {self.row.path}?q=word{number}{head}".encode() for number in _numbers)

    def visit(self) -> None:
        """Open the page once, take its cookies, and check it.

        :raises AssertionError: it is another page.
        """
        answer = self._send(next(self.requests())).decode()
        head, _, body = answer.partition("\r\n\r\n")
        found = (int(head.split(" ", 2)[1]), body.count("data-row-id="), self.row.marker in answer)
        wanted = (self.row.status, self.row.rows, True)
        if found != wanted:
            raise AssertionError(f"{self.row.name}: {found}, not {wanted}: {head}\n{body[:2000]}")
        if self.row.cookies == "a browser's":
            for line in head.splitlines():
                name, _, value = line.partition(":")
                if name.lower() == "set-cookie":
                    self._cookies.update({key: morsel.coded_value for key, morsel in SimpleCookie(value).items()})

    def _head(self) -> str:
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
        return " HTTP/1.1\r\n" + "".join(f"{name}: {value}\r\n" for name, value in headers.items()) + "\r\n"
