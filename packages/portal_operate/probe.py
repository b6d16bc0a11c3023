"""One HTTP request, each of its steps by itself: the name, the connection, TLS, the answer."""

import http.client
import socket
import ssl
import time
from collections.abc import Iterator
from contextlib import closing, contextmanager, suppress
from dataclasses import dataclass, field
from email.utils import parsedate_to_datetime
from typing import Final
from urllib.parse import urlsplit

from requests.utils import DEFAULT_CA_BUNDLE_PATH

from portal.config.portal_config import PortalConfig

MAX_BODY_BYTES: Final = 1024 * 1024


@dataclass(slots=True, kw_only=True)
class Probe:
    """Report of a request. A step that was not reached has no time.

    :ivar times_ms: step to its time: `DNS`, `TCP`, `TLS`, `HTTP` (the answer).
    :ivar addresses: of the name.
    :ivar failed: the step that failed; None if there was an answer.
    :ivar cause: why it failed, in words.
    :ivar clock_ahead_s: how far the server's clock (`Date`) is ahead of this one; None where it does not say. It has
        whole seconds.
    """

    times_ms: dict[str, float] = field(default_factory=dict)
    addresses: list[str] = field(default_factory=list)
    status: int | None = None
    content_type: str = ""
    body: bytes = b""
    failed: str | None = None
    cause: str = ""
    clock_ahead_s: float | None = None


def probe_url(url: str, *, config: PortalConfig) -> Probe:
    """Make one GET on a connection of its own. Never raises for what a server or a network does.

    :param config: has the limits of time, and authorities that are trusted beside the public ones.
    """
    probe = Probe()
    try:
        _ask(probe, url, config)
    except (OSError, http.client.HTTPException, ValueError) as error:
        probe.cause = explain(error)
    return probe


def _ask(probe: Probe, url: str, config: PortalConfig) -> None:
    with _step(probe, "DNS"):
        parts = urlsplit(url)
        host, port = parts.hostname or "", parts.port or (443 if parts.scheme == "https" else 80)
        found = socket.getaddrinfo(host, port, type=socket.SOCK_STREAM)
    probe.addresses = list(dict.fromkeys(str(entry[4][0]) for entry in found))
    with closing(http.client.HTTPConnection(host, port, timeout=config.connect_timeout_s)) as connection:
        with _step(probe, "TCP"):
            connection.connect()
        if parts.scheme == "https":
            with _step(probe, "TLS"):
                context = ssl.create_default_context(cafile=DEFAULT_CA_BUNDLE_PATH)
                if config.api_ca_file is not None:
                    context.load_verify_locations(cafile=config.api_ca_file)
                connection.sock = context.wrap_socket(connection.sock, server_hostname=host)
        with _step(probe, "HTTP"):
            connection.sock.settimeout(config.read_timeout_s)
            headers = {"Host": parts.netloc, "Accept": "application/json", "User-Agent": "portal-probe"}
            connection.request("GET", url.partition(parts.netloc)[2] or "/", headers={**headers, "Connection": "close"})
            response = connection.getresponse()
            with suppress(ValueError):
                probe.clock_ahead_s = parsedate_to_datetime(response.headers["Date"]).timestamp() - time.time()
            probe.content_type, probe.body = response.headers.get_content_type(), response.read(MAX_BODY_BYTES)
        probe.status = response.status


@contextmanager
def _step(probe: Probe, name: str) -> Iterator[None]:
    """Take the time of a step, which is the one that failed until it has ended."""
    probe.failed, began = name, time.monotonic()
    yield
    probe.failed, probe.times_ms[name] = None, round(1000 * (time.monotonic() - began), 1)


def explain(error: Exception) -> str:
    """Return the reason, in words that name no address."""
    match error:
        case ssl.SSLCertVerificationError():
            return f"its certificate is not trusted: {error.verify_message}"
        case ssl.SSLError():
            return f"no TLS: {error.reason or 'the connection was closed'}"
        case socket.gaierror():
            return f"no address for this name: {error.strerror}"
        case TimeoutError():
            return "no answer in time"
    return str(getattr(error, "strerror", None) or type(error).__name__)
