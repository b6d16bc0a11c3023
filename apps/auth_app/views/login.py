"""Sign-in with email and password (contract, section 6)."""

from __future__ import annotations

from typing import TYPE_CHECKING
from urllib.parse import urlencode

from django.shortcuts import render
from django.views.decorators.http import require_http_methods

from apps.auth_app.forms import LoginForm
from portal.web.errors import REASON_PARAM
from portal.web.pages import see_other
from portal.web.sign_in import explain, reason_of, sign_in

if TYPE_CHECKING:
    from django.http import HttpResponse

    from portal.web import PortalRequest


@require_http_methods(["GET", "HEAD", "POST"])
def login(request: PortalRequest) -> HttpResponse:
    """The sign-in form; POST signs in and redirects to `next`, or to the home of the user's platform."""
    if request.method != "POST":
        return _form_page(request, LoginForm(initial={"next": request.GET.get("next", "")}))
    form = LoginForm(request.POST)
    if not form.is_valid():
        return _form_page(request, form, status=422)
    result = sign_in(
        request,
        email=form.cleaned_data["email"],
        password=form.cleaned_data["password"],
        wanted=form.cleaned_data["next"] or "",
    )
    if isinstance(result, str):
        return see_other(result)
    if result.text:
        form.add_error(None, result.text)
    response = _form_page(request, form, status=result.status, unreachable=not result.text)
    if result.retry_after is not None:
        response["Retry-After"] = str(result.retry_after)
    return response


def _form_page(
    request: PortalRequest, form: LoginForm, *, status: int = 200, unreachable: bool = False
) -> HttpResponse:
    reason = reason_of(request)
    address = {name: value for name, value in (("next", form["next"].value()), (REASON_PARAM, reason)) if value}
    context = {
        "reason": explain(reason),
        "form": form,
        "unreachable": unreachable,
        # The URL of a form that was sent has no query. The language switch keeps `next` by this path.
        "own_path": f"{request.path}?{urlencode(address)}" if address else request.path,
    }
    return render(request, "auth_app/login.html", context, status=status)
