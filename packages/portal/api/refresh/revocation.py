"""Sign-out in the shared store: tombstones on a sign-in and on its access tokens."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, ParamSpec, TypeVar

from portal.api.refresh.attempt import SAVE_PAUSE_S
from portal.api.tokens import sign_in_lifetime
from portal.config.limits import ROTATION_GRACE_S, SIGN_OUT_DEADLINE_S
from portal.errors import StoreUnavailableError
from portal.process import Deadline

if TYPE_CHECKING:
    from collections.abc import Callable

    from portal.api.refresh.token_records import TokenRecords
    from portal.api.tokens import TokenPair
    from portal.process import Clock

P = ParamSpec("P")
T = TypeVar("T")


@dataclass(frozen=True, slots=True, kw_only=True)
class Revocation:
    """Marks sign-ins as signed out.

    :param max_age_s: lifetime of a sign-in whose refresh token names none.
    """

    records: TokenRecords
    clock: Clock
    max_age_s: int

    def mark_signed_out(
        self, pair: TokenPair, browser_refresh: str | None, *, verified: bool
    ) -> tuple[TokenPair, str | None]:
        """Leave tombstones on the sign-in and its access tokens, and delete its rotation record.

        :param browser_refresh: the refresh token by which the browser knows the sign-in.
        :param verified: whether these tokens are known to be a sign-in's. Tombstones of made-up ones, which anybody
            can send, last only as long as a response may be on its way; else they could fill the store.
        :returns: the latest pair of the sign-in, and the secret of its family; None for one without a refresh token.
        :raises StoreUnavailableError: the store failed for 2 s, so a tombstone may be missing.
        """
        latest, secret = pair, None
        time_left = Deadline(SIGN_OUT_DEADLINE_S, clock=self.clock.monotonic)
        if browser_refresh is not None:
            record = self._insist(time_left, self.records.get, browser_refresh)
            verified, secret = verified or record.is_known, record.secret
            lifetime_s = max(
                self._tombstone_s(token, verified=verified) for token in {browser_refresh, record.latest_refresh}
            )
            self._insist(time_left, self.records.mark_signed_out, [record.secret], lifetime_s=lifetime_s)
            # Read after the tombstone is written: a refresh that records its new pair later finds the tombstone.
            family = self._insist(time_left, self.records.get, browser_refresh).family
            if family is not None:
                latest = family.latest_pair
                spent = family.spent_names(now=self.clock.now())
                self._insist(time_left, self.records.delete_rotation, record.secret, forgotten=spent)
        accesses = {token for token in (pair.access, latest.access) if token is not None}
        if accesses:
            lifetime_s = max(self._tombstone_s(token, verified=verified) for token in accesses)
            self._insist(time_left, self.records.mark_signed_out, accesses, lifetime_s=lifetime_s)
        return latest, secret

    def _insist(self, time_left: Deadline, operation: Callable[P, T], *args: P.args, **options: P.kwargs) -> T:
        """Try until it works or the time is over.

        A store that fails for a moment, or whose circuit is open, must not let a late response undo a sign-out.
        """
        while True:
            try:
                return operation(*args, **options)
            except StoreUnavailableError:
                if time_left.passed:
                    raise
            self.clock.sleep(SAVE_PAUSE_S)

    def _tombstone_s(self, token: str, *, verified: bool) -> int:
        # At least the grace period, even if the token has expired by this clock: the backend's clock may differ.
        lifetime = sign_in_lifetime(token, now=self.clock.now(), default_s=self.max_age_s) if verified else 0
        return max(ROTATION_GRACE_S, lifetime)
