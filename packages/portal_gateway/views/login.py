"""Sign-in with email and password (contract, section 6)."""

from collections.abc import Mapping
from functools import lru_cache
from typing import Any, Final
from urllib.parse import urlencode

from django.http import HttpResponse
from django.shortcuts import render
from django.views.decorators.http import require_http_methods
from markupsafe import Markup

from portal.config.locales import LOCALES
from portal.web import PortalRequest, active_locale, see_other
from portal.web.context_processors import render_kept
from portal.web.errors import REASON_PARAM
from portal.web.sign_in import explain, reason_of, sign_in, wanted_of
from portal.web.templating import render_field
from portal_gateway.forms import LoginForm
from portal_gateway.views.forgotten_password import offers_reset

_TEMPLATE: Final = "auth_app/login.html"


@require_http_methods(["GET", "HEAD", "POST"])
def login(request: PortalRequest) -> HttpResponse:
    """The sign-in form; POST signs in and redirects to `next`, or to the home of the user's platform."""
    if request.method != "POST":
        fields = _blank_fields(active_locale())
        context = {**_context(request, wanted=wanted_of(request)), **fields}
        return render_kept(request, _TEMPLATE, lambda: context, key=tuple(context.values()))
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
        form.focus_password()
    response = _form_page(request, form, status=result.status, unreachable=not result.text)
    if result.retry_after is not None:
        response["Retry-After"] = str(result.retry_after)
    return response


@lru_cache(maxsize=len(LOCALES))
def _blank_fields(locale: str) -> Mapping[str, Markup]:  # noqa: ARG001  the key
    """The fields of an empty form: the same for everybody who reads the active language `locale`."""
    return _fields(LoginForm())


def _fields(form: LoginForm) -> Mapping[str, Markup]:
    return {f"{name}_field": render_field(form[name]) for name in ("email", "password")}


def _form_page(request: PortalRequest, form: LoginForm, *, status: int, unreachable: bool = False) -> HttpResponse:
    """The page with a form that was sent."""
    context = _context(request, wanted=form["next"].value())
    context |= {**_fields(form), "form": form, "unreachable": unreachable}
    return render(request, _TEMPLATE, context, status=status)


def _context(request: PortalRequest, *, wanted: str) -> dict[str, Any]:
    # Who has just tried to sign in knows why.
    reason = reason_of(request) if request.method != "POST" else ""
    address = {name: value for name, value in (("next", wanted), (REASON_PARAM, reason)) if value}
    return {
        "action": request.path,
        "reason": explain(reason),
        "wanted": wanted,
        "form": None,
        "unreachable": False,
        "offers_reset": offers_reset(),
        # The URL of a form that was sent has no query. The language switch keeps `next` by this path.
        "own_path": f"{request.path}?{urlencode(address)}" if address else request.path,
    }
