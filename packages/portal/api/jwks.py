"""The keys of a JWKS address, fetched in the background and kept in memory for the edge, which may wait for nothing.

Keys are fetched at start and then every ten minutes. A token with a key id that is not known asks for a fetch at
once, at most one in 30 s, so that a flood of made-up ids is no flood of requests. When the address does not
answer, or answers nonsense, the keys that are known stay in use.

Fetches are numbered, so that a key that is not there can be told from one that may have come meanwhile.
"""

from __future__ import annotations

import logging
import threading
import time
from contextlib import suppress
from dataclasses import dataclass, field
from http import HTTPStatus
from typing import TYPE_CHECKING, Final
from urllib.parse import urlsplit

import jwt

from fork_safety import ForkSafeLock, reset_after_fork
from portal.api.transport import Transport
from portal.errors import ApiUnavailableError
from portal.process import Deadline
from portal.strict_json import read_json

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from portal.config.portal_config import PortalConfig

logger = logging.getLogger(__name__)

#: Between two fetches when nothing unknown turns up, and after one that failed, seconds.
REFETCH_S: Final = 600.0
RETRY_S: Final = 10.0
#: Between two fetches that unknown key ids ask for, seconds.
FORCED_PAUSE_S: Final = 30.0
#: Deadline of one fetch, seconds.
FETCH_DEADLINE_S: Final = 5.0


@dataclass(frozen=True, slots=True, kw_only=True)
class KeySet:
    """One fetched set.

    :param generation: counts the sets that differ from the one before.
    """

    generation: int = 0
    keys: tuple[jwt.PyJWK, ...] = ()
    source: bytes = field(default=b"", repr=False)


class JwksKeys:
    """The keys of one address: a :class:`portal.identity.verification.KeySource`.

    :param fetch: gives the key set's bytes; raises `ApiUnavailableError` where there is none.
    :param clock: monotonic seconds.
    """

    def __init__(self, *, fetch: Callable[[], bytes], clock: Callable[[], float] = time.monotonic) -> None:
        self._fetch = fetch
        self._clock = clock
        self._set = KeySet()
        self._begun = 0
        self._succeeded = 0
        self._forced_at = float("-inf")
        self._started = False
        self._lock = ForkSafeLock()
        self._begin_anew()
        reset_after_fork(self, JwksKeys._begin_anew)

    @property
    def generation(self) -> int:
        """Changes whenever the set does."""
        return self._set.generation

    @property
    def begun(self) -> int:
        """How many fetches have begun."""
        return self._begun

    @property
    def succeeded(self) -> int:
        """The number of the last one that succeeded."""
        return self._succeeded

    def keys_for(self, kid: str | None) -> Sequence[jwt.PyJWK]:
        """The keys under this id; without one, all. An unknown id asks for a fetch, in the background."""
        self.start()
        keys = self._set.keys
        found = keys if kid is None else tuple(key for key in keys if key.key_id == kid)
        if not found:
            self._want()
        return found

    def start(self) -> None:
        """Fetch in the background from now on: once for each process, since threads do not survive a fork."""
        if self._started:
            return
        with self._lock:
            first, self._started = not self._started, True
        if not first:
            return
        try:
            threading.Thread(target=self._keep_fetching, name="portal-jwks", daemon=True).start()
        except RuntimeError as error:  # the machine, or this process's limit, has no more threads
            logger.error("jwks: no keys are fetched for now: %s", error)  # noqa: TRY400  whose words are all there is to say
            self._started = False

    def wait_until_fetched(self, *, timeout_s: float) -> bool:
        """Wait for the first fetch of this process, so that its first requests can be judged."""
        self.start()
        return self._fetched.wait(timeout_s)

    def fetch_now(self) -> bool:
        """Fetch once; whether the keys are up to date. Never raises for what the address does."""
        with self._lock:
            self._begun += 1
            number = self._begun
        try:
            source = self._fetch()
            if source != self._set.source:
                keys = read_keys(source)
                self._set = KeySet(generation=self._set.generation + 1, keys=keys, source=source)
                logger.info("jwks: %d keys", len(keys))
        except (ApiUnavailableError, ValueError) as error:
            logger.warning("jwks: keeping the %d keys that are known: %s", len(self._set.keys), type(error).__name__)
            return False
        self._succeeded = number
        return True

    def _want(self) -> None:
        """Ask for a fetch, unless one was asked for a moment ago."""
        with self._lock:
            now = self._clock()
            if now - self._forced_at < FORCED_PAUSE_S:
                return
            self._forced_at = now
        self._wanted.set()

    def _begin_anew(self) -> None:
        # An event has a lock of its own.
        self._started = False
        self._wanted = threading.Event()
        self._fetched = threading.Event()

    def _keep_fetching(self) -> None:
        while True:
            self._wanted.clear()
            try:
                up_to_date = self.fetch_now()
            except Exception:
                # This thread is the process's only one: its end would leave the keys as they are for good.
                logger.exception("jwks: keeping the %d keys that are known", len(self._set.keys))
                up_to_date = False
            self._fetched.set()
            self._wanted.wait(REFETCH_S if up_to_date else RETRY_S)


def read_keys(source: bytes) -> tuple[jwt.PyJWK, ...]:
    """The usable keys of a JWKS document; any other is as if it were not there (RFC 7517, section 5). Pure.

    :raises ValueError: it is no JWKS document, or none of its keys is usable.
    """
    document = read_json(source)
    members = document.get("keys") if isinstance(document, dict) else None
    found = []
    for member in members if isinstance(members, list) else ():
        # Whatever the reader raises: of a member in another shape than it expects it may be a TypeError.
        with suppress(Exception):
            found.append(jwt.PyJWK(member))
    if not found:
        raise ValueError("no JWKS document with a usable key")
    return tuple(found)


def jwks_keys(config: PortalConfig) -> JwksKeys:
    """The keys of the configured address (`APP_JWT_JWKS_URL`)."""
    url = urlsplit(config.verification.jwks_url)
    target = (url.path or "/") + (f"?{url.query}" if url.query else "")
    transport = Transport(
        base_url=f"{url.scheme}://{url.netloc}",
        connect_timeout_s=config.connect_timeout_s,
        read_timeout_s=config.read_timeout_s,
        ca_file=config.api_ca_file,
        to="keys",
    )

    def fetch() -> bytes:
        reply = transport.send(
            method="GET",
            target=target,
            headers={"Accept": "application/json"},
            deadline=Deadline(FETCH_DEADLINE_S),
            own_connection=True,
        )
        if reply.status != HTTPStatus.OK:
            raise ApiUnavailableError("no keys", status=reply.status)
        return reply.content

    return JwksKeys(fetch=fetch)
