"""Pages with a form.

Each form page has a random key in a hidden field. A create is sent with that key as its idempotency key: a form that
arrives twice, because its response was lost or a button was pressed twice, creates one thing (contract, section 8).
"""

from __future__ import annotations

import re
import secrets
from http import HTTPStatus
from typing import TYPE_CHECKING, Any, Final

from django.shortcuts import redirect, render

from portal.web.errors import explain_failure, retry_after_s

if TYPE_CHECKING:
    from django.http import HttpRequest, HttpResponse

    from portal.web.pages.forms import BackendForm

SUBMISSION_FIELD: Final = "submissionKey"
_KEY: Final = re.compile(r"[A-Za-z0-9_-]{16,64}")
_KEY_BYTES: Final = 16


def submission_key(request: HttpRequest) -> str:
    """The key of the form that was sent, for a create's `idempotency_key`; a new one if the form has none."""
    sent = request.POST.get(SUBMISSION_FIELD, "")
    return sent if _KEY.fullmatch(sent) else secrets.token_urlsafe(_KEY_BYTES)


def form_page(
    request: HttpRequest, form: BackendForm[Any], *, title: str, submit_label: str, back_url: str, back_label: str
) -> HttpResponse:
    """The page with a form. Its status is 200; 422 if the form has errors; 503 if the backend did not answer."""
    context = {
        "form": form,
        "title": title,
        "submit_label": submit_label,
        "back_url": back_url,
        "back_label": back_label,
        "submission_field": SUBMISSION_FIELD,
        # The backend may have stored its error under the key, so a corrected form needs another one.
        "submission_key": secrets.token_urlsafe(_KEY_BYTES) if form.was_rejected else submission_key(request),
    }
    response = render(request, "portal/form.html", context, status=_status(form))
    if form.errors or form.outage:
        # The browser shows the form's URL already; htmx would add it to the history once more.
        response["HX-Push-Url"] = "false"
    if form.outage:
        explain_failure(request, form.outage, status=response.status_code)
        # htmx discards a 503, unless the response names the element to fill.
        response["HX-Retarget"] = "#content"
        response["Retry-After"] = str(retry_after_s(form.outage))
    return response


def see_other(url: str, *args: object) -> HttpResponse:
    """Redirect with 303 after a form was sent: the browser gets the page, and a reload does not send the form again.

    :param url: a URL, or the name of one, whose values are `args`.
    """
    response = redirect(url, *args)
    response.status_code = HTTPStatus.SEE_OTHER
    return response


def _status(form: BackendForm[Any]) -> HTTPStatus:
    if form.outage:
        return HTTPStatus.SERVICE_UNAVAILABLE
    return HTTPStatus.UNPROCESSABLE_ENTITY if form.errors else HTTPStatus.OK
