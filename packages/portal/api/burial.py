"""Tombstones for a whole sign-in: the pair that was presented, and all that are known to have come of it.

A store that fails for a moment should not let a late response undo a sign-out, so each step is tried twice, and
one that fails does not keep the others from being made.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, ParamSpec, TypeVar

from portal.api.expiry import sign_in_lifetime
from portal.config.limits import HANDOVER_AFTER_USE_S
from portal.errors import StoreUnavailableError

if TYPE_CHECKING:
    from collections.abc import Callable

    from portal.api.ledger import Ledger
    from portal.api.tokens import TokenPair

P = ParamSpec("P")
T = TypeVar("T")


def bury(ended: list[TokenPair], *, ledger: Ledger, genuine: bool, now: float, max_age_s: int) -> None:
    """Leave tombstones on the tokens of the one pair in `ended`, and on its known successors, which are added.

    :param genuine: whether these tokens are known to be a sign-in's. Anybody can sign out made-up ones: theirs
        leave tombstones for as long only as a response may be on its way, lest they fill the store.
    :param now: seconds since the epoch.
    :param max_age_s: lifetime of a sign-in whose tokens name none.
    :raises StoreUnavailableError: not all of them could be left.
    """
    failed: StoreUnavailableError | None = None
    while True:
        pair = ended[-1]
        try:
            genuine = genuine or _insist(_came_by_a_refresh, pair, ledger)
            lifetime = _lifetime(pair, genuine=genuine, now=now, max_age_s=max_age_s)
            tokens = [token for token in (pair.access, pair.refresh) if token is not None]
            _insist(ledger.bury, tokens, lifetime_s=lifetime)
        except StoreUnavailableError as error:
            failed = error
        # Read after the tombstone is written: a refresh in flight that hands over later finds it.
        successor = _insist(_successor, pair, ledger)
        if successor is None or successor in ended:
            break
        ended.append(successor)
    if failed is not None:
        raise failed


def _lifetime(pair: TokenPair, *, genuine: bool, now: float, max_age_s: int) -> int:
    if not genuine:
        return HANDOVER_AFTER_USE_S
    # At least that, also where a token is over by this machine's clock: the backend's may differ.
    ends = (sign_in_lifetime(token, now=now, default_s=max_age_s) for token in (pair.access, pair.refresh) if token)
    return max(HANDOVER_AFTER_USE_S, *ends)


def _came_by_a_refresh(pair: TokenPair, ledger: Ledger) -> bool:
    return pair.refresh is not None and ledger.has_history(pair.refresh)


def _successor(pair: TokenPair, ledger: Ledger) -> TokenPair | None:
    return None if pair.refresh is None else ledger.look(pair.refresh).successor


def _insist(operation: Callable[P, T], *args: P.args, **options: P.kwargs) -> T:
    try:
        return operation(*args, **options)
    except StoreUnavailableError:
        return operation(*args, **options)
