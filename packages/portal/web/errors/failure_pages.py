"""The page of every error, and the same as a problem document for programs.

One table holds a failure for each status. A signed-in user sees the page in the shell. Without a sign-in, or where
nothing more may be read, the page stands alone. A page shows texts of ours and of the backend's problem document, and
no text of an exception.
"""

from __future__ import annotations

import logging
import math
from dataclasses import dataclass, replace
from http import HTTPStatus
from typing import TYPE_CHECKING, Final

from django.core.exceptions import RequestDataTooBig, TooManyFieldsSent, TooManyFilesSent
from django.shortcuts import render
from django.urls import reverse
from django.utils.cache import patch_cache_control
from django.utils.translation import gettext_lazy as _
from django.views.decorators.csrf import csrf_exempt

from portal.config.contract_names import BACKEND_LANGUAGE
from portal.errors import (
    ApiConflictError,
    ApiError,
    ApiUnavailableError,
    ApiValidationError,
    PortalError,
    SignInEndedError,
    StoreUnavailableError,
)
from portal.web.errors.failure_log import explain_failure
from portal.web.errors.problems import problem
from portal.web.errors.unknown_outcome import fields_to_send_again, outcome_is_unknown, page_to_look_at
from portal.web.frame import skip_profile, use_app_essentials
from portal.web.request import REQUEST_ID_RESPONSE_HEADER, SAFE_METHODS, is_page_navigation, is_signed_in

if TYPE_CHECKING:
    from collections.abc import Sequence

    from django.http import HttpResponse
    from django.utils.functional import _StrPromise

    from portal.web.request import PortalRequest

logger = logging.getLogger(__name__)

#: Seconds after which a browser may try again, where the backend named none.
RETRY_AFTER_S: Final = 5
STORE_RETRY_AFTER_S: Final = 1
_LIST_NAME: Final = "_portal_list_name"
#: Statuses of users, not of addresses.
_NOT_OPEN: Final = frozenset({401, 403})


@dataclass(frozen=True, slots=True, kw_only=True)
class Failure:
    """The texts of one failure page, and the ways on that it offers.

    :param messages: the backend's own texts, in `messages_language`.
    :param retry_after: seconds.
    :param list_url: the list that has failed, or that holds the record of the page; empty: none is offered.
    :param look_url: the page that shows whether a write was done.
    :param send_again: names and values of a form that sends the same once more.
    :param in_shell: whether a signed-in user sees the page in the shell.
    """

    status: int
    title: str | _StrPromise
    text: str | _StrPromise
    icon: str = "alert"
    messages: Sequence[str] = ()
    messages_language: str = BACKEND_LANGUAGE
    offers_home: bool = True
    offers_retry: bool = False
    offers_sign_in: bool = False
    in_shell: bool = True
    retry_after: int | None = None
    list_url: str = ""
    look_url: str = ""
    send_again: Sequence[tuple[str, str]] = ()


