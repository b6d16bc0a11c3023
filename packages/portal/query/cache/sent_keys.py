"""Sent keys: a form that arrives twice is sent to the backend once.

A form may be sent again, in another request, under the same `Idempotency-Key`: because its answer was lost, or since
the user went back to it. A backend that honours the key does nothing then, and repeats its first answer, which is older
than all that was written since. So the answer is kept for as long as the backend is declared to keep keys; that of a
POST for ten minutes at least, whatever the backend does with keys.
"""

import logging
from collections.abc import Callable
from dataclasses import dataclass
from functools import partial
from typing import Any, Final

from portal.config.limits import REQUEST_BUDGET_S
from portal.errors import ApiTimeoutError, ApiUnavailableError, StoreUnavailableError
from portal.query.sign_in_caches import CACHE_LIFETIME_S, SignInCache
from portal.store import MISSING, SharedStore

logger = logging.getLogger("portal.query")

#: Seconds for which the answer of a POST is kept at least, and for which a write that is under way counts as such.
POST_ANSWER_S: Final = 10 * 60
_UNDER_WAY_S: Final = 2 * int(REQUEST_BUDGET_S)
#: States of a write. One that is done is a list with its answer.
UNDER_WAY: Final = "under way"
UNKNOWN: Final = "unknown"


@dataclass(frozen=True, slots=True)
class SentKeys:
    """The writes that sign-ins have sent under keys.

    :param backend: hash of the backend's address; answers of another backend are misses.
    """

    store: SharedStore
    backend: str = ""

    def once(
        self,
        idempotency_key: str,
        send: Callable[[bool], Any],
        *,
        wait: Callable[[], bool],
        cache: SignInCache,
        lifetime_s: float,
    ) -> Any:
        """Send a write; or return its answer, if another request has sent it, or sends it now.

        :param send: its argument is whether the answer may be that of an earlier try.
        :param wait: waits a moment; False if there is no time for another one.
        :param lifetime_s: how long the answer is kept, seconds.
        :raises ApiTimeoutError: nobody knows what came of the other request.
        """
        place, has_waited = self._place(idempotency_key, cache.name), False
        before = self._begin(place)
        while before == UNDER_WAY and wait():
            has_waited, before = True, self._begin(place, resends=False)
        if isinstance(before, list) and before:
            return before[0]
        if before == UNDER_WAY or (before == UNKNOWN and has_waited):
            raise ApiTimeoutError("The same form was sent before, and has no answer yet.")
        state: Any = MISSING
        try:
            data = send(before == UNKNOWN)
            state = [data]
        except ApiUnavailableError as error:
            state = UNKNOWN if error.outcome_is_unknown else MISSING
            raise
        finally:
            if state is MISSING:
                self._tried(partial(self.store.delete, place))
            else:
                self._tried(partial(self.store.set, place, state, lifetime_s=lifetime_s))
                # Without the token's entry, nobody finds the answer.
                self._tried(partial(self.store.touch, cache.token_key, lifetime_s=max(CACHE_LIFETIME_S, lifetime_s)))
        return data

    def is_answered(self, idempotency_key: str, *, name: str) -> bool:
        """Return whether a write with this key would not be sent again: it is under way or done."""
        place = self._place(idempotency_key, name)
        return self._tried(lambda: self.store.get(place)) not in (MISSING, UNKNOWN)

    def _begin(self, place: str, *, resends: bool = True) -> Any:
        """Note that a write is under way, unless it is already, or is done; return its state of before.

        :param resends: whether one of unknown outcome is sent again.
        """
        before: Any = MISSING

        def change(state: Any) -> Any:
            nonlocal before
            before = state
            return UNDER_WAY if state is MISSING or (state == UNKNOWN and resends) else MISSING

        self._tried(lambda: self.store.update(place, change, lifetime_s=_UNDER_WAY_S, since=0.0))
        return before

    def _place(self, idempotency_key: str, name: str) -> str:
        return f"{name}:sent{self.backend}:{idempotency_key}"

    @staticmethod
    def _tried(operation: Callable[[], Any]) -> Any:
        try:
            return operation()
        except StoreUnavailableError as error:
            logger.warning("a form that arrives twice may be done twice: %s", error)
            return MISSING
