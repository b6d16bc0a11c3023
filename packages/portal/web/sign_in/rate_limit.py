"""The limits on sign-ins (docs/adr/0003-sign-in-limit.md): on failed tries per account and address and per address, and
a generous one on successful sign-ins per account.

A try is counted before it is made, so that parallel tries can't pass together, and taken back unless it failed. A
success is counted after it, so that a stranger's tries use up none of the owner's successes. While the store does not
answer, nothing is counted, and every sign-in is let through.
"""

from __future__ import annotations

import logging
import math
import time
from dataclasses import dataclass
from hashlib import sha256
from ipaddress import IPv6Address, ip_address
from typing import TYPE_CHECKING, Final

from portal.config.limits import (
    SIGN_IN_TRIES,
    SIGN_IN_TRIES_PER_ADDRESS,
    SIGN_IN_WINDOW_MIN,
    SIGN_INS_PER_ACCOUNT,
)
from portal.errors import StoreUnavailableError
from portal.store import MISSING, query_store

if TYPE_CHECKING:
    from collections.abc import Callable

    from portal.store import SharedStore

logger = logging.getLogger(__name__)

_WINDOW_S: Final = SIGN_IN_WINDOW_MIN * 60
#: The bits of an IPv6 address that a provider gives to one customer, who chooses the rest.
_CUSTOMER_BITS: Final = 64
_NAME_CHARS: Final = 32


@dataclass(frozen=True, slots=True, kw_only=True)
class FixedWindow:
    """A limit on counts in a window, which begins with the first count. Its methods raise `StoreUnavailableError`.

    The counts are in the store, so they hold for all threads, processes and machines.

    :param name: the prefix of the store's keys.
    :param limit: counts in one window.
    :param clock: seconds since the epoch.
    """

    name: str
    limit: int
    store: SharedStore
    clock: Callable[[], float]
    window_s: int = _WINDOW_S

    def count(self, key: str) -> bool:
        """Count once; False if that is above the limit."""
        name = self._counter(key)
        total = self.store.incr(name)
        if total is MISSING:
            self.store.add(name, 0, lifetime_s=self.window_s)
            total = self.store.incr(name)
        if total is MISSING or total == 1:
            # The first count begins the window. On Redis it also needs the lifetime: `incr` of a counter that expires
            # at this moment makes a new one without an expiry (Django asks for the key, then adds).
            self.store.set(f"{name}:end", self.clock() + self.window_s, lifetime_s=self.window_s)
            self.store.touch(name, lifetime_s=self.window_s)
        return total is MISSING or total <= self.limit

    def take_back(self, key: str) -> None:
        """Undo one count; nothing if its window has ended."""
        self.store.incr(self._counter(key), -1)

    def is_full(self, key: str) -> bool:
        """Whether the next count is above the limit."""
        total = self.store.get(self._counter(key))
        return isinstance(total, int) and total >= self.limit

    def retry_after(self, key: str) -> int:
        """Seconds until the window ends; at least 1, also if the end is unknown."""
        end = self.store.get(f"{self._counter(key)}:end")
        return max(1, math.ceil(end - self.clock())) if isinstance(end, int | float) else 1

    def _counter(self, key: str) -> str:
        return f"{self.name}:{key}"


@dataclass(frozen=True, slots=True, kw_only=True)
class Counted:
    """A try that may be made. It counts as failed until it is taken back."""

    account: str
    address: str


@dataclass(frozen=True, slots=True, kw_only=True)
class TooMany:
    """A try that must not be made.

    :param retry_after: seconds until the window ends; at least 1.
    """

    retry_after: int


class SignInLimit:
    """Counts tries and successes in the store.

    :param clock: seconds since the epoch.
    """

    def __init__(self, *, store: SharedStore, clock: Callable[[], float] = time.time) -> None:
        self._per_address = FixedWindow(
            name="sign-in:address", limit=SIGN_IN_TRIES_PER_ADDRESS, store=store, clock=clock
        )
        self._per_account = FixedWindow(name="sign-in:account", limit=SIGN_IN_TRIES, store=store, clock=clock)
        self._successes = FixedWindow(name="sign-in:success", limit=SIGN_INS_PER_ACCOUNT, store=store, clock=clock)

    def too_many(self, account: str) -> TooMany | None:
        """A refusal if the account has signed in too often in this window, else None.

        :param account: as in :meth:`succeeded`.
        """
        key = _account(account)
        try:
            if not self._successes.is_full(key):
                return None
            retry_after = self._successes.retry_after(key)
        except StoreUnavailableError as error:
            logger.warning("sign-in: how often an account signed in is not known: %s", error)
            return None
        logger.warning("sign-in: too many successful ones of one account")
        return TooMany(retry_after=retry_after)

    def succeeded(self, account: str) -> None:
        """Count a successful sign-in.

        :param account: as the user typed it, or the name by which a provider knows the account.
        """
        try:
            self._successes.count(_account(account))
        except StoreUnavailableError as error:
            logger.warning("sign-in: a success is not counted: %s", error)

    def count(self, *, account: str, address: str) -> Counted | TooMany:
        """Count a try before it is made.

        :param account: as the user typed it; capitals and spaces around it make no difference.
        :param address: of the browser. All texts that are no address share one counter.
        """
        attempt = Counted(account=_account(account), address=_hashed(network_of(address)))
        try:
            for window, key in self._windows(attempt):
                if not window.count(key):
                    logger.warning("sign-in: too many failed tries (%s)", window.name)
                    return TooMany(retry_after=window.retry_after(key))
        except StoreUnavailableError as error:
            logger.warning("sign-in: tries are not counted: %s", error)
        return attempt

    def give_back(self, attempt: Counted) -> None:
        """Take back a try that did not fail: the password was right, or the backend did not answer."""
        try:
            for window, key in self._windows(attempt):
                window.take_back(key)
        except StoreUnavailableError as error:
            logger.warning("sign-in: a try is not given back: %s", error)

    def _windows(self, attempt: Counted) -> tuple[tuple[FixedWindow, str], ...]:
        """The windows in which a try counts, the wider one first."""
        return (
            (self._per_address, attempt.address),
            (self._per_account, f"{attempt.account}:{attempt.address}"),
        )


def sign_in_limit() -> SignInLimit:
    """The limit, with counts that all processes share."""
    return SignInLimit(store=query_store())


def network_of(address: str) -> str:
    """The part that all addresses of one customer share: an IPv4 address, or the /64 of an IPv6 one."""
    try:
        parsed = ip_address(address.partition("%")[0])
    except ValueError:
        return "unknown"
    if isinstance(parsed, IPv6Address):
        if parsed.ipv4_mapped is not None:
            return str(parsed.ipv4_mapped)
        return f"{int(parsed) >> (128 - _CUSTOMER_BITS):x}::/{_CUSTOMER_BITS}"
    return str(parsed)


def _account(typed: str) -> str:
    return _hashed(typed.strip().casefold())


def _hashed(name: str) -> str:
    """A short hash: keys in the store name no person."""
    return sha256(name.encode("utf-8", "surrogatepass")).hexdigest()[:_NAME_CHARS]
