"""The profile page: the user's name, preferences, permissions and platforms, and the list of the user's sign-ins."""

from typing import Any
from urllib.parse import urlencode

from django.contrib import messages
from django.http import HttpResponse
from django.shortcuts import render
from django.urls import reverse
from django.utils.cache import patch_vary_headers
from django.utils.translation import gettext as _
from django.views.decorators.http import require_POST, require_safe

from portal.config.current import portal_config
from portal.errors import ApiError, ApiForbiddenError, ApiNotFoundError, ApiUnavailableError, ApiValidationError
from portal.services.iam.sign_ins import SignInMutations, SignInQueries
from portal.services.user import UserMutations, UserQueries
from portal.web import PortalRequest, see_other
from portal.web.frame import present_own_profile
from portal.web.present import is_not_there, record_of
from portal_gateway.devices import device_name
from portal_gateway.forms import NameForm
from portal_gateway.views.accounts import PERMISSIONS
from portal_gateway.views.preferences import preference_choices
from portal_gateway.views.with_provider import only_where
from portal_pages import backend_errors, is_load_more, is_not_taken, offers


@require_safe
def profile(request: PortalRequest) -> HttpResponse:
    """The profile with the first page of sign-ins, or with the page of sign-ins that the URL's cursor names.

    Without the profile there is no page. Without the first page of sign-ins, the profile is shown alone. A backend that
    lists no sign-ins, or changes no names, has a profile without them.
    """
    cursor = request.GET.get("cursor", "")
    if not is_load_more(request):
        return _page(request, cursor=cursor)
    context = _list_context(request, cursor=cursor)
    response = render(request, "auth_app/sign_ins.html", context)
    patch_vary_headers(response, ("HX-Request", "HX-Target"))
    return response


@only_where(lambda: not portal_config().oidc.enabled)
@require_POST
def rename(request: PortalRequest) -> HttpResponse:
    """Change the user's name."""
    form = NameForm(request.POST)
    if form.is_valid():
        result = UserMutations.use_update_me_mutation(request).mutate(body={"name": form.cleaned_data["name"]})
        if isinstance(result.error, ApiValidationError):
            said = backend_errors(result.error.errors.get("name", ()))
            form.add_error("name", said or _("The service does not accept this."))
        elif isinstance(result.error, ApiUnavailableError) and not _is_not_taken(result.error):
            form.add_error("name", _("The service can’t be reached. Please send it again in a moment."))
            return _page(request, name_form=form, is_outage=True)
        elif _is_not_taken(result.error):
            return _page(request, name_form=form, name_is_refused=True)
        else:
            result.unwrap()
            messages.success(request, _("Your name was changed."))
            return see_other("profile")
    return _page(request, name_form=form)


def _is_not_taken(error: ApiError | None) -> bool:
    """Whether the backend does not change names, or not for this user: such a call is in no document."""
    return is_not_taken(error) or isinstance(error, ApiNotFoundError | ApiForbiddenError)


def _page(
    request: PortalRequest,
    *,
    cursor: str = "",
    name_form: NameForm | None = None,
    is_outage: bool = False,
    name_is_refused: bool = False,
) -> HttpResponse:
    """The page; with the errors of a form that was sent, a 422.

    :param is_outage: nobody knows whether the name was changed.
    :param name_is_refused: the backend does not change it: what was typed is shown, and nothing can be sent.
    """
    context = _list_context(request, cursor=cursor)
    record = record_of(UserQueries.use_get_me_query(request))
    shown = present_own_profile(record)
    # The name belongs to the provider, where there is one.
    is_offered = name_form is not None or offers(UserMutations.use_update_me_mutation)
    if not is_offered or portal_config().oidc.enabled:
        shown_form = None
    else:
        shown_form = name_form or NameForm(initial={"name": record.get("name") or ""})
    context |= {"name_form": shown_form, "is_outage": is_outage, "name_is_refused": name_is_refused}
    # The URL of a form that was sent is no page: the language switch leads to the profile.
    context |= {"profile": shown, "preferences": preference_choices(request), "own_path": reverse("profile")}
    context["permissions"] = PERMISSIONS
    response = render(request, "auth_app/profile.html", context, status=422 if name_form else 200)
    patch_vary_headers(response, ("HX-Request", "HX-Target"))
    return response


def _list_context(request: PortalRequest, *, cursor: str) -> dict[str, Any]:
    sign_ins = SignInQueries.use_get_sign_ins_query(request, cursor=cursor or None)
    if cursor and isinstance(sign_ins.error, ApiValidationError):
        # An old link, as in every list: its cursor names no page any more.
        cursor, sign_ins = "", SignInQueries.use_get_sign_ins_query(request)
    page = sign_ins.unwrap() if cursor else sign_ins.data
    first_url = reverse("profile")
    return {
        # The sign-in of this browser comes first.
        "sign_ins": [(row, device_name(row.user_agent)) for row in sorted(page.items, key=lambda row: not row.current)],
        "has_sign_ins": not is_not_there(sign_ins),
        "can_end_sign_ins": offers(SignInMutations.use_end_sign_in_mutation),
        "sign_ins_failed": not sign_ins.is_success,
        "paging": {
            "first_url": first_url,
            "next_url": f"{first_url}?{urlencode({'cursor': page.next_cursor})}" if page.next_cursor else "",
            "is_continuation": bool(cursor),
            "is_cut_off": page.is_cut_off,
        },
    }
