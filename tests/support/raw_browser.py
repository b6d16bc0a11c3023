"""A browser that goes where it is sent and counts the hops, with nothing between it and the wire.

Its cookies are pairs in a dictionary, sent and kept as they are: ports share them, as on any localhost. Fast and
plain, for tests that make thousands of visits; `tests.support.http_browser` is the comfortable one.
"""

from __future__ import annotations

import http.client
import threading
import time
from collections.abc import Mapping
from dataclasses import dataclass, field
from urllib.parse import urljoin, urlsplit

PERSON = {"Accept": "text/html", "Sec-Fetch-Mode": "navigate"}
HTMX = {"Accept": "*/*", "Sec-Fetch-Mode": "cors", "HX-Request": "true"}
#: Where a sign-in that ended leads.
END_OF_SIGN_IN = "/"
GIVE_UP_AFTER = 12
#: The server hangs up on a connection that was silent for 30 s; one that was silent for this long is made anew.
MAX_SILENCE_S = 15.0


@dataclass
class RedirectChain:
    """A chain of redirects.

    :ivar steps: the address of each request, and its answer's status.
    :ivar hops: redirects that were followed, to the page at the end or to `/` where the sign-in ended.
    :ivar ended: the cookies at the moment when an answer led to `/`; None where none did.
    :ivar epilogue: the hops after that.
    :ivar cookies: those at the end.
    :ivar faults: what no answer may ever do.
    """

    cookies: dict[str, str]
    steps: list[tuple[str, int]] = field(default_factory=list)
    hops: int = 0
    ended: dict[str, str] | None = None
    epilogue: int = 0
    retry_after: str | None = None
    faults: list[str] = field(default_factory=list)

    @property
    def status(self) -> int:
        """How it ended."""
        return self.steps[-1][1]

    @property
    def page(self) -> str:
        """The path on which it ended, without the locale."""
        return "/" + urlsplit(self.steps[-1][0]).path.lstrip("/").partition("/")[2]


class _KeptConnection(http.client.HTTPConnection):
    """A connection that is used again and again; it opens itself where it is closed."""

    _used_at = 0.0

    def renew_after_silence(self) -> None:
        if time.monotonic() - self._used_at > MAX_SILENCE_S:
            self.close()
        self._used_at = time.monotonic()


class KeptConnections:
    """The origins that may be visited; each thread keeps a connection to each.

    :param origins: `http://localhost:{port}`, all on this machine.
    """

    def __init__(self, *origins: str) -> None:
        self.origins = origins
        self._local = threading.local()
        self._open: list[_KeptConnection] = []

    def get(
        self, url: str, *, cookies: Mapping[str, str], headers: Mapping[str, str]
    ) -> tuple[int, http.client.HTTPMessage]:
        """One GET: the status and the headers."""
        parts = urlsplit(url)
        mine = self._local.__dict__
        if parts.netloc not in mine:
            mine[parts.netloc] = _KeptConnection("127.0.0.1", parts.port, timeout=30)
            self._open.append(mine[parts.netloc])
        connection: _KeptConnection = mine[parts.netloc]
        connection.renew_after_silence()
        sent = {"Host": parts.netloc, **headers}
        if cookies:
            sent["Cookie"] = "; ".join(f"{name}={value}" for name, value in cookies.items())
        connection.request("GET", parts.path + (f"?{parts.query}" if parts.query else ""), headers=sent)
        response = connection.getresponse()
        response.read()
        return response.status, response.headers

    def close(self) -> None:
        """Close all connections; no thread may be on its way."""
        for connection in self._open:
            connection.close()


def follow_redirects(
    url: str, *, cookies: Mapping[str, str], headers: Mapping[str, str], connections: KeptConnections
) -> RedirectChain:
    """Follow redirects, and what htmx is told in `HX-Redirect`, until there are none."""
    chain = RedirectChain(dict(cookies))
    while True:
        status, answer = connections.get(url, cookies=chain.cookies, headers=headers)
        chain.steps.append((url, status))
        keep_cookies(chain, answer)
        location = answer["Location"] if status in {301, 302, 303, 307, 308} else None
        if answer["HX-Redirect"]:
            location, headers = answer["HX-Redirect"], PERSON
        if location is None or len(chain.steps) > GIVE_UP_AFTER:
            chain.retry_after = answer["Retry-After"]
            return chain
        if chain.ended is None:
            chain.hops += 1
            chain.ended = dict(chain.cookies) if location == END_OF_SIGN_IN else None
        else:
            chain.epilogue += 1
        url = urljoin(url, location)
        parts = urlsplit(url)
        if f"{parts.scheme}://{parts.netloc}" not in connections.origins or "\\" in location:
            chain.faults.append(f"leaves for {location}")
            return chain


def keep_cookies(chain: RedirectChain, answer: http.client.HTTPMessage) -> None:
    """Do as the answer's `Set-Cookie` lines say."""
    for line in answer.get_all("Set-Cookie", []):
        pair, *rest = (part.strip() for part in line.split(";"))
        name, _, value = pair.partition("=")
        attributes = {key.lower(): given for key, _, given in (part.partition("=") for part in rest)}
        if "domain" in attributes or attributes.get("path") != "/":
            chain.faults.append(f"a cookie that not every app would get: {line}")
        if int(attributes.get("max-age", "1")) > 0:
            chain.cookies[name] = value
        else:
            chain.cookies.pop(name, None)
