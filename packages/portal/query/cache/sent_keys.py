"""Sent keys: may the backend answer a write with what it answered before?

A form may be sent again, in another request, under the same `Idempotency-Key`: because its answer was lost, or since
the user went back to it. Then a backend that honours the key does nothing, and repeats its first answer, which is older
than all that was written since. Such an answer must not be shown.
"""

from __future__ import annotations

import hashlib
import logging
from dataclasses import dataclass
from typing import TYPE_CHECKING, Final

from portal.errors import StoreUnavailableError
from portal.store import note_unknown

if TYPE_CHECKING:
    from portal.store import SharedStore

logger = logging.getLogger("portal.query")

#: Places for the keys of one user. A key that gets the place of another one replaces it, so nobody fills the store.
_PLACES: Final = 256
#: Seconds for which backends usually keep the answers: a day.
_LIFETIME_S: Final = 24 * 60 * 60


@dataclass(frozen=True, slots=True)
class SentKeys:
    """The idempotency keys that users have sent, as hashes."""

    store: SharedStore

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

    def knows(self, idempotency_key: str, *, principal: str) -> bool:
        """Whether a key was certainly sent before. It is not noted."""
        digest, place = _place_of(idempotency_key, principal=principal)
        try:
            return self.store.get_many([place]).get(place) == digest
        except StoreUnavailableError:
            return False


def _place_of(idempotency_key: str, *, principal: str) -> tuple[str, str]:
    """The hash of a key, and where it is kept."""
    digest = hashlib.sha256(f"{principal}:{idempotency_key}".encode(errors="surrogatepass")).hexdigest()
    return digest, f"sent:{principal}:{int(digest[:8], 16) % _PLACES}"
