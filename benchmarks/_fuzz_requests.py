"""Requests that nobody should send, made by a seeded die: methods, paths, headers, cookies, bodies, raw octets."""

from __future__ import annotations

import base64
import json
import string
from dataclasses import dataclass
from typing import TYPE_CHECKING
from urllib.parse import quote, urlencode

from benchmarks._wire import Sent
from portal.config.cookies import (
    VAR_ACCESS_TOKEN,
    VAR_PERMITTED_PLATFORMS,
    VAR_REFRESH_TOKEN,
    VAR_SELECTED_LOCALE,
)

if TYPE_CHECKING:
    import random
    from collections.abc import Callable

APPS = ("auth_app", "energy", "operations", "finance")
PATHS = (
    *("/en/energy", "/en/energy/clients", "/en/energy/clients/new", "/en/energy/stations", "/en/energy/chargers"),
    *("/en/energy/sessions", "/en/energy/meters", "/en/operations", "/en/operations/work-orders"),
    *("/en/operations/work-orders/new", "/en/finance", "/en/finance/invoices", "/en/profile", "/en/login"),
    *("/en/login/oidc", "/login/oidc/callback", "/oidc/backchannel-logout", "/en/logout", "/en/signed-out"),
    *("/en/essentials", "/sign-in-state", "/locale", "/healthz", "/favicon.ico", "/robots.txt", "/.well-known/x"),
    *("/static/portal/portal.css", "/static/../settings.py", "/en/search", "/", "/en", "/de/energy", "/tr/finance"),
)
FORMS = (
    *(
        ("auth_app", "/en/login"),
        ("energy", "/en/energy/clients/new"),
        ("operations", "/en/operations/work-orders/new"),
    ),
    *(("energy", "/locale"), ("auth_app", "/locale"), ("energy", "/en/energy/clients/{}/edit")),
    *(("energy", "/en/energy/clients/{}/delete"), ("operations", "/en/operations/work-orders/{}/complete")),
)
FIELDS = ("name", "email", "phone", "city", "title", "priority", "stationId", "password", "next", "locale", "q")
PARAMETERS = (
    "q",
    "sort",
    "cursor",
    "next",
    "limit",
    "status",
    "page",
    "pages",
    "columns",
    "period",
    "from",
    "to",
    "tz",
)
SEGMENTS = (
    *(
        "en",
        "EN",
        "de",
        "en-US",
        "energy",
        "ENERGY",
        "clients",
        "login",
        "..",
        ".",
        "%2e%2e",
        "%2f",
        "%5c",
        "%00",
        "%ff",
    ),
    *(
        "%C3%A9",
        "%E2%80%AE",
        "a" * 300,
        "",
        "login-history",
        "__debug__",
        "metrics",
        "readyz",
        "%25%32%65",
        ";a=b",
        "~",
    ),
)
METHODS = (b"GET",) * 9 + (
    b"HEAD",
    b"POST",
    b"PUT",
    b"DELETE",
    b"PATCH",
    b"OPTIONS",
    b"TRACE",
    b"PROPFIND",
    b"G\xc3\x84T",
)
HEADERS: tuple[tuple[bytes, tuple[bytes, ...]], ...] = (
    (b"Accept", (b"text/html", b"*/*", b"application/json", b"", b"text/html;q=x", b"\xff\xfe", b"a/b," * 500)),
    (b"Accept-Language", (b"de", b"tr;q=0", b"*", b"en;q=9999999999", b"-" * 900, b"\x80", b"de,en;q=0.5," * 300)),
    (b"Accept-Encoding", (b"gzip", b"br;q=1.0", b"identity;q=0", b"*;q=0")),
    (b"Sec-Fetch-Mode", (b"navigate", b"cors", b"x")),
    (b"Sec-Fetch-Site", (b"same-origin", b"cross-site")),
    (b"HX-Request", (b"true", b"false", b"\xe2\x80\xae")),
    (b"HX-Current-URL", (b"https://evil.example/", b"javascript:1", b"https://[", b"//", b"\\\\x")),
    (b"X-Requested-With", (b"XMLHttpRequest",)),
    (b"X-Forwarded-For", (b"1.2.3.4", b"::1", b"," * 200, b"unknown")),
    (b"X-Forwarded-Proto", (b"http", b"https,http")),
    (b"X-Request-ID", (b"x" * 400, b"a b", b"\xff")),
    (b"X-Pathname", (b"/en/finance",)),
    (b"Authorization", (b"Bearer x", b"Basic =", b"\x80")),
    (b"Content-Type", (b"application/json", b"multipart/form-data", b"text/plain; charset=utf-99", b"a/b; =", b"")),
    (b"If-None-Match", (b'"x"', b"*", b"W/")),
    (b"If-Modified-Since", (b"Tue, 99 Foo 2026 00:00:00 GMT", b"0")),
    (b"Range", (b"bytes=0-", b"bytes=5-1", b"bytes=-9999999999999")),
    (b"Referer", (b"https://[::", b"x" * 3000, b"https://energy.portal.test/en/energy")),
    (b"Origin", (b"null", b"https://evil.example", b"http://[")),
    (b"Traceparent", (b"00-0-0-00", b"00-" + b"a" * 32 + b"-" + b"b" * 16 + b"-01")),
    (b"Cache-Control", (b"no-cache", b"max-age=-1")),
    (b"Expect", (b"100-continue",)),
    (b"User-Agent", (b"", b"\xf0\x9f\x92\xa9", b"${jndi:ldap://x}", b"%s%n")),
)
RAW: tuple[bytes, ...] = (
    b"GET / HTTP/1.1\r\n\r\n",
    b"GET / HTTP/9.9\r\nHost: a\r\n\r\n",
    b"GET /en/energy HTTP/1.0\r\n\r\n",
    b"GET http://evil.example/en HTTP/1.1\r\nHost: {host}\r\n\r\n",
    b"GET /en HTTP/1.1\r\nHost: {host}\r\nHost: b\r\n\r\n",
    b"GET /en HTTP/1.1\r\nHost: {host}\r\n folded: x\r\n\r\n",
    b"GET /en HTTP/1.1\r\nHost: {host}\r\nX y: z\r\nNo colon\r\n\r\n",
    b"POST /en/login HTTP/1.1\r\nHost: {host}\r\nContent-Length: 5\r\nContent-Length: 6\r\n\r\nabcdef",
    b"POST /en/login HTTP/1.1\r\nHost: {host}\r\nContent-Length: -1\r\n\r\n",
    b"POST /en/login HTTP/1.1\r\nHost: {host}\r\nContent-Length: 99999999999999999999\r\n\r\n",
    b"POST /en/login HTTP/1.1\r\nHost: {host}\r\nTransfer-Encoding: chunked\r\nContent-Length: 4\r\n\r\n0\r\n\r\n",
    b"POST /en/login HTTP/1.1\r\nHost: {host}\r\nTransfer-Encoding: chunked\r\n\r\nzz\r\n",
    b"POST /en/login HTTP/1.1\r\nHost: {host}\r\nTransfer-Encoding: xchunked\r\n\r\n",
    b"POST /en/login HTTP/1.1\r\nHost: {host}\r\nTransfer-Encoding: chunked\r\n\r\n3\r\na=b\r\n0\r\nX: y\r\n\r\n",
    b"PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n\x00\x00\xff\x01\x05",
    b"GET /\x00 HTTP/1.1\r\nHost: {host}\r\n\r\n",
    b"GET\t/en\tHTTP/1.1\r\nHost: {host}\r\n\r\n",
    b"\r\n\r\n\r\nGET /en HTTP/1.1\r\nHost: {host}\r\n\r\n",
    b"OPTIONS * HTTP/1.1\r\nHost: {host}\r\n\r\n",
    b"CONNECT {host} HTTP/1.1\r\nHost: {host}\r\n\r\n",
)
#: What a browser of a signed-in user sends, so that pages and forms are reached.
TOKEN_NAMES = (VAR_ACCESS_TOKEN, VAR_REFRESH_TOKEN)
#: Of a cookie header that only a server itself takes; nginx refuses it.
LARGEST_COOKIE = 350_000


