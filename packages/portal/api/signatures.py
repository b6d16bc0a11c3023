"""Whether the edge takes the access tokens that the backend issues: a wrong key is told.

The edge drops a token that does not verify. A refresh brings the next one, and the request that asked for it uses it.
So with another key than the backend's every page goes on, by a refresh for each token, and nobody would notice.
"""

import logging
import time
from collections.abc import Callable
from functools import lru_cache
from typing import Final

from django.conf import settings

from fork_safety import ForkSafeLock
from portal.api.metrics import signature_counters
from portal.config.portal_config import PortalConfig
from portal.identity import make_verifier, why_not_verified

logger = logging.getLogger(__name__)

#: Pause between two lines, seconds. Each token is counted.
LINE_PAUSE_S: Final = 60.0
_verifier = lru_cache(maxsize=1)(make_verifier)


class SignatureWatch:
    """Looks at each token once, when it is new: a sign-in or a refresh has brought it. Safe for threads.

    :param clock: monotonic seconds.
    """

    def __init__(self, *, clock: Callable[[], float] = time.monotonic) -> None:
        self._clock = clock
        self._told_at = float("-inf")
        self._lock = ForkSafeLock()

    def look_at(self, access: str | None) -> None:
        """Count and tell a token that the edge would drop."""
        config: PortalConfig = settings.PORTAL
        verifier = _verifier(config.verification)
        if verifier is None or access is None or not verifier.has_keys:
            return
        reason = why_not_verified(access, config.verification, verifier)
        if reason is None:
            return
        signature_counters.count()
        with self._lock:
            now = self._clock()
            if now - self._told_at < LINE_PAUSE_S:
                return
            self._told_at = now
        logger.warning("a token fresh from the backend is not accepted: %s", reason)


_watch: Final = SignatureWatch()


def watch_signature(access: str | None) -> None:
    """See :meth:`SignatureWatch.look_at`; one watch for each process."""
    _watch.look_at(access)
