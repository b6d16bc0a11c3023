"""Limits on sign-ins (docs/adr/0003-sign-in-limit.md), counted in fixed windows of the clock.

A try is counted before it is made, so that parallel tries can't pass together, and taken back unless it failed. A
success is counted after it, so that a stranger's tries use up none of the owner's successes.
"""

import logging
import math
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from hashlib import sha256
from ipaddress import IPv6Address, ip_address
from typing import Final

from portal.config.limits import (
    PASSWORD_RESETS_PER_ADDRESS,
    SIGN_IN_KNOWN_S,
    SIGN_IN_TRIES,
    SIGN_IN_TRIES_PER_ADDRESS,
    SIGN_IN_WINDOW_MIN,
    SIGN_INS_PER_ACCOUNT,
)
from portal.errors import StoreUnavailableError
from portal.store import MISSING, SharedStore, query_store

logger = logging.getLogger(__name__)

#: The bits of an IPv6 address that a provider gives to one customer, who chooses the rest.
_CUSTOMER_BITS: Final = 64
_NAME_CHARS: Final = 32
_ADDRESS: Final = "sign-in:address"
_ACCOUNT: Final = "sign-in:account"
_SUCCESSES: Final = "sign-in:success"
_CLEARED: Final = "sign-in:cleared"
_WINDOW_S: Final = SIGN_IN_WINDOW_MIN * 60


@dataclass(frozen=True, slots=True, kw_only=True)
class Counted:
    """A try that may be made. It counts as failed until it is given back.

    :param who: the account and the network, as the store's keys name them.
    """

    counters: tuple[str, ...]
    who: str


@dataclass(frozen=True, slots=True, kw_only=True)
class TooMany:
    """A try that must not be made.

    :param retry_after: seconds until the window ends; at least 1.
    """

    retry_after: int


@dataclass(frozen=True, slots=True, kw_only=True)
class SignInLimit:
    """Counts tries and successes. While the store fails, it counts nothing and lets everyone try.

    :param clock: seconds since the epoch.
    """

    store: SharedStore
    clock: Callable[[], float]

    def too_many(self, account: str) -> TooMany | None:
        """Return a refusal if the account has signed in too often in this window, else None.

        :param account: as in :meth:`succeeded`.
        """
        with _unless_store_fails():
            total = self.store.get(self._counter(_SUCCESSES, _account(account)))
            if isinstance(total, int) and total >= SIGN_INS_PER_ACCOUNT:
                logger.warning("sign-in: too many successful ones of one account")
                return self._refusal()
        return None

    def succeeded(self, account: str, *, attempt: Counted | None = None) -> None:
        """Count a successful sign-in.

        :param account: as the user typed it, or the name by which a provider knows the account.
        :param attempt: the try, if it was counted.
        """
        with _unless_store_fails():
            self._count(self._counter(_SUCCESSES, _account(account)))
            if attempt is not None:
                self.store.set(f"sign-in:known:{attempt.who}", 1, lifetime_s=SIGN_IN_KNOWN_S)

    def count(self, *, account: str, address: str) -> Counted | TooMany:
        """Count a try before it is made.

        :param account: as the user typed it; capitals and spaces around it make no difference.
        :param address: of the browser. All texts that are no address share one counter.
        """
        key, network, counted = _account(account), _hashed(network_of(address)), []
        who = f"{key}:{network}"
        with _unless_store_fails():
            limits = {self._counter(_ACCOUNT, key, network): SIGN_IN_TRIES}
            if self.store.get(f"sign-in:known:{who}") != 1:
                limits[self._counter(_ADDRESS, network)] = SIGN_IN_TRIES_PER_ADDRESS
            for counter, limit in limits.items():
                if self._count(counter) > limit:
                    logger.warning("sign-in: too many failed tries (%s)", counter.rpartition(":")[0])
                    return self._refusal()
                counted.append(counter)
        return Counted(counters=tuple(counted), who=who)

    def count_reset(self, *, address: str) -> TooMany | None:
        """Count a request of somebody who has forgotten a password; a refusal if there are too many.

        :param address: as in :meth:`count`.
        """
        with _unless_store_fails():
            counter = self._of_window("password-reset:address", _hashed(network_of(address)))
            if self._count(counter) > PASSWORD_RESETS_PER_ADDRESS:
                logger.warning("forgotten password: too many requests of one address")
                return self._refusal()
        return None

    def give_back(self, attempt: Counted) -> None:
        """Take back a try that did not fail: the password was right, or the backend did not answer."""
        with _unless_store_fails():
            for counter in attempt.counters:
                self.store.incr(counter, -1)

    def clear(self, *, account: str | None, address: str | None) -> None:
        """Forget the tries of an account, those from an address, or both: their counters get new names.

        :raises StoreUnavailableError: they may still count.
        """
        if account is not None:
            self._count(self._of_window(_CLEARED, _account(account)))
        if address is not None:
            self._count(self._of_window(_CLEARED, _hashed(network_of(address))))

    def _counter(self, name: str, *keys: str) -> str:
        """Name the counter of this window, with the number of times that its keys were cleared."""
        cleared = self.store.get_many(self._of_window(_CLEARED, key) for key in keys)
        return self._of_window(name, *keys, str(sum(number for number in cleared.values() if isinstance(number, int))))

    def _of_window(self, *parts: str) -> str:
        return ":".join((*parts, str(int(self.clock() // _WINDOW_S))))

    def _count(self, counter: str) -> int:
        total = self.store.incr(counter)
        if total is MISSING:
            # It lasts for two windows, so it can't expire while its own goes on.
            self.store.add(counter, 0, lifetime_s=2 * _WINDOW_S)
            total = self.store.incr(counter)
        return 1 if total is MISSING else total

    def _refusal(self) -> TooMany:
        return TooMany(retry_after=math.ceil(_WINDOW_S - self.clock() % _WINDOW_S))


def sign_in_limit() -> SignInLimit:
    """The limit, with counts that all processes share."""
    return SignInLimit(store=query_store(), clock=time.time)


@contextmanager
def _unless_store_fails() -> Iterator[None]:
    try:
        yield
    except StoreUnavailableError as error:
        logger.warning("sign-in: tries are not counted: %s", error)


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
