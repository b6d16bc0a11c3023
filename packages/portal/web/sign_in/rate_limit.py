"""The limits on sign-ins (docs/adr/0003-sign-in-limit.md): on failed tries per account and address and per address, and
a generous one on successful sign-ins per account.

A try is counted before it is made, so that parallel tries can't pass together, and taken back unless it failed. A
success is counted after it, so that a stranger's tries use up none of the owner's successes.

A backend that refuses everybody for a while must keep nobody out afterwards. So a failed try is forgiven while several
accounts fail that have signed in from the same place before, and none succeeds. Nobody can bring that about without
several accounts of their own, and then gains five times the limit, at most.
"""

from __future__ import annotations

import logging
import math
import time
from dataclasses import dataclass, replace
from hashlib import sha256
from ipaddress import IPv6Address, ip_address
from typing import TYPE_CHECKING, Final

from portal.config.limits import (
    PASSWORD_RESETS_PER_ADDRESS,
    SIGN_IN_FORGIVEN_FACTOR,
    SIGN_IN_KNOWN_S,
    SIGN_IN_REFUSED_ACCOUNTS,
    SIGN_IN_REFUSED_S,
    SIGN_IN_TRIES,
    SIGN_IN_TRIES_PER_ADDRESS,
    SIGN_IN_WINDOW_MIN,
    SIGN_INS_PER_ACCOUNT,
)
from portal.errors import StoreUnavailableError
from portal.store import MISSING, query_store, survey_keys

if TYPE_CHECKING:
    from collections.abc import Callable

    from portal.store import SharedStore

logger = logging.getLogger(__name__)

#: The bits of an IPv6 address that a provider gives to one customer, who chooses the rest.
_CUSTOMER_BITS: Final = 64
_NAME_CHARS: Final = 32
_ADDRESS: Final = "sign-in:address"
_ACCOUNT: Final = "sign-in:account"
_SUCCESSES: Final = "sign-in:success"
#: Whether anybody has signed in just now.
_SUCCESS: Final = "sign-in:succeeded"
#: Keys of the store that are looked through for counters.
_MOST_KEYS: Final = 200_000


@dataclass(frozen=True, slots=True, kw_only=True)
class FixedWindow:
    """Counts in the store, for all processes and machines. The first count begins the window.

    :param name: what is counted, for the log and the store's key.
    :param key: for whom.
    :param limit: counts in one window.
    :param clock: seconds since the epoch.
    """

    name: str
    key: str
    limit: int
    store: SharedStore
    clock: Callable[[], float]
    window_s: int = SIGN_IN_WINDOW_MIN * 60

    @property
    def counter(self) -> str:
        """The store's key of the count; the window's end is beside it."""
        return f"{self.name}:{self.key}"

    def count(self) -> bool:
        """Count once; False if that is above the limit."""
        total = self.store.incr(self.counter)
        if total is MISSING:
            self.store.add(self.counter, 0, lifetime_s=self.window_s)
            total = self.store.incr(self.counter)
        if total is MISSING or total == 1:
            # On Redis the first count also needs the lifetime: `incr` of a counter that expires at this moment makes a
            # new one without an expiry, because Django asks for the key and then adds.
            self.store.set(f"{self.counter}:end", self.clock() + self.window_s, lifetime_s=self.window_s)
            self.store.touch(self.counter, lifetime_s=self.window_s)
        return total is MISSING or total <= self.limit

    def take_back(self) -> None:
        """Undo one count; nothing if its window has ended."""
        self.store.incr(self.counter, -1)

    def is_full(self) -> bool:
        """Whether the next count is above the limit."""
        total = self.store.get(self.counter)
        return isinstance(total, int) and total >= self.limit

    def retry_after(self) -> int:
        """Seconds until the window ends; at least 1, also if the end is unknown."""
        end = self.store.get(f"{self.counter}:end")
        return max(1, math.ceil(end - self.clock())) if isinstance(end, int | float) else 1


