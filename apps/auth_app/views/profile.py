"""The profile page: the user's name, permissions and platforms, and the list of the user's sign-ins."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any
from urllib.parse import urlencode

from django.contrib import messages
from django.shortcuts import render
from django.urls import reverse
from django.utils.cache import patch_vary_headers
from django.utils.translation import gettext as _
from django.views.decorators.http import require_POST, require_safe

from apps.auth_app.devices import device_name
from portal.errors import ApiNotFoundError
from portal.services import RowParams
from portal.services.iam.sign_ins import SignInMutations, SignInQueries
from portal.services.user import UserQueries
from portal.web.frame import present_own_profile
from portal.web.pages import is_load_more, see_other
from portal.web.present import record_of
from portal.web.sign_in import sign_out_response

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from django.http import HttpResponse

    from portal.services.iam.sign_ins import ActiveSignIn
    from portal.web import PortalRequest


@require_safe
def profile(request: PortalRequest) -> HttpResponse:
    """The profile with the first page of sign-ins, or with the page of sign-ins that the URL's cursor names.

    Without the profile there is no page. Without the first page of sign-ins, the profile is shown alone.
    """
    cursor = request.GET.get("cursor", "")
    sign_ins = SignInQueries.use_get_sign_ins_query(request, cursor=cursor or None)
    page = sign_ins.unwrap() if cursor else sign_ins.data
    context = _list_context(page.items, next_cursor=page.next_cursor, cursor=cursor)
    context["sign_ins_failed"] = not sign_ins.is_success
    if is_load_more(request):
        response = render(request, "auth_app/sign_ins.html", context)
    else:
        record = record_of(UserQueries.use_get_me_query(request))
        response = render(request, "auth_app/profile.html", context | {"profile": present_own_profile(record)})
    patch_vary_headers(response, ("HX-Request", "HX-Target"))
    return response


def _list_context(items: Iterable[ActiveSignIn], *, next_cursor: str | None, cursor: str) -> dict[str, Any]:
    first_url = reverse("profile")
    return {
        # The sign-in of this browser comes first.
        "sign_ins": [(row, device_name(row.user_agent)) for row in sorted(items, key=lambda row: not row.current)],
        "paging": {
            "first_url": first_url,
            "next_url": f"{first_url}?{urlencode({'cursor': next_cursor})}" if next_cursor else "",
            "is_continuation": bool(cursor),
        },
    }


@require_POST
def revoke(request: PortalRequest, sign_in_id: str) -> HttpResponse:
    """End one sign-in. To end the sign-in of this browser is to sign out."""
    if _is_current(request, sign_in_id):
        return sign_out_response(request)
    SignInMutations.use_end_sign_in_mutation(request).mutate(params=RowParams(id=sign_in_id)).unwrap()
    messages.success(request, _("That sign-in has ended."))
    return see_other("profile")


def _is_current(request: PortalRequest, sign_in_id: str) -> bool:
    """Whether this is the sign-in of this browser.

    Reads the list until it comes to the sign-in of this browser, or to the one with this id.
    """
    sign_ins = SignInQueries.use_get_sign_ins_query(request)
    while True:
        for row in _fresh_rows(sign_ins):
            if row.current or row.id == sign_in_id:
                return row.current and row.id == sign_in_id
        if not sign_ins.has_next_page:
            return False
        sign_ins = sign_ins.fetch_next_page()


def _fresh_rows(sign_ins: Any) -> Sequence[ActiveSignIn]:
    """The rows, if the last fetch succeeded: older rows must not decide which sign-in ends.

    :raises portal.errors.ApiError: the last fetch failed.
    """
    if sign_ins.error is not None:
        raise sign_ins.error
    rows: Sequence[ActiveSignIn] = sign_ins.unwrap().items
    return rows


@require_POST
def revoke_all(request: PortalRequest) -> HttpResponse:
    """End every sign-in of the user. The one of this browser ends last, since it is needed to end the others.

    A sign-in that the backend does not find has ended already. The backend's list may be behind, and still name
    sign-ins that were ended here: each is ended once.
    """
    ended: set[str] = set()
    sign_ins = SignInQueries.use_get_sign_ins_query(request)
    while True:
        others = [row.id for row in _fresh_rows(sign_ins) if not row.current and row.id not in ended]
        for sign_in_id in others:
            result = SignInMutations.use_end_sign_in_mutation(request).mutate(params=RowParams(id=sign_in_id))
            if not isinstance(result.error, ApiNotFoundError):
                result.unwrap()
            ended.add(sign_in_id)
        if others:
            sign_ins = sign_ins.refetch()
        elif sign_ins.has_next_page:
            sign_ins = sign_ins.fetch_next_page()
        else:
            return sign_out_response(request)
