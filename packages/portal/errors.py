"""The one error tree of the portal.

::

    PortalError
    ├── ConfigurationError         a setting is missing, malformed, or does not fit another one
    ├── UsageError                 a team's own code calls a hook or declares an endpoint wrongly
    ├── StoreUnavailableError      the store that processes share can't be reached
    ├── SignInEndedError           the refresh was refused, or lost for good: this sign-in is over
    └── ApiError                   the backend's answer, or the lack of one
        ├── ApiUnauthorizedError       401 that was passed through: sign in again
        ├── ApiForbiddenError      403: this user may not
        ├── ApiNotFoundError       404, 410: no such thing
        ├── ApiValidationError        400, 422: what was sent is not acceptable; may name fields
        ├── ApiConflictError       409, 412: it does not fit the present state
        ├── ApiClientError        any other 4xx
        └── ApiUnavailableError    no usable answer; another try may help, and nobody is signed out
            ├── ApiTimeoutError    a deadline passed
            ├── CircuitOpenError   the backend is not asked for a moment: it has not answered for long
            └── ApiMalformedError  an answer that is not the JSON it should be

An expected outcome (a redirect, a query's error state) is a value, never one of these raised. No message
ever carries a token, a cookie or a body.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, ClassVar

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence


class PortalError(Exception):
    """Anything that the portal raises on purpose."""


class ConfigurationError(PortalError):
    """A setting stops the start; the message is one line that names it and says what it should be."""


class UsageError(PortalError):
    """A call or a declaration that can't be right; the message says what to write instead."""


class StoreUnavailableError(PortalError):
    """The shared store did not answer; nothing was changed in it, as far as can be known."""


class SignInEndedError(PortalError):
    """The refresh token is not accepted, or nobody knows what became of it and it may not be presented again.

    By the time it is raised, the request's token store is cleared, and knows which. The web layer turns it into the
    redirect to `/`, or to the sign-in page (contract, section 8).
    """


class ApiError(PortalError):
    """The backend's answer to one call was not a success.

    :param detail: what a person may read, from the problem document when there is one.
    :param status: HTTP status that the backend gave; None where there was no answer.
    :param retry_after: seconds to wait before another try, when the backend named them.
    """

    #: HTTP status of the page that shows this error.
    page_status: ClassVar[int] = 502

    def __init__(self, detail: str = "", *, status: int | None = None, retry_after: float | None = None) -> None:
        super().__init__(detail or self.__class__.__name__)
        self.detail = detail
        self.status = status
        self.retry_after = retry_after


class ApiUnauthorizedError(ApiError):
    """401, passed through: there is no refresh token, or the call was already retried once."""

    page_status = 401


class ApiForbiddenError(ApiError):
    """403: the backend knows the user and says no."""

    page_status = 403


class ApiNotFoundError(ApiError):
    """404 or 410: nothing stands at that address, or not for this user."""

    page_status = 404


class ApiValidationError(ApiError):
    """400 or 422: what was sent is not acceptable.

    :param errors: field name (as on the wire) to its messages; empty when the backend named none.
    """

    page_status = 422

    def __init__(
        self, detail: str = "", *, status: int | None = 422, errors: Mapping[str, Sequence[str]] | None = None
    ) -> None:
        super().__init__(detail, status=status)
        self.errors: dict[str, tuple[str, ...]] = {name: tuple(texts) for name, texts in (errors or {}).items()}


class ApiConflictError(ApiError):
    """409 or 412: the request does not fit the present state of the thing."""

    page_status = 409


class ApiClientError(ApiError):
    """Any other 4xx."""

    page_status = 502


class ApiUnavailableError(ApiError):
    """No usable answer: refused connection, 429, 5xx, a busy refresh. Nobody is signed out by it.

    :param was_sent: whether the backend may have seen the request; False only where it certainly did not.
    :param begun: status of an answer that began and did not come whole; None for any other.
    """

    page_status = 503

    def __init__(
        self,
        detail: str = "",
        *,
        status: int | None = None,
        retry_after: float | None = None,
        was_sent: bool = True,
        begun: int | None = None,
    ) -> None:
        super().__init__(detail, status=status, retry_after=retry_after)
        self.was_sent = was_sent
        self.begun = begun


class ApiTimeoutError(ApiUnavailableError):
    """A connect, read or total deadline passed before the answer was whole."""


class CircuitOpenError(ApiUnavailableError):
    """The backend has not answered for a while, so only one call a second finds out whether it does again.

    Another try at once is refused as well. `was_sent` is True where the call was on its way when that turned out.
    """

    def __init__(self, *, was_sent: bool) -> None:
        super().__init__("The backend does not answer at the moment.", retry_after=1, was_sent=was_sent)


class ApiMalformedError(ApiUnavailableError):
    """An answer that is not JSON, is too large, or lacks what every answer of its kind must have."""
