"""The limits on sign-ins (docs/adr/0003-sign-in-limit.md): failed ones per account and address, and per address;
successful ones, generously, per account.

A try is counted before it is made, so that parallel tries can't pass together, and given back unless it failed. A
success is counted afterwards: what strangers try must not take an owner's successes away.
While the store does not answer nothing is counted, and nobody is kept out.
"""

from __future__ import annotations

import logging
import math
import time
from dataclasses import dataclass
from hashlib import sha256
from ipaddress import IPv6Address, ip_address
from typing import TYPE_CHECKING, Final

from limits import RateLimitItemPerMinute
from limits.strategies import FixedWindowRateLimiter

from portal.config.limits import (
    SIGN_IN_TRIES,
    SIGN_IN_TRIES_PER_ADDRESS,
    SIGN_IN_WINDOW_MIN,
    SIGN_INS_PER_ACCOUNT,
)
from portal.errors import StoreUnavailableError
from portal.store.aliases import query_store
from portal.store.counters import SharedCounters

if TYPE_CHECKING:
    from collections.abc import Callable

    from limits import RateLimitItem

logger = logging.getLogger(__name__)

_PER_ACCOUNT: Final = RateLimitItemPerMinute(SIGN_IN_TRIES, SIGN_IN_WINDOW_MIN, namespace="sign-in:account")
_PER_ADDRESS: Final = RateLimitItemPerMinute(SIGN_IN_TRIES_PER_ADDRESS, SIGN_IN_WINDOW_MIN, namespace="sign-in:address")
_SUCCESSES: Final = RateLimitItemPerMinute(SIGN_INS_PER_ACCOUNT, SIGN_IN_WINDOW_MIN, namespace="sign-in:success")
#: The part of an IPv6 address that one customer is given, in bits; the rest is theirs to change at will.
_CUSTOMER_BITS: Final = 64
_NAME_CHARS: Final = 32


@dataclass(frozen=True, slots=True, kw_only=True)
class Counted:
    """A try that may be made. It counts as failed until it is given back."""

    account: str
    address: str

    @property
    def counters(self) -> tuple[tuple[RateLimitItem, tuple[str, ...]], ...]:
        """What it counts against, the wider limit first."""
        return (_PER_ADDRESS, (self.address,)), (_PER_ACCOUNT, (self.account, self.address))


@dataclass(frozen=True, slots=True, kw_only=True)
class TooMany:
    """A try that is not made.

    :param retry_after: seconds until the window ends; at least 1.
    """

    retry_after: int


class SignInLimit:
    """Counts tries in the store that processes share.

    :param clock: seconds since the epoch.
    """

    def __init__(self, *, counters: SharedCounters, clock: Callable[[], float] = time.time) -> None:
        self._limiter = FixedWindowRateLimiter(counters)
        self._clock = clock

    def too_many(self, account: str) -> TooMany | None:
        """Whether the account has signed in too often of late to do so again; None where it may.

        :param account: as in :meth:`succeeded`.
        """
        name = _account(account)
        try:
            if self._limiter.test(_SUCCESSES, name):
                return None
            end = self._limiter.get_window_stats(_SUCCESSES, name).reset_time
        except StoreUnavailableError as error:
            logger.warning("sign-in: how often an account signed in is not known: %s", error)
            return None
        logger.warning("sign-in: too many successful ones of one account")
        return TooMany(retry_after=max(1, math.ceil(end - self._clock())))

    def succeeded(self, account: str) -> None:
        """Count a successful sign-in.

        :param account: as it was typed, or the name by which a provider knows it.
        """
        try:
            self._limiter.hit(_SUCCESSES, _account(account))
        except StoreUnavailableError as error:
            logger.warning("sign-in: a success is not counted: %s", error)

    def count(self, *, account: str, address: str) -> Counted | TooMany:
        """Count a try, whatever comes of it.

        :param account: as it was typed; spelling in capitals makes no other account of it.
        :param address: of the browser. Whatever is no address shares one counter.
        """
        attempt = Counted(account=_account(account), address=_hashed(network_of(address)))
        try:
            for item, names in attempt.counters:
                if not self._limiter.hit(item, *names):
                    end = self._limiter.get_window_stats(item, *names).reset_time
                    logger.warning("sign-in: too many failed tries (%s)", item.namespace)
                    return TooMany(retry_after=max(1, math.ceil(end - self._clock())))
        except StoreUnavailableError as error:
            logger.warning("sign-in: tries are not counted: %s", error)
        return attempt

    def give_back(self, attempt: Counted) -> None:
        """For a try that did not fail: it was right, or nobody could say."""
        try:
            for item, names in attempt.counters:
                self._limiter.hit(item, *names, cost=-1)
        except StoreUnavailableError as error:
            logger.warning("sign-in: a try is not given back: %s", error)


def sign_in_limit() -> SignInLimit:
    """The limit of this process; its counters are everybody's."""
    return SignInLimit(counters=SharedCounters(store=query_store()))


def network_of(address: str) -> str:
    """What one customer's addresses have in common: an IPv4 address, or the /64 of an IPv6 one."""
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
    """The store's keys name no one."""
    return sha256(name.encode("utf-8", "surrogatepass")).hexdigest()[:_NAME_CHARS]