_FAILURES: Final = {
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
_CSRF_FAILURE: Final = replace(
    _FAILURES[403],
    title=_("This form has expired"),
    text=_("Nothing was changed. Go back, load the page again, and send the form once more."),
)
_UNKNOWN: Final = replace(
    _FAILURES[503],
    title=_("We don’t know whether it was done"),
    text=_(
        "The service did not answer, and may have received what you sent. "
        "Look whether it was done, before you do it once more."
    ),
)
_ANOTHER_ACCOUNT: Final = replace(
    _FAILURES[409],
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
        return replace(_FAILURES[503], retry_after=STORE_RETRY_AFTER_S)
    if not isinstance(error, ApiError):
        return _FAILURES[401 if isinstance(error, SignInEndedError) else 500]
    failure = _FAILURES[error.page_status]
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


def render_failure(request: PortalRequest, error: PortalError) -> HttpResponse:
    """The response to an error: a page for people, a problem document for programs."""
    if isinstance(error, ApiUnavailableError | StoreUnavailableError):
        # The profile comes from the same backend: reading it would only make this page late.
        skip_profile(request)
    failure = failure_for(error)
    if failure.status >= HTTPStatus.INTERNAL_SERVER_ERROR:
        explain_failure(request, error, status=failure.status)
    sent = request.method not in SAFE_METHODS
    list_name = getattr(request, _LIST_NAME, "")
    list_url = reverse(list_name) if list_name else ""
    # Who may not see the record may not see its list; and no page leads to itself.
    if sent or (failure.status not in _NOT_OPEN and list_url != request.get_full_path()):
        failure = replace(failure, list_url=list_url)
    if sent:
        # A retry would be a GET: it sends nothing again, and the URL may not take a GET.
        failure = replace(failure, offers_retry=False)
    if is_unknown := outcome_is_unknown(request, error):
        look_url = page_to_look_at(request) or failure.list_url
        failure = replace(failure, title=_UNKNOWN.title, text=_UNKNOWN.text, look_url=look_url)
    if sent and isinstance(error, ApiUnavailableError):
        failure = replace(failure, send_again=fields_to_send_again(request, is_unknown=is_unknown))
    return failure_response(request, failure)


def offer_list(request: PortalRequest, name: str) -> None:
    """Let the failure page of this request link to the list that it is, or that holds its record.

    :param name: of the list's URL.
    """
    setattr(request, _LIST_NAME, name)


def csrf_failure(request: PortalRequest, reason: str = "") -> HttpResponse:  # noqa: ARG001  Django's signature
    """A form without a valid token (Django's `CSRF_FAILURE_VIEW`)."""
    return failure_response(request, _CSRF_FAILURE)


def bad_request(request: PortalRequest, exception: Exception) -> HttpResponse:
    """Django's `handler400`; 413 where it was the size that Django refused."""
    too_large = isinstance(exception, RequestDataTooBig | TooManyFieldsSent | TooManyFilesSent)
    return failure_response(request, _FAILURES[413 if too_large else 400])


def permission_denied(request: PortalRequest, exception: Exception) -> HttpResponse:  # noqa: ARG001  Django's signature
    """Django's `handler403`."""
    return failure_response(request, _FAILURES[403])


def another_account(request: PortalRequest) -> HttpResponse:
    """409: the form came from a page of another account, and nothing was done.

    An event tells the page to compare the accounts, and to cover itself (`portal.js`).
    """
    response = failure_response(request, _ANOTHER_ACCOUNT)
    response["HX-Trigger"] = "sign-in-changed"
    return response


def method_refused(request: PortalRequest, *, allow: str) -> HttpResponse:
    """405: the URL takes other methods.

    :param allow: these methods, as the header `Allow` names them.
    """
    response = failure_response(request, _FAILURES[405])
    response["Allow"] = allow
    return response


@csrf_exempt
def page_not_found(request: PortalRequest, exception: Exception | None = None) -> HttpResponse:  # noqa: ARG001  Django's signature
    """Django's `handler404`, and the view of every address that no other view has."""
    return failure_response(request, _FAILURES[404])


def server_error(request: PortalRequest) -> HttpResponse:
    """Django's `handler500`. Reads nothing. If the page itself has a fault, a problem document takes its place."""
    skip_profile(request)
    failure = _FAILURES[500]
    try:
        return failure_response(request, failure)
    except Exception:
        logger.exception("the page of an error has a fault itself")
        return problem(request, status=failure.status, title=str(failure.title), detail=str(failure.text))


def failure_response(request: PortalRequest, failure: Failure) -> HttpResponse:
    """The page of a failure; for who asks for no page, the problem document."""
    if is_page_navigation(request):
        response = _page(request, failure)
    else:
        detail = " ".join(str(text) for text in (failure.text, *failure.messages))
        response = problem(request, status=failure.status, title=str(failure.title), detail=detail)
    if failure.retry_after is not None:
        response["Retry-After"] = str(failure.retry_after)
    if request_id := getattr(request, "request_id", None):
        # Our middleware does not see a response of Django's own error handlers.
        response[REQUEST_ID_RESPONSE_HEADER] = request_id
    patch_cache_control(response, private=True, no_store=True)
    return response


def _page(request: PortalRequest, failure: Failure) -> HttpResponse:
    in_shell = failure.in_shell and is_signed_in(request)
    if in_shell:
        try:
            use_app_essentials(request)
        except (ApiError, StoreUnavailableError, SignInEndedError):
            skip_profile(request)
    template = f"portal/pages/failure_{'shell' if in_shell else 'plain'}.html"
    return render(request, template, {"failure": failure}, status=failure.status)