@dataclass
class Requests:
    """A stream of requests.

    :param origins: of each project, as a browser has it.
    :param signed_in: the tokens of a sign-in.
    """

    dice: random.Random
    origins: dict[str, str]
    signed_in: tuple[str, str] = ("", "")

    def next(self, *, raw: bool = True) -> Sent:
        """The next one.

        :param raw: whether it may be octets that are no request.
        """
        kinds: list[tuple[Callable[[], Sent], int]] = [(self._path, 45), (self._cookies, 22), (self._form, 28)]
        if raw:
            kinds.append((self._raw, 5))
        return self.dice.choices([kind for kind, _ in kinds], [weight for _, weight in kinds])[0]()

    def large_cookies(self) -> Sent:
        """With cookies of 350 KB, for a server itself."""
        app = self.dice.choice(APPS[1:])
        names = [VAR_ACCESS_TOKEN, VAR_REFRESH_TOKEN, VAR_PERMITTED_PLATFORMS, "other"]
        value = self._text(string.ascii_letters, 64).encode() * (LARGEST_COOKIE // 64)
        cookie = self.dice.choice(names).encode() + b"=" + value
        if self.dice.random() < 0.3:
            cookie = b"; ".join(b"c%d=%s" % (number, value[:40]) for number in range(LARGEST_COOKIE // 48))
        return Sent(app, target=self._known_path(app), headers=(*_navigation(), (b"Cookie", cookie)))

    # --- kinds ---

    def _path(self) -> Sent:
        target = self._target()
        headers = list(self._some_headers())
        if self.dice.random() < 0.5:
            headers.append((b"Cookie", self._own_cookies()))
        method = self.dice.choice(METHODS)
        body = self._octets(200) if method in {b"POST", b"PUT", b"PATCH"} and self.dice.random() < 0.5 else b""
        return Sent(self.dice.choice(APPS), method, target, tuple(headers), body)

    def _cookies(self) -> Sent:
        app = self.dice.choice(APPS)
        makers = (self._made_up_token, self._odd_cookie, self._many_cookies)
        cookie = b"; ".join(self.dice.choice(makers)() for _ in range(self.dice.randrange(1, 4)))
        if self.dice.random() < 0.3:
            cookie = self._own_cookies() + b"; " + cookie
        return Sent(app, target=self._known_path(app), headers=(*_navigation(), (b"Cookie", cookie)))

    def _form(self) -> Sent:
        app, path = self.dice.choice(FORMS)
        secret = self._text(string.ascii_letters + string.digits, 32)
        fields = [("csrfmiddlewaretoken", secret)]
        fields += [(self.dice.choice(FIELDS), self._value()) for _ in range(self.dice.randrange(8))]
        body, kind = urlencode(fields, errors="surrogatepass").encode(), b"application/x-www-form-urlencoded"
        roll = self.dice.random()
        if roll < 0.1:
            body += b"&" + self._octets(300)
        elif roll < 0.15:
            body += b"".join(b"&f%d=" % number for number in range(2000))
        elif roll < 0.25:
            kind = b"multipart/form-data; boundary=" + self.dice.choice((b"x", b"", b"y" * 200))
            body = b'--x\r\nContent-Disposition: form-data; name="name"\r\n\r\n' + self._octets(200) + b"\r\n--x--"
        elif roll < 0.3:
            kind, body = b"application/json", json.dumps({"name": self._value()}).encode()
        cookie = self._own_cookies() + f"; __Host-csrf_{app}={secret}".encode()
        headers = [(b"Content-Type", kind), (b"Cookie", cookie), (b"Accept", b"text/html")]
        if self.dice.random() < 0.9:
            headers.append((b"Origin", self.origins[app].encode()))
        target = path.format(quote(self._value(), safe="", errors="replace")).encode()
        return Sent(app, b"POST", target, tuple(headers), body)

    def _raw(self) -> Sent:
        app = self.dice.choice(APPS)
        host = self.origins[app].partition("//")[2].encode()
        octets = self.dice.choice(RAW).replace(b"{host}", host)
        if self.dice.random() < 0.3:
            changed = bytearray(octets)
            for _ in range(self.dice.randrange(1, 6)):
                changed[self.dice.randrange(len(changed))] = self.dice.randrange(256)
            octets = bytes(changed)
        elif self.dice.random() < 0.1:
            octets = self._octets(500)
        return Sent(app, raw=octets)

    # --- parts ---

    def _known_path(self, app: str) -> bytes:
        known = [path for path in PATHS if app in path] or list(PATHS)
        path = self.dice.choice(known)
        if self.dice.random() < 0.3:
            path += "?" + urlencode({self.dice.choice(PARAMETERS): self._value()}, errors="replace")
        return path.encode()

    def _target(self) -> bytes:
        if self.dice.random() < 0.5:
            path = self.dice.choice(PATHS)
        else:
            path = "/" + "/".join(self.dice.choice(SEGMENTS) for _ in range(self.dice.randrange(1, 6)))
        roll = self.dice.random()
        if roll < 0.1:
            path += "/" + quote(self._value(), safe="", errors="replace")
        elif roll < 0.13:
            path += "/" + "x" * self.dice.choice((2000, 8000, 20_000))
        if self.dice.random() < 0.4:
            pairs = [(self.dice.choice(PARAMETERS), self._value()) for _ in range(self.dice.randrange(1, 5))]
            path += "?" + urlencode(pairs, errors="replace")
        target = path.encode()
        if self.dice.random() < 0.05:
            target += self.dice.choice((b"%", b"%zz", b"\xc3\x28", b"\\", b"?" * 50, b"#x", b"%u0041"))
        return target

    def _some_headers(self) -> list[tuple[bytes, bytes]]:
        chosen = self.dice.sample(HEADERS, self.dice.randrange(6))
        return [(name, self.dice.choice(values)) for name, values in chosen]

    def _own_cookies(self) -> bytes:
        tokens = zip(TOKEN_NAMES, self.signed_in, strict=True)
        return "; ".join(f"{name}={value}" for name, value in tokens).encode()

    def _made_up_token(self) -> bytes:
        claims = {"sub": self._value(), "permissions": self.dice.choice(([], ["ENERGY_APP"], "ENERGY_APP", 7, [None]))}
        claims["exp"] = self.dice.choice((9e99, -1, "soon", 4102444800, None))
        head = {"alg": self.dice.choice(("HS256", "none", "RS256", 5)), "typ": "JWT"}
        parts = [base64.urlsafe_b64encode(json.dumps(part).encode()).rstrip(b"=") for part in (head, claims)]
        token = b".".join([*parts, self._text(string.ascii_letters, 20).encode()])
        if self.dice.random() < 0.4:
            token = self.signed_in[0].encode()
            at = self.dice.randrange(len(token))
            token = token[:at] + self.dice.choice((b"", b".", b"A", b"=")) + token[at + 1 :]
        return self.dice.choice(TOKEN_NAMES).encode() + b"=" + token

    def _odd_cookie(self) -> bytes:
        name = self.dice.choice((VAR_PERMITTED_PLATFORMS, VAR_SELECTED_LOCALE, "messages", "theme", "", "$Version"))
        values = ('["energy"]', "%5B%22energy%22%5D", '"[\\"energy\\"]"', "[" * 2000, "%", "%00", "xx", "x" * 1500, "")
        value = self.dice.choice(values).encode()
        if self.dice.random() < 0.2:
            value = self._octets(60).replace(b"\r", b"").replace(b"\n", b"").replace(b"\0", b"")
        return name.encode() + b"=" + value

    def _many_cookies(self) -> bytes:
        return b"; ".join(b"c%d=%d" % (number, number) for number in range(self.dice.choice((10, 300, 1500))))

    def _value(self) -> str:
        makers = (
            lambda: self._text(string.ascii_letters, 12),
            lambda: self._text("äßğ€\u202e\u0000\ud7ff😀'\"<>&%\\/\n\t ", 8),
            lambda: str(self.dice.choice((0, -1, 2**63, 1e308, "NaN", "null", "true", "[]", "{}"))),
            lambda: self.dice.choice(("../me", "..%2f", "' or 1=1 --", "{{7*7}}", "<script>", "-name", "createdAt")),
            lambda: "x" * self.dice.choice((255, 2000, 10_000)),
            lambda: self.dice.choice(("https://evil.example/", "//evil.example", "/en/energy", "javascript:1", "/\\x")),
        )
        return self.dice.choices(makers, (4, 4, 3, 3, 1, 2))[0]()

    def _text(self, letters: str, length: int) -> str:
        return "".join(self.dice.choices(letters, k=length))

    def _octets(self, length: int) -> bytes:
        return self.dice.randbytes(self.dice.randrange(1, length))


def _navigation() -> tuple[tuple[bytes, bytes], ...]:
    return ((b"Accept", b"text/html"), (b"Sec-Fetch-Mode", b"navigate"))
