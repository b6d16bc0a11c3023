"""Form pages: how they are rendered, and what becomes of a form whose write the backend refused, or never answered.

Each form page has a random key in a hidden field. A create is sent under it, so that a form which comes again,
because its answer was lost or a button was pressed twice, creates one thing (contract, section 8).
"""

from __future__ import annotations

import math
import re
import secrets
from http import HTTPStatus
from typing import TYPE_CHECKING, Any, Final

from django.shortcuts import render

from portal.errors import ApiUnavailableError
from portal.web.errors.failure_log import explain_failure
from portal.web.errors.failure_pages import RETRY_AFTER_S

if TYPE_CHECKING:
    from django.http import HttpRequest, HttpResponse

    from portal.query import MutationResult
    from portal.web.pages.forms import BackendForm

SUBMISSION_FIELD: Final = "submissionKey"
_KEY: Final = re.compile(r"[A-Za-z0-9_-]{16,64}")
_KEY_BYTES: Final = 16


def submission_key(request: HttpRequest) -> str:
    """The key of the form that was sent: a create mutation's `idempotency_key`. A form without one gets a new one."""
    sent = request.POST.get(SUBMISSION_FIELD, "")
    return sent if _KEY.fullmatch(sent) else secrets.token_urlsafe(_KEY_BYTES)


def refused(form: BackendForm, result: MutationResult[Any]) -> None:
    """Show in the form what became of it, where the user can cure it there, or send it again.

    :raises portal.errors.ApiError: any other failure, which becomes the page.
    """
    error = result.error
    if isinstance(error, ApiUnavailableError):
        form.outage = error
    elif error is not None and not form.add_backend_error(error):
        raise error


def form_page(
    request: HttpRequest, form: BackendForm, *, title: str, submit_label: str, back_url: str, back_label: str
) -> HttpResponse:
    """The page with a form: 200, 422 where it has errors, or 503 with all that was typed where nobody answered."""
    context = {
        "form": form,
        "title": title,
        "submit_label": submit_label,
        "back_url": back_url,
        "back_label": back_label,
        "submission_field": SUBMISSION_FIELD,
        # A backend may have kept its refusal under the key: what is sent next is another try.
        "submission_key": secrets.token_urlsafe(_KEY_BYTES) if form.was_refused else submission_key(request),
    }
    response = render(request, "portal/form.html", context, status=_status(form))
    if form.errors or form.outage:
        # The address is the form's own already; htmx would add it to the history once more.
        response["HX-Push-Url"] = "false"
    if form.outage:
        explain_failure(request, form.outage, status=response.status_code)
        # htmx shows no other page of a 503: this one is where the form is.
        response["HX-Retarget"] = "#content"
        wait = RETRY_AFTER_S if form.outage.retry_after is None else math.ceil(form.outage.retry_after)
        response["Retry-After"] = str(max(1, wait))
    return response


def _status(form: BackendForm) -> HTTPStatus:
    if form.outage:
        return HTTPStatus.SERVICE_UNAVAILABLE
    return HTTPStatus.UNPROCESSABLE_ENTITY if form.errors else HTTPStatus.OK
