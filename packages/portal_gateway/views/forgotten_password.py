"""A forgotten password: the page that has a link sent, and the page that the link leads to.

Both are 404 where the backend sends no such mails (`APP_PASSWORD_RESET`), or where an OpenID provider signs people in.
"""

from django.contrib import messages
from django.http import HttpResponse
from django.shortcuts import render
from django.utils.translation import gettext as _
from django.views.decorators.http import require_http_methods

from portal.config.current import portal_config
from portal.web import PortalRequest, see_other
from portal.web.sign_in import ResetFailure, ask_for_reset, reset_password
from portal_gateway.forms import ForgotPasswordForm, ResetPasswordForm
from portal_gateway.views.with_provider import only_where
from portal_pages import backend_errors


def offers_reset() -> bool:
    """Whether the sign-in page leads to these pages."""
    config = portal_config()
    return config.offers_password_reset and not config.oidc.enabled


@only_where(offers_reset)
@require_http_methods(["GET", "HEAD", "POST"])
def forgot(request: PortalRequest) -> HttpResponse:
    """Ask for the address; POST has a link sent, and says the same for every address."""
    form = ForgotPasswordForm(request.POST if request.method == "POST" else None)
    failure, asked_for = None, ""
    if form.is_valid():
        failure = ask_for_reset(request, email=form.cleaned_data["email"])
        asked_for = form.cleaned_data["email"] if failure is None else ""
    return _page(request, "auth_app/forgot.html", form, failure=failure, asked_for=asked_for)


@only_where(offers_reset)
@require_http_methods(["GET", "HEAD", "POST"])
def reset(request: PortalRequest) -> HttpResponse:
    """Ask for the new password; POST sets it, and leads to the sign-in page."""
    sent = request.method == "POST"
    form = ResetPasswordForm(request.POST) if sent else ResetPasswordForm(initial={"token": request.GET.get("token")})
    failure = None
    if form.is_valid():
        failure = reset_password(request, token=form.cleaned_data["token"], password=form.cleaned_data["password"])
        if failure is None:
            messages.success(request, _("Your password was changed, and all your sign-ins have ended."))
            return see_other("login")
        if failure.password_errors:
            form.add_error("password", backend_errors(failure.password_errors))
    response = _page(request, "auth_app/reset.html", form, failure=failure, has_token=bool(form["token"].value()))
    # The token is in the address: no other server, and no log of ours, gets it as the page that one came from. Without
    # its origin, the form would be refused.
    response["Referrer-Policy"] = "strict-origin"
    return response


def _page(
    request: PortalRequest,
    template: str,
    form: ForgotPasswordForm | ResetPasswordForm,
    *,
    failure: ResetFailure | None,
    **values: object,
) -> HttpResponse:
    status = 200
    if failure is not None:
        status = failure.status
        if failure.text:
            form.add_error(None, failure.text)
    elif form.errors:
        status = 422
    context = {"form": form, "failure": failure, "unreachable": status == 503, **values}  # noqa: PLR2004  the status of an outage
    response = render(request, template, context, status=status)
    if failure is not None and failure.retry_after is not None:
        response["Retry-After"] = str(failure.retry_after)
    return response
