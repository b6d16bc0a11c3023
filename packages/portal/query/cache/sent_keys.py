"""Sent keys: may the backend answer a write with what it answered before?

A form may be sent again, in another request, under the same `Idempotency-Key`: because its answer was lost, or since
the user went back to it. Then a backend that honours the key does nothing, and repeats its first answer, which is older
than all that was written since. Such an answer must not be shown.

A POST is made once for each key, whatever the backend does with it: its answer is kept for ten minutes.
"""

from __future__ import annotations

import hashlib
import logging
from dataclasses import dataclass
from functools import partial
from typing import TYPE_CHECKING, Any, Final

from portal.config.limits import REQUEST_BUDGET_S
from portal.errors import ApiTimeoutError, ApiUnavailableError, StoreUnavailableError
from portal.store import MISSING, note_unknown

if TYPE_CHECKING:
    from collections.abc import Callable

    from portal.store import SharedStore

logger = logging.getLogger("portal.query")

#: Places for the keys of one user. A key that gets the place of another one replaces it, so nobody fills the store.
_PLACES: Final = 256
#: Seconds for which backends usually keep the answers: a day.
_LIFETIME_S: Final = 24 * 60 * 60
#: Seconds for which the answer of a POST is kept, and for which one that is under way counts as such.
_ANSWER_S: Final = 10 * 60
_UNDER_WAY_S: Final = 2 * int(REQUEST_BUDGET_S)
#: States of a POST. One that is done is a list with its answer.
UNDER_WAY: Final = "under way"
UNKNOWN: Final = "unknown"


@dataclass(frozen=True, slots=True)
class SentKeys:
    """The idempotency keys that users have sent, as hashes.

    :param backend: hash of the backend's address; answers of another backend are misses.
    """

    store: SharedStore
    backend: str = ""

    def note(self, idempotency_key: str, *, principal: str) -> bool:
        """Note that a key is sent now; gives whether it may have been sent before, also where nobody knows.

        :param principal: the user.
        """
        digest, place = _place_of(idempotency_key, principal=principal)
        try:
            known = self.store.get_many([place]).get(place, "")
            if known == digest:
                return True
            self.store.set(place, digest, lifetime_s=_LIFETIME_S)
            if not isinstance(known, str):
                note_unknown("the key of a form", counts_as="the form may have been sent before")
                return True
        except StoreUnavailableError as error:
            logger.warning("a key was not noted: %s", error)
            return True
        return False

    def once(self, idempotency_key: str, send: Callable[[], Any], *, wait: Callable[[], bool], namespace: str) -> Any:
        """Send a POST; or return its answer, if another request has sent it, or sends it now.

        :param wait: waits a moment; False if there is no time for another one.
        :raises ApiTimeoutError: nobody knows what came of the other request.
        """
        place, has_waited = self._post(idempotency_key, namespace), False
        state = self._begin(place)
        while state == UNDER_WAY and wait():
            has_waited, state = True, self._begin(place, resends=False)
        if isinstance(state, list) and state:
            return state[0]
        if state == UNDER_WAY or (state == UNKNOWN and has_waited):
            raise ApiTimeoutError("The same form was sent before, and has no answer yet.")
        state = MISSING
        try:
            data = send()
            state = [data]
        except ApiUnavailableError as error:
            state = UNKNOWN if error.outcome_is_unknown else MISSING
            raise
        finally:
            keeps = partial(self.store.set, place, state, lifetime_s=_ANSWER_S)
            self._tried(partial(self.store.delete, place) if state is MISSING else keeps)
        return data

    def is_answered(self, idempotency_key: str, *, namespace: str) -> bool:
        """Return whether a POST with this key would not be sent again: it is under way or done."""
        place = self._post(idempotency_key, namespace)
        return self._tried(lambda: self.store.get(place)) not in (MISSING, UNKNOWN)

    def _begin(self, place: str, *, resends: bool = True) -> Any:
        """Note that a POST is under way, unless it is already, or is done; return its state of before.

        :param resends: whether one of unknown outcome is sent again.
        """
        before: Any = MISSING

        def change(state: Any) -> Any:
            nonlocal before
            before = state
            return UNDER_WAY if state is MISSING or (state == UNKNOWN and resends) else MISSING

        self._tried(lambda: self.store.update(place, change, lifetime_s=_UNDER_WAY_S, since=0.0))
        return before

    def _post(self, idempotency_key: str, namespace: str) -> str:
        return f"{namespace}:post{self.backend}:{idempotency_key}"

    @staticmethod
    def _tried(operation: Callable[[], Any]) -> Any:
        try:
            return operation()
        except StoreUnavailableError as error:
            logger.warning("a form that arrives twice may be done twice: %s", error)
            return MISSING


def _place_of(idempotency_key: str, *, principal: str) -> tuple[str, str]:
    """The hash of a key, and where it is kept."""
    digest = hashlib.sha256(f"{principal}:{idempotency_key}".encode(errors="surrogatepass")).hexdigest()
    return digest, f"sent:{principal}:{int(digest[:8], 16) % _PLACES}"
