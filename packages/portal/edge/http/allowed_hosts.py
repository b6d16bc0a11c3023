"""Whether a request's `Host` is one of ours, by Django's own check, remembered.

Django checks the header only when somebody asks for the host, which a redirect or a probe never does.
"""

from __future__ import annotations

import logging
from typing import TYPE_CHECKING, Final

from django.conf import settings
from django.core.exceptions import DisallowedHost

if TYPE_CHECKING:
    from django.http import HttpRequest

logger = logging.getLogger(__name__)

#: Enough for the names of one app; a wildcard in `ALLOWED_HOSTS` lets callers invent more, which are checked each time.
MAX_KNOWN: Final = 64
#: A longer value is checked each time, so that what is kept stays small.
MAX_CHARS: Final = 255


class KnownHosts:
    """The raw values that Django has accepted, bounded; one for each process. A refused value is not kept."""

    def __init__(self) -> None:
        self._known: set[str] = set()
        # Another header would name the host then, and this one says nothing.
        self._keeps = not settings.USE_X_FORWARDED_HOST

    def accepts(self, request: HttpRequest) -> bool:
        """Whether the request names a host in `ALLOWED_HOSTS`."""
        return request.META.get("HTTP_HOST") in self._known or self._validate(request)

    def _validate(self, request: HttpRequest) -> bool:
        try:
            request.get_host()
        except DisallowedHost as error:
            logger.warning("refused: %s", str(error)[:MAX_CHARS])
            return False
        raw = request.META.get("HTTP_HOST")
        if self._keeps and raw is not None and len(raw) <= MAX_CHARS and len(self._known) < MAX_KNOWN:
            self._known.add(raw)
        return True
