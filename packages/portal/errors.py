"""The one error tree of the portal.

::

    PortalError
    ├── ConfigurationError          a setting is missing, malformed, or does not fit another one
    ├── UsageError                  a team's own code calls a hook or declares an endpoint wrongly
    ├── StoreUnavailableError       the store that processes share can't be reached
    ├── SignInEndedError            the refresh token was rejected, or its answer was lost: the sign-in is over
    └── ApiError                    the backend's answer is no success, or there is none
        ├── ApiUnauthorizedError    401 that no refresh can help, and that GET /me answers too: sign in again
        ├── ApiForbiddenError       403: this user may not
        ├── ApiNotFoundError        404, 410: no such thing
        │   └── ApiAbsentError      the backend does not have this optional call
        ├── ApiValidationError      400, 422: the request is not acceptable; may name fields
        ├── ApiConflictError        409: the request does not fit the present state
        │   └── ApiPreconditionFailedError  412: the row is not the version that the write was to change
        ├── ApiClientError          any other 4xx, and 401 to a token that GET /me does not refuse
        └── ApiUnavailableError     no usable answer; another try may help, and nobody is signed out
            ├── ApiTimeoutError     a deadline passed
            ├── CircuitOpenError    the backend has not answered for a while, so this call was not made
            └── ApiMalformedError   the answer is not the expected JSON, or too large

An expected outcome (a redirect, a query's error state) is a value; no error is raised for it. No message ever
carries a token, a cookie or a body.
"""

from collections.abc import Mapping, Sequence
from typing import Final, TypeVar

E = TypeVar("E", bound=BaseException)


def without_traceback(error: E) -> E:
    """Drop the tracebacks of an error that was handled, and of its causes. Returns the same error.

    A traceback refers to the frames of the whole request. If the request keeps the error, it refers to itself, and
    stays with all that it has read until the next garbage collection.
    """
    errors: list[BaseException | None] = [error]
    while errors:
        one = errors.pop()
        if one is not None and one.__traceback__ is not None:
            one.__traceback__ = None
            errors += [one.__cause__, one.__context__]
    return error


class PortalError(Exception):
    """Any error that the portal raises on purpose."""


class ConfigurationError(PortalError):
    """A setting stops the start. The message is one line: the setting, and what it should be."""


class UsageError(PortalError):
    """A call or a declaration in code is wrong. The message says what to write instead."""


class StoreUnavailableError(PortalError):
    """The shared store did not answer. Whether it has done what was asked is not known."""


class SignInEndedError(PortalError):
    """The refresh token was rejected; or its answer was lost, and it must not be submitted again.

    The request's `TokenStore` is cleared before this is raised; its `lost` tells the two apart. The web layer redirects
    to `/`, or to the sign-in page (contract, section 8).
    """


class ApiError(PortalError):
    """The backend's answer to one call was not a success.

    :param detail: text for the user, from the problem document if there is one.
    :param status: the backend's HTTP status; None if there was no answer.
    :param retry_after: seconds to wait before another try, if the backend named them.
    """

    #: HTTP status of the page that shows this error.
    page_status: int = 502

    def __init__(self, detail: str = "", *, status: int | None = None, retry_after: float | None = None) -> None:
        super().__init__(detail or self.__class__.__name__)
        self.detail = detail
        self.status = status
        self.retry_after = retry_after


class ApiUnauthorizedError(ApiError):
    """401 that no refresh can help: the token is refused, not the call."""

    page_status = 401


class ApiForbiddenError(ApiError):
    """403: the backend knows the user and says no."""

    page_status = 403


class ApiNotFoundError(ApiError):
    """404 or 410: there is nothing at that address, or nothing for this user."""

    page_status = 404


class ApiAbsentError(ApiNotFoundError):
    """The call is not offered, and was not made; or the backend has no such call, as its answer, the cause, says."""


class ApiValidationError(ApiError):
    """400 or 422: the request is not acceptable.

    :param errors: the messages by the backend's name of the field; empty if it named none.
    """

    page_status = 422

    def __init__(
        self, detail: str = "", *, status: int | None = 422, errors: Mapping[str, Sequence[str]] | None = None
    ) -> None:
        super().__init__(detail, status=status)
        self.errors: dict[str, tuple[str, ...]] = {name: tuple(texts) for name, texts in (errors or {}).items()}


class ApiConflictError(ApiError):
    """409: the request does not fit the present state of the resource."""

    page_status = 409


class ApiPreconditionFailedError(ApiConflictError):
    """412: the row was changed since the version that `if_match` named. Nothing was written."""


class ApiClientError(ApiError):
    """Any other 4xx; 401 where GET `/me` does not refuse the token."""

    page_status = 502


#: Answers that say that the request was not handled: too early, too many, no capacity.
_NOT_DONE: Final = frozenset({408, 425, 429, 503})


class ApiUnavailableError(ApiError):
    """No usable answer: no connection, 429, 5xx, a refresh that takes too long. It signs nobody out.

    :param was_sent: whether the backend may have seen the request; False only if it certainly did not.
    :param begun: status of a response that began and did not come whole; None if none began.
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

    @property
    def outcome_is_unknown(self) -> bool:
        """Whether a write that failed with this may have been done: it was sent, and nobody said that it was not."""
        return self.was_sent and self.status not in _NOT_DONE


class ApiTimeoutError(ApiUnavailableError):
    """A connect, read or total deadline passed before the response was whole."""


class CircuitOpenError(ApiUnavailableError):
    """The backend has not answered for a while, so one call a second asks it, and this was another one.

    Another try at once fails as well. `was_sent` is True if the call was on its way when the circuit opened.
    """

    def __init__(self, *, was_sent: bool) -> None:
        super().__init__("The backend does not answer at the moment.", retry_after=1, was_sent=was_sent)


class ApiMalformedError(ApiUnavailableError):
    """A response that is not JSON, is too large, or lacks a field that every response of its kind has."""
