"""The keys of a JWKS address (RFC 7517), fetched in the background and kept in memory.

The edge verifies tokens with them and must not wait, so it only reads what is in memory. Keys are fetched at the start
and then every ten minutes. A token with an unknown key id triggers a fetch, at most once in 30 s, so that a flood of
made-up ids is no flood of requests. If the address does not answer, or answers nonsense, the known keys stay in use.

Fetches are numbered. So a reader can tell a key that does not exist from one that a later fetch may bring.
"""

import logging
import threading
import time
from collections.abc import Callable, Sequence
from contextlib import suppress
from dataclasses import dataclass, field
from http import HTTPStatus
from typing import Final

import jwt

from fork_safety import ForkSafeLock, reset_after_fork
from portal.api.metrics import keys_missed
from portal.api.transport import Transport
from portal.config.portal_config import PortalConfig
from portal.errors import ApiUnavailableError
from portal.process import Deadline
from portal.rows import read_json

logger = logging.getLogger(__name__)

#: Pause between two fetches, and after a failed one, seconds.
REFETCH_S: Final = 600.0
RETRY_S: Final = 10.0
#: Pause between two fetches that unknown key ids trigger, seconds.
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
        #: Number of the latest fetch that has begun, and of the latest that succeeded.
        self.begun = self.succeeded = 0
        self._forced_at = float("-inf")
        self._started = False
        self._lock = ForkSafeLock()
        self._reset()
        reset_after_fork(self, JwksKeys._reset)

    @property
    def generation(self) -> int:
        """Changes whenever the set does."""
        return self._set.generation

    def keys_for(self, kid: str | None) -> Sequence[jwt.PyJWK]:
        """The keys with this id; all keys if it is None. An unknown id triggers a fetch in the background."""
        self.start()
        keys = self._set.keys
        found = keys if kid is None else tuple(key for key in keys if key.key_id == kid)
        if not found:
            self._want()
        return found

    def start(self) -> None:
        """Fetch in the background from now on. Each process starts its own thread, because none survives a fork."""
        if self._started:
            return
        with self._lock:
            first, self._started = not self._started, True
        if not first:
            return
        try:
            threading.Thread(target=self._keep_fetching, name="portal-jwks", daemon=True).start()
        except RuntimeError as error:  # the machine, or this process's limit, has no more threads
            logger.error("jwks: no keys are fetched for now: %s", error)  # noqa: TRY400  the error's words are all there is to log
            self._started = False

    def wait_until_fetched(self, *, timeout_s: float) -> bool:
        """Wait for the first fetch of this process; whether it has ended."""
        self.start()
        return self._fetched.wait(timeout_s)

    def fetch_now(self) -> bool:
        """Fetch once; whether the keys are up to date. A failure is logged, not raised."""
        with self._lock:
            self.begun += 1
            number = self.begun
        try:
            source = self._fetch()
            if source != self._set.source:
                keys = read_keys(source)
                self._set = KeySet(generation=self._set.generation + 1, keys=keys, source=source)
                logger.info("jwks: %d keys", len(keys))
        except (ApiUnavailableError, ValueError) as error:
            logger.warning("jwks: keeping the %d known keys: %s", len(self._set.keys), type(error).__name__)
            keys_missed.set(1)
            return False
        self.succeeded = number
        keys_missed.set(0)
        return True

    def _want(self) -> None:
        """Trigger a fetch, unless one was triggered a moment ago."""
        with self._lock:
            now = self._clock()
            if now - self._forced_at < FORCED_PAUSE_S:
                return
            self._forced_at = now
        self._wanted.set()

    def _reset(self) -> None:
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
                # Without this thread the process would never fetch keys again.
                logger.exception("jwks: keeping the %d known keys", len(self._set.keys))
                up_to_date = False
            self._fetched.set()
            self._wanted.wait(REFETCH_S if up_to_date else RETRY_S)


def read_keys(source: bytes) -> tuple[jwt.PyJWK, ...]:
    """The usable keys of a JWKS document; any other key is ignored (RFC 7517, section 5). Pure.

    PyJWT's `PyJWKSet` is no help: one key that its reader stumbles over would take all the others with it.

    :raises ValueError: not a JWKS document, or none of its keys is usable.
    """
    document = read_json(source)
    members = document.get("keys") if isinstance(document, dict) else None
    found = []
    for member in members if isinstance(members, list) else ():
        # The reader raises all kinds of errors, such as a TypeError for a key that is a list.
        with suppress(Exception):
            found.append(jwt.PyJWK(member))
    if not found:
        raise ValueError("no JWKS document with a usable key")
    return tuple(found)


def jwks_keys(config: PortalConfig) -> JwksKeys:
    """The keys of the configured address (`APP_JWT_JWKS_URL`)."""
    transport = Transport(
        connect_timeout_s=config.connect_timeout_s,
        read_timeout_s=config.read_timeout_s,
        ca_file=config.api_ca_file,
        to="keys",
    )

    def fetch() -> bytes:
        with transport:
            reply = transport.exchange(
                method="GET",
                target=config.verification.jwks_url,
                deadline=Deadline(FETCH_DEADLINE_S),
                new_connection=True,
            )
        if reply.status != HTTPStatus.OK:
            raise ApiUnavailableError("no keys", status=reply.status)
        return reply.content

    return JwksKeys(fetch=fetch)