@dataclass(frozen=True, slots=True)
class Counted:
    """A try that may be made. It counts as failed until it is given back.

    :param who: the account and the network, as the store's keys name them.
    """

    windows: tuple[FixedWindow, ...]
    who: str = ""


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
    clock: Callable[[], float] = time.time

    def too_many(self, account: str) -> TooMany | None:
        """A refusal if the account has signed in too often in this window, else None.

        :param account: as in :meth:`succeeded`.
        """
        window = self._successes(account)
        try:
            if not window.is_full():
                return None
            retry_after = window.retry_after()
        except StoreUnavailableError as error:
            logger.warning("sign-in: how often an account signed in is not known: %s", error)
            return None
        logger.warning("sign-in: too many successful ones of one account")
        return TooMany(retry_after=retry_after)

    def succeeded(self, account: str, *, attempt: Counted | None = None) -> None:
        """Count a successful sign-in.

        :param account: as the user typed it, or the name by which a provider knows the account.
        :param attempt: the try, if it was counted.
        """
        try:
            self._successes(account).count()
            if attempt is not None:
                self.store.set(f"sign-in:known:{attempt.who}", 1, lifetime_s=SIGN_IN_KNOWN_S)
                self.store.set(_SUCCESS, 1, lifetime_s=SIGN_IN_REFUSED_S)
        except StoreUnavailableError as error:
            logger.warning("sign-in: a success is not counted: %s", error)

    def count(self, *, account: str, address: str) -> Counted | TooMany:
        """Count a try before it is made.

        :param account: as the user typed it; capitals and spaces around it make no difference.
        :param address: of the browser. All texts that are no address share one counter.
        """
        network = _hashed(network_of(address))
        who = f"{_account(account)}:{network}"
        per_address = self._window(_ADDRESS, network, SIGN_IN_TRIES_PER_ADDRESS)
        attempt = Counted((per_address, self._window(_ACCOUNT, who, SIGN_IN_TRIES)), who)
        try:
            for window in attempt.windows:
                if not window.count():
                    logger.warning("sign-in: too many failed tries (%s)", window.name)
                    return TooMany(retry_after=window.retry_after())
        except StoreUnavailableError as error:
            logger.warning("sign-in: tries are not counted: %s", error)
        return attempt

    def count_reset(self, *, address: str) -> TooMany | None:
        """Count a request of somebody who has forgotten a password; a refusal if there are too many.

        :param address: as in :meth:`count`.
        """
        window = self._window("password-reset:address", _hashed(network_of(address)), PASSWORD_RESETS_PER_ADDRESS)
        try:
            if window.count():
                return None
            retry_after = window.retry_after()
        except StoreUnavailableError as error:
            logger.warning("forgotten password: requests are not counted: %s", error)
            return None
        logger.warning("forgotten password: too many requests of one address")
        return TooMany(retry_after=retry_after)

    def give_back(self, attempt: Counted) -> None:
        """Take back a try that did not fail: the password was right, or the backend did not answer."""
        try:
            for window in attempt.windows:
                window.take_back()
        except StoreUnavailableError as error:
            logger.warning("sign-in: a try is not given back: %s", error)

    def failed(self, attempt: Counted) -> None:
        """A try failed. It stays counted, unless nearly every sign-in of everybody fails (contract, section 6)."""
        try:
            if not self._everybody_fails(attempt.who):
                return
            for window in attempt.windows:
                forgiven = replace(window, name=f"{window.name}:forgiven", limit=SIGN_IN_FORGIVEN_FACTOR * window.limit)
                if forgiven.count():
                    window.take_back()
        except StoreUnavailableError as error:
            logger.warning("sign-in: a try is not given back: %s", error)
            return
        logger.warning("sign-in: a failed try is forgiven: just now everybody's fail")

    def _everybody_fails(self, who: str) -> bool:
        """Whether several accounts fail now that have signed in from the same place before, and none succeeds.

        :param who: whose try has just failed.
        """
        known = f"sign-in:known:{who}"
        if self.store.get_many([known, _SUCCESS]).keys() != {known}:
            return False
        # Each account counts once in each minute, and the minute before counts too: else nobody would be forgiven while
        # the count begins anew.
        minute = int(self.clock() // SIGN_IN_REFUSED_S)
        now, before = (
            replace(
                self._window("sign-in:refused", f"accounts:{number}", SIGN_IN_REFUSED_ACCOUNTS),
                window_s=2 * SIGN_IN_REFUSED_S,
            )
            for number in (minute, minute - 1)
        )
        if self.store.add(f"sign-in:refused:{who}:{minute}", 1, lifetime_s=SIGN_IN_REFUSED_S):
            now.count()
        return now.is_full() or before.is_full()

    def clear(self, *, account: str | None, address: str | None) -> int:
        """Forget the failed tries of an account, those from an address, or both; gives the number of counters.

        :raises StoreUnavailableError: some may be left.
        """
        network = None if address is None else _hashed(network_of(address))
        starts = () if account is None else (f"{_ACCOUNT}:{_account(account)}:", f"{_SUCCESSES}:{_account(account)}")
        keys = [
            key
            for key in survey_keys(self.store, limit=_MOST_KEYS).sizes
            if key.startswith(starts)
            or (network is not None and key.startswith((_ADDRESS, _ACCOUNT)) and network in key.split(":"))
        ]
        self.store.delete_many(keys)
        return sum(not key.endswith(":end") for key in keys)

    def _successes(self, account: str) -> FixedWindow:
        return self._window(_SUCCESSES, _account(account), SIGN_INS_PER_ACCOUNT)

    def _window(self, name: str, key: str, limit: int) -> FixedWindow:
        return FixedWindow(name=name, key=key, limit=limit, store=self.store, clock=self.clock)


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
