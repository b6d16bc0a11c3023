"""Pages with a form.

Each form page has a random key in a hidden field. A create is sent with that key as its idempotency key: a form that
arrives twice, because its response was lost or a button was pressed twice, creates one thing (contract, section 8).
"""

from http import HTTPStatus
from typing import Any

from django.http import HttpResponse
from django.shortcuts import render
from django.urls import reverse
from django.utils.translation import gettext as _

from portal.edge import NO_SEGMENT
from portal.query import offers
from portal.web.cookies import keep_drafts
from portal.web.errors import explain_failure, may_be_done_twice, retry_after_s
from portal.web.present import NO_VALUE, LazyText, with_params
from portal.web.request import PortalRequest
from portal.web.submissions import SUBMISSION_FIELD, UNKNOWN_FIELD, new_submission_key, see_other, submission_key
from portal_pages.forms.conflicts import typed_text
from portal_pages.forms.form_fields import VERSION_INPUT
from portal_pages.forms.forms import BackendForm
from portal_pages.forms.row_choice import RowChoiceField, name_chosen_rows
from portal_pages.lists import LIST_FIELD, list_url_before
from portal_pages.page_names import PageNames


def form_page(
    request: PortalRequest, form: BackendForm[Any], *, title: str, submit_label: str, back_url: str, back_label: str
) -> HttpResponse:
    """The page with a form. Its status is 200; 409 where somebody else has changed the same fields meanwhile; 422 if
    the form has errors; 503 if the backend did not answer.
    """
    was_unknown = UNKNOWN_FIELD in request.POST
    is_unknown = form.outage is not None and (was_unknown or form.outage.outcome_is_unknown)
    context = {
        "form": form,
        "title": title,
        "submit_label": _("Send again") if is_unknown else submit_label,
        "back_url": back_url,
        "back_label": back_label,
        "is_unknown": is_unknown,
        "may_be_done_twice": is_unknown and may_be_done_twice(request),
        # The backend may have stored its error under the key, so a corrected form needs another one.
        "submission_key": new_submission_key() if form.was_rejected else submission_key(request),
    }
    response = _form_response(request, context, status=_status(form))
    if form.outage:
        explain_failure(request, form.outage, status=response.status_code)
        response["Retry-After"] = str(retry_after_s(form.outage))
    return response


def deleted_page(request: PortalRequest, pages: PageNames, form: BackendForm[Any]) -> HttpResponse:
    """404: somebody has deleted the row whose form was sent. What was typed is shown, and can be created anew."""
    typed = {field: form[field].value() for field in form.fields}
    anew = pages.create_form(initial=typed) if pages.create_form else None
    name_chosen_rows(request, anew or form)
    context = {
        "form": anew,
        "typed": () if anew else _typed_texts(form),
        "title": _("%(name)s was deleted meanwhile") % {"name": str(form.shown_row) or _("The entry")},
        "submit_label": _("Create it anew"),
        "form_url": reverse(pages.create) if anew else "",
        "back_url": reverse(pages.list) if pages.list else "",
        "back_label": str(pages.title),
        "is_deleted": True,
        "submission_key": new_submission_key(),
    }
    return _form_response(request, context, status=HTTPStatus.NOT_FOUND)


def refused_page(
    request: PortalRequest, form: BackendForm[Any], *, title: str, text: LazyText, back_url: str, back_label: str
) -> HttpResponse:
    """422: the backend does not have what the form is sent to. What was typed is shown, and nothing more is offered.

    :param text: says so.
    """
    name_chosen_rows(request, form)
    context = {
        "form": None,
        "typed": _typed_texts(form),
        "title": title,
        "refused": text,
        "back_url": back_url,
        "back_label": back_label,
    }
    return _form_response(request, context, status=HTTPStatus.UNPROCESSABLE_ENTITY)


def page_of_new_row(request: PortalRequest, pages: PageNames, new_id: str) -> HttpResponse:
    """To the page of a new row, which leads back to the list as it was; to that list where this user has none."""
    back = list_url_before(request, pages.list)
    is_shown = pages.row is None or offers(pages.row)
    if pages.offered(request).detail and is_shown and not NO_SEGMENT.match(new_id):
        page = reverse(pages.detail, args=[new_id])
        return see_other(with_params(page, {LIST_FIELD: back if "?" in back else None}))
    return see_other(back)


def _typed_texts(form: BackendForm[Any]) -> list[tuple[str, str]]:
    """Label and text of each field of a form that was sent."""
    found = []
    for bound in form:
        field, widget = bound.field, bound.field.widget
        is_row = isinstance(field, RowChoiceField)
        text = getattr(widget, "text", "") or NO_VALUE if is_row else typed_text(field, bound.data)
        found.append((str(field.label), text))
    return found


def _form_response(request: PortalRequest, context: dict[str, Any], *, status: HTTPStatus) -> HttpResponse:
    defaults = {
        "submission_field": SUBMISSION_FIELD,
        "unknown_field": UNKNOWN_FIELD,
        "version_field": VERSION_INPUT,
        "form_url": request.path,
        "typed": (),
        "is_deleted": False,
        "refused": "",
        "is_unknown": False,
        "may_be_done_twice": False,
    }
    response = render(request, "portal/form.html", {**defaults, **context}, status=status)
    keep_drafts(request, response)
    if request.method == "POST":
        # The browser shows the form's URL already; htmx would add it to the history once more.
        response["HX-Push-Url"] = "false"
        # htmx discards most errors, unless the response names the element to fill.
        response["HX-Retarget"] = "#content"
    return response


def _status(form: BackendForm[Any]) -> HTTPStatus:
    if form.outage:
        return HTTPStatus.SERVICE_UNAVAILABLE
    if form.conflicts:
        return HTTPStatus.CONFLICT
    return HTTPStatus.UNPROCESSABLE_ENTITY if form.errors else HTTPStatus.OK
