"""Checks a request's `Host` against `ALLOWED_HOSTS`, by Django's own check, and caches the result.

Django checks the header only in `request.get_host()`, which a redirect or a probe never calls.
"""

from __future__ import annotations

import logging
from typing import TYPE_CHECKING, Final

from django.conf import settings
from django.core.exceptions import DisallowedHost

if TYPE_CHECKING:
    from django.http import HttpRequest

logger = logging.getLogger(__name__)

#: Enough for the names of one app. With a wildcard in `ALLOWED_HOSTS` callers can invent more; those are not cached.
MAX_CACHED: Final = 64
#: A longer value is not cached.
MAX_CHARS: Final = 255


class AllowedHosts:
    """A bounded cache of the raw values that Django has accepted, one for each process."""

    def __init__(self) -> None:
        self._accepted: set[str] = set()
        # With this setting another header names the host.
        self._caches = not settings.USE_X_FORWARDED_HOST

    def accepts(self, request: HttpRequest) -> bool:
        """Whether the request names a host in `ALLOWED_HOSTS`."""
        return request.META.get("HTTP_HOST") in self._accepted or self._validate(request)

    def _validate(self, request: HttpRequest) -> bool:
        try:
            request.get_host()
        except DisallowedHost as error:
            logger.warning("rejected: %s", str(error)[:MAX_CHARS])
            return False
        raw = request.META.get("HTTP_HOST")
        if self._caches and raw is not None and len(raw) <= MAX_CHARS and len(self._accepted) < MAX_CACHED:
            self._accepted.add(raw)
        return True
