"""What is said of each failure: its status, its texts, and the ways on. One table holds a failure for each status.

A failure shows texts of ours and of the backend's problem document, and no text of an exception.
"""

import math
from collections.abc import Sequence
from dataclasses import dataclass, replace
from http import HTTPStatus
from typing import Final

from django.utils.translation import gettext_lazy as _

from portal.api import current_backend
from portal.errors import (
    ApiAbsentError,
    ApiConflictError,
    ApiError,
    ApiUnavailableError,
    ApiValidationError,
    PortalError,
    SignInEndedError,
    StoreUnavailableError,
)
from portal.web.present import LazyText

#: Seconds after which a browser may try again, where the backend named none.
RETRY_AFTER_S: Final = 5
STORE_RETRY_AFTER_S: Final = 1


@dataclass(frozen=True, slots=True, kw_only=True)
class Failure:
    """The texts of one failure page, and the ways on that it offers.

    :param messages: the backend's own texts.
    :param retry_after: seconds.
    :param list_url: the list that has failed, or that holds the record of the page; empty: none is offered.
    :param look_url: the page that shows whether a write was done.
    :param send_again: names and values of a form that sends the same once more.
    :param in_shell: whether a signed-in user sees the page in the shell.
    """

    status: int
    title: LazyText
    text: LazyText
    icon: str = "alert"
    messages: Sequence[str] = ()
    offers_home: bool = True
    offers_retry: bool = False
    offers_sign_in: bool = False
    in_shell: bool = True
    retry_after: int | None = None
    list_url: str = ""
    look_url: str = ""
    send_again: Sequence[tuple[str, str]] = ()

    @property
    def messages_language(self) -> str:
        """The language of `messages`, as HTML names it."""
        return current_backend().language


FAILURES: Final = {
    failure.status: failure
    for failure in (
        Failure(
            status=400,
            title=_("This address can’t be read"),
            text=_("Something in the request is malformed. Please check the address."),
            in_shell=False,
        ),
        Failure(
            status=401,
            title=_("Please sign in again"),
            text=_("The service no longer accepts your sign-in. Nothing you saved is lost."),
            icon="lock",
            offers_home=False,
            offers_sign_in=True,
            in_shell=False,
        ),
        Failure(
            status=403,
            title=_("This is not open to you"),
            text=_("Your account lacks the permission for this. Ask your administrator if you need it."),
            icon="lock",
        ),
        Failure(
            status=404,
            title=_("There is nothing here"),
            text=_("The address may be misspelt, or what stood here was deleted."),
            icon="compass",
        ),
        Failure(
            status=405,
            title=_("This address can’t be opened like this"),
            text=_("It takes only what a form or button of a page sends to it. Nothing was changed."),
            icon="compass",
        ),
        Failure(
            status=409,
            title=_("This has changed meanwhile"),
            text=_("What you sent does not fit the present state. Load the page again and repeat your change."),
        ),
        Failure(
            status=413,
            title=_("This is too much at once"),
            text=_("What was sent is larger than a form of this portal may be. Nothing was changed."),
            in_shell=False,
        ),
        Failure(
            status=422,
            title=_("The service does not accept this"),
            text=_("Something in the request is not valid."),
        ),
        Failure(
            status=500,
            title=_("Something went wrong here"),
            text=_("The fault is ours, and it has been recorded. Please try again in a while."),
            offers_retry=True,
            in_shell=False,
        ),
        Failure(
            status=502,
            title=_("The service refused the request"),
            text=_("The service behind this page gave an answer that we can’t use. Please try again in a while."),
            offers_retry=True,
        ),
        Failure(
            status=503,
            title=_("The service can’t be reached"),
            text=_(
                "The service behind this page does not answer just now. "
                "You are still signed in; please try again in a moment."
            ),
            icon="cloud-off",
            offers_retry=True,
            retry_after=RETRY_AFTER_S,
        ),
    )
}
CSRF_FAILURE: Final = replace(
    FAILURES[403],
    title=_("This form has expired"),
    text=_("Nothing was changed. Go back, load the page again, and send the form once more."),
)
UNKNOWN_OUTCOME: Final = replace(
    FAILURES[503],
    title=_("We don’t know whether it was done"),
    text=_(
        "The service did not answer, and may have received what you sent. "
        "Look whether it was done, before you do it once more."
    ),
)
ABSENT: Final = replace(
    FAILURES[404],
    title=_("This is not part of the service"),
    text=_("The service behind this page does not offer it. The address and your account are fine."),
)
#: Of a write that the backend would do a second time.
UNKNOWN_AND_NOT_REPEATABLE: Final = replace(
    UNKNOWN_OUTCOME,
    text=_(
        "The service did not answer, and may have received what you sent. "
        "Please look first whether it was done: sent again, it may be done a second time."
    ),
)
ANOTHER_ACCOUNT: Final = replace(
    FAILURES[409],
    title=_("Somebody else is signed in now"),
    text=_(
        "Nothing was changed. What you sent came from a page of the account that was signed in before; "
        "this browser is signed in with another one now."
    ),
    icon="lock",
)


def failure_for(error: PortalError) -> Failure:
    """The failure of an error."""
    if isinstance(error, StoreUnavailableError):
        return replace(FAILURES[503], retry_after=STORE_RETRY_AFTER_S)
    if not isinstance(error, ApiError):
        return FAILURES[401 if isinstance(error, SignInEndedError) else 500]
    if isinstance(error, ApiAbsentError):
        return ABSENT
    failure = FAILURES[error.page_status]
    if isinstance(error, ApiValidationError):
        # 400 or 422, as the backend says (contract, section 6). Both have the same words.
        failure = replace(
            failure, status=HTTPStatus.BAD_REQUEST if error.status == HTTPStatus.BAD_REQUEST else failure.status
        )
        messages = [message for texts in error.errors.values() for message in texts]
        failure = replace(failure, messages=messages or [error.detail] * bool(error.detail))
    if isinstance(error, ApiConflictError):
        failure = replace(failure, messages=[error.detail] * bool(error.detail))
    return replace(failure, retry_after=retry_after_s(error)) if isinstance(error, ApiUnavailableError) else failure


def retry_after_s(error: ApiUnavailableError) -> int:
    """Seconds after which a browser may try again: those that the backend named, else 5."""
    return RETRY_AFTER_S if error.retry_after is None else max(1, math.ceil(error.retry_after))
