"""One HTTP request, each of its steps by itself: the name, the connection, TLS, the first byte of the answer."""

from __future__ import annotations

import http.client
import socket
import ssl
import time
from contextlib import closing
from dataclasses import dataclass, field
from email.utils import parsedate_to_datetime
from typing import TYPE_CHECKING, Any, Final
from urllib.parse import urlsplit

from requests.utils import DEFAULT_CA_BUNDLE_PATH

if TYPE_CHECKING:
    from portal.config.portal_config import PortalConfig

MAX_BODY_BYTES: Final = 1024 * 1024
_STEPS: Final = ("name", "connection", "tls", "answer")


@dataclass(slots=True, kw_only=True)
class Probe:
    """What a request found. A step that was not reached has no time.

    :ivar times_ms: step to its time: `name` (DNS), `connection` (TCP), `tls`, `answer` (until the answer's head).
    :ivar addresses: of the name.
    :ivar failed: the step that failed; None if there was an answer.
    :ivar cause: why it failed, in words.
    :ivar clock_ahead_s: how far the server's clock (`Date`) is ahead of this one; None where it does not say. It has
        whole seconds.
    """

    url: str
    times_ms: dict[str, float] = field(default_factory=dict)
    addresses: list[str] = field(default_factory=list)
    status: int | None = None
    content_type: str = ""
    body: bytes = b""
    failed: str | None = None
    cause: str = ""
    clock_ahead_s: float | None = None

    @property
    def total_ms(self) -> float:
        """The time of all steps together."""
        return sum(self.times_ms.values())


def probe_url(url: str, *, config: PortalConfig, bearer: str | None = None) -> Probe:
    """One GET on a connection of its own. Never raises for what a server or a network does.

    :param config: has the limits of time, and authorities that are trusted beside the public ones.
    :param bearer: an access token to send.
    """
    probe = Probe(url=url)
    steps = iter(_STEPS)
    step = next(steps)
    try:
        parts = urlsplit(url)
        host, tls = parts.hostname or "", parts.scheme == "https"
        port = parts.port or (443 if tls else 80)
        began = time.monotonic()
        found = socket.getaddrinfo(host, port, type=socket.SOCK_STREAM)
        probe.addresses = list(dict.fromkeys(str(entry[4][0]) for entry in found))
        began = _took(probe, step, began)
        step = next(steps)
        connection = socket.create_connection((host, port), timeout=config.connect_timeout_s)
        with closing(connection):
            began = _took(probe, step, began)
            step = next(steps)
            if tls:
                context = ssl.create_default_context(cafile=DEFAULT_CA_BUNDLE_PATH)
                if config.api_ca_file is not None:
                    context.load_verify_locations(cafile=config.api_ca_file)
                connection = context.wrap_socket(connection, server_hostname=host)
                _took(probe, step, began)
            step = next(steps)
            with closing(connection):
                connection.settimeout(config.read_timeout_s)
                _ask(probe, connection, bearer)
    except (OSError, http.client.HTTPException, ValueError) as error:
        probe.failed, probe.cause = step, explain(error)
    return probe


def _ask(probe: Probe, connection: socket.socket, bearer: str | None) -> None:
    began = time.monotonic()
    parts = urlsplit(probe.url)
    client = http.client.HTTPConnection(parts.netloc)
    client.sock = connection
    headers = {"Accept": "application/json", "Connection": "close", "User-Agent": "portal-probe"}
    target = (parts.path or "/") + (f"?{parts.query}" if parts.query else "")
    client.request("GET", target, headers=headers | ({"Authorization": f"Bearer {bearer}"} if bearer else {}))
    response = client.getresponse()
    ahead = _clock_ahead(response.headers.get("Date"))
    _took(probe, "answer", began)
    probe.content_type = response.headers.get_content_type()
    probe.clock_ahead_s = ahead
    probe.body = response.read(MAX_BODY_BYTES)
    probe.status = response.status


def explain(error: Exception) -> str:
    """The reason, in words that name no address."""
    if isinstance(error, ssl.SSLCertVerificationError):
        return f"its certificate is not trusted: {error.verify_message}"
    if isinstance(error, ssl.SSLError):
        return f"no TLS: {error.reason or 'the connection was closed'}"
    if isinstance(error, socket.gaierror):
        return f"no address for this name: {error.strerror}"
    if isinstance(error, TimeoutError):
        return "no answer in time"
    words = getattr(error, "strerror", None) or type(error).__name__
    return str(words)


def _took(probe: Probe, step: str, began: float) -> float:
    now = time.monotonic()
    probe.times_ms[step] = round(1000 * (now - began), 1)
    return now


def _clock_ahead(date: str | None) -> float | None:
    try:
        return None if date is None else parsedate_to_datetime(date).timestamp() - time.time()
    except (TypeError, ValueError):
        return None


def as_data(probe: Probe) -> dict[str, Any]:
    """The probe as JSON, without the body."""
    return {
        "url": probe.url,
        "addresses": probe.addresses,
        "times_ms": probe.times_ms,
        "status": probe.status,
        "failed": probe.failed,
        "cause": probe.cause or None,
        "clock_ahead_s": None if probe.clock_ahead_s is None else round(probe.clock_ahead_s, 1),
    }
