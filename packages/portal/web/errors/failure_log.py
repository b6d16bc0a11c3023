"""One log line for each page with a status from 500 on: which page, which status, and the cause.

Django writes a line for such a page too, without the cause; :class:`Unexplained` drops that line. Each call that failed
has a line of its own as well, one for each try.
"""

import logging
from collections.abc import Iterator
from typing import Final

from django.http import HttpRequest

from portal.api import describe_cause
from portal.errors import ApiError, ApiMalformedError, PortalError, StoreUnavailableError

logger = logging.getLogger(__name__)

_EXPLAINED: Final = "_portal_failure_explained"


def explain_failure(request: HttpRequest, error: PortalError, *, status: int) -> None:
    """Write the line: method, path without query, status, and the cause."""
    cause = _why(error)
    logger.error(
        "%s %s: %d: %s",
        request.method,
        request.path,
        status,
        cause,
        extra={"method": request.method, "path": request.path, "status": status, "cause": cause},
    )
    setattr(request, _EXPLAINED, True)


def _why(error: PortalError) -> str:
    """Which side failed, and its innermost cause."""
    chain = [error, *_causes(error)]
    if isinstance(error, ApiError) and error.status is not None and len(chain) == 1:
        return f"the backend answered {error.status}"
    if any(isinstance(link, StoreUnavailableError) for link in chain):
        return f"no answer of the store: {describe_cause(error)}"
    if isinstance(error, ApiMalformedError):
        return f"the backend's answer can't be used: {describe_cause(error)}"
    return f"no answer of the backend: {describe_cause(error)}"


def _causes(error: BaseException) -> Iterator[BaseException]:
    while error.__cause__ is not None:
        error = error.__cause__
        yield error


class Unexplained(logging.Filter):
    """A filter for `django.request`: drops the line of a page whose cause is in the log already."""

    def filter(self, record: logging.LogRecord) -> bool:
        """Keeps every line with a traceback."""
        return record.exc_info is not None or not getattr(getattr(record, "request", None), _EXPLAINED, False)
