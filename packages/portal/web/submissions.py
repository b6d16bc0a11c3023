"""Form pages: how they are rendered, and what becomes of a form whose write the backend refused."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from django.shortcuts import render

if TYPE_CHECKING:
    from django.http import HttpRequest, HttpResponse

    from portal.query import MutationResult
    from portal.web.forms import BackendForm


def refused(form: BackendForm, result: MutationResult[Any]) -> None:
    """Show the refusal in the form, where the user can cure it there.

    :raises portal.errors.ApiError: any other failure, which becomes the page.
    """
    if result.error is not None and not form.add_backend_error(result.error):
        raise result.error


def form_page(
    request: HttpRequest, form: BackendForm, *, title: str, submit_label: str, back_url: str, back_label: str
) -> HttpResponse:
    """The page with a form: 200, or 422 where it has errors."""
    context = {
        "form": form,
        "title": title,
        "submit_label": submit_label,
        "back_url": back_url,
        "back_label": back_label,
    }
    response = render(request, "portal/form.html", context, status=422 if form.errors else 200)
    if form.errors:
        # The address is the form's own already; htmx would add it to the history once more.
        response["HX-Push-Url"] = "false"
    return response
