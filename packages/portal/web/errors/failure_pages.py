"""The page of every error, and the same as a problem document for programs.

A signed-in user sees the page in the shell. Without a sign-in, or where nothing more may be read, it stands alone.
"""

import logging
from dataclasses import replace
from http import HTTPStatus
from typing import Final

from django.core.exceptions import RequestDataTooBig, TooManyFieldsSent, TooManyFilesSent
from django.http import HttpRequest, HttpResponse
from django.shortcuts import render
from django.urls import resolve, reverse
from django.utils.cache import patch_cache_control
from django.views.decorators.csrf import csrf_exempt

from portal.api import honours_idempotency_key
from portal.config.current import portal_config
from portal.edge import PROBLEM_CONTENT_TYPE, accept_target, problem_document
from portal.errors import ApiError, ApiUnavailableError, PortalError, SignInEndedError, StoreUnavailableError
from portal.web.errors.failure_log import explain_failure
from portal.web.errors.failures import (
    ANOTHER_ACCOUNT,
    CSRF_FAILURE,
    FAILURES,
    UNKNOWN_AND_NOT_REPEATABLE,
    UNKNOWN_OUTCOME,
    Failure,
    failure_for,
)
from portal.web.frame import PAGE_ACCOUNT_FIELD, skip_profile, use_app_essentials
from portal.web.request import (
    REQUEST_ID_RESPONSE_HEADER,
    SAFE_METHODS,
    PortalRequest,
    is_page_navigation,
    is_signed_in,
    view_is_absent,
)
from portal.web.submissions import SUBMISSION_FIELD, UNKNOWN_FIELD, used_submission_key


def outcome_is_unknown(request: PortalRequest, error: PortalError) -> bool:
    """Whether a write of this request failed with this error, and it, or the same sent before, may have been done."""
    if not isinstance(error, ApiUnavailableError) or request.method != "POST":
        return False
    if UNKNOWN_FIELD in request.POST:
        return True
    if not error.outcome_is_unknown:
        return False
    writes = request.query_client.mutations
    return bool(writes) and writes[-1].error == type(error).__name__


def may_be_done_twice(request: PortalRequest) -> bool:
    """Whether the last write of this request, sent again, may be done a second time.

    That is a POST to a backend that is not declared to honour the `Idempotency-Key`. A change or a deletion that is
    done again changes nothing more.
    """
    writes = request.query_client.mutations
    return not honours_idempotency_key(portal_config()) and bool(writes) and writes[-1].write.hook.method == "POST"


def page_to_look_at(request: PortalRequest) -> str:
    """The page with the form or button that was sent, if it is another one of this app's; else empty."""
    page = accept_target(request.META.get("HTTP_REFERER"), own_origin=portal_config().own_origin, origins=())
    return "" if page is None or page.partition("?")[0] == request.path else page


def fields_to_send_again(request: PortalRequest, *, is_unknown: bool) -> tuple[tuple[str, str], ...]:
    """What was sent, with the key under which it is done once; empty where the view has written under no such key.

    :param is_unknown: whether it may have been done, which the next failure has to know.
    """
    key = used_submission_key(request)
    if not key:
        return ()
    own = {"csrfmiddlewaretoken", PAGE_ACCOUNT_FIELD, SUBMISSION_FIELD, UNKNOWN_FIELD}
    sent = [(name, value) for name, values in request.POST.lists() if name not in own for value in values]
    unknown = ((UNKNOWN_FIELD, "yes"),) if is_unknown else ()
    return (*((name, str(value)) for name, value in sent), (SUBMISSION_FIELD, key), *unknown)


def problem(request: HttpRequest, *, status: int, title: str, detail: str = "") -> HttpResponse:
    """A response with a problem document. It has the request's id where the request passed our middleware."""
    document = problem_document(
        status=status, title=title, detail=detail, request_id=getattr(request, "request_id", None)
    )
    return HttpResponse(document, status=status, content_type=PROBLEM_CONTENT_TYPE)


logger = logging.getLogger(__name__)

#: Statuses of users, not of addresses.
_NOT_OPEN: Final = frozenset({401, 403})


def render_failure(request: PortalRequest, error: PortalError) -> HttpResponse:
    """The response to an error: a page for people, a problem document for programs."""
    if isinstance(error, ApiUnavailableError | StoreUnavailableError):
        # The profile comes from the same backend: reading it would only make this page late.
        skip_profile(request)
    failure = failure_for(error)
    if failure.status >= HTTPStatus.INTERNAL_SERVER_ERROR:
        explain_failure(request, error, status=failure.status)
    sent = request.method not in SAFE_METHODS
    list_name = getattr(request, "list_name", "")
    list_url = reverse(list_name) if list_name else ""
    if list_url and view_is_absent(resolve(list_url).func):
        list_url = ""
    # Who may not see the record may not see its list; and no page leads to itself.
    if sent or (failure.status not in _NOT_OPEN and list_url != request.get_full_path()):
        failure = replace(failure, list_url=list_url)
    if sent:
        # A retry would be a GET: it sends nothing again, and the URL may not take a GET.
        failure = replace(failure, offers_retry=False)
    if is_unknown := outcome_is_unknown(request, error):
        look_url = page_to_look_at(request) or failure.list_url
        unknown = UNKNOWN_AND_NOT_REPEATABLE if may_be_done_twice(request) else UNKNOWN_OUTCOME
        failure = replace(failure, title=unknown.title, text=unknown.text, look_url=look_url)
    if sent and isinstance(error, ApiUnavailableError):
        failure = replace(failure, send_again=fields_to_send_again(request, is_unknown=is_unknown))
    return failure_response(request, failure)


def csrf_failure(request: PortalRequest, reason: str = "") -> HttpResponse:  # noqa: ARG001  Django's signature
    """A form without a valid token (Django's `CSRF_FAILURE_VIEW`)."""
    return failure_response(request, CSRF_FAILURE)


def bad_request(request: PortalRequest, exception: Exception) -> HttpResponse:
    """Django's `handler400`; 413 where it was the size that Django refused."""
    too_large = isinstance(exception, RequestDataTooBig | TooManyFieldsSent | TooManyFilesSent)
    return failure_response(request, FAILURES[413 if too_large else 400])


def permission_denied(request: PortalRequest, exception: Exception) -> HttpResponse:  # noqa: ARG001  Django's signature
    """Django's `handler403`."""
    return failure_response(request, FAILURES[403])


def another_account(request: PortalRequest) -> HttpResponse:
    """409: the form came from a page of another account, and nothing was done.

    An event tells the page to compare the accounts, and to cover itself (`portal.js`).
    """
    response = failure_response(request, ANOTHER_ACCOUNT)
    response["HX-Trigger"] = "sign-in-changed"
    return response


def method_refused(request: PortalRequest, *, allow: str) -> HttpResponse:
    """405: the URL takes other methods.

    :param allow: these methods, as the header `Allow` names them.
    """
    response = failure_response(request, FAILURES[405])
    response["Allow"] = allow
    return response


@csrf_exempt
def page_not_found(request: PortalRequest, exception: Exception | None = None) -> HttpResponse:  # noqa: ARG001  Django's signature
    """Django's `handler404`, and the view of every address that no other view has."""
    return failure_response(request, FAILURES[404])


def server_error(request: PortalRequest) -> HttpResponse:
    """Django's `handler500`. Reads nothing. If the page itself has a fault, a problem document takes its place."""
    skip_profile(request)
    failure = FAILURES[500]
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
