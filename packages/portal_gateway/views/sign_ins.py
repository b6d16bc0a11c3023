"""Ending the user's sign-ins: one, all others, or all."""

from collections.abc import Callable, Sequence
from typing import Any

from django.contrib import messages
from django.http import HttpResponse
from django.utils.translation import gettext as _
from django.utils.translation import ngettext
from django.views.decorators.http import require_POST

from portal.errors import ApiAbsentError, ApiNotFoundError
from portal.services.iam.sign_ins import ActiveSignIn, SignInQueries
from portal.web import PortalRequest, see_other
from portal.web.present import is_not_there
from portal.web.sign_in import end_sign_in, sign_out_response


@require_POST
def revoke(request: PortalRequest, sign_in_id: str) -> HttpResponse:
    """End one sign-in. To end the sign-in of this browser is to sign out."""
    if _is_current(request, sign_in_id):
        return sign_out_response(request)
    result = end_sign_in(request, sign_in_id)
    if isinstance(result.error, ApiNotFoundError) and (
        isinstance(result.error, ApiAbsentError) or _first(request, lambda row: row.id == sign_in_id) is not None
    ):
        return _cant_end(request)
    result.unwrap()
    messages.success(request, _("That sign-in has ended."))
    return see_other("profile")


@require_POST
def revoke_others(request: PortalRequest) -> HttpResponse:
    """End every sign-in of the user but the one of this browser."""
    ended = _end_others(request)
    if ended is None:
        return _cant_end(request)
    text = ngettext(
        "%(number)d other sign-in has ended. You are still signed in here.",
        "%(number)d other sign-ins have ended. You are still signed in here.",
        ended,
    )
    messages.success(request, text % {"number": ended} if ended else _("You are signed in here only."))
    return see_other("profile")


@require_POST
def revoke_all(request: PortalRequest) -> HttpResponse:
    """End every sign-in of the user. The one of this browser ends last, since it is needed to end the others.

    It ends in any case, also where the backend can't end the others.
    """
    is_everywhere = _end_others(request) is not None
    return sign_out_response(request, everywhere=is_everywhere)


def _cant_end(request: PortalRequest) -> HttpResponse:
    messages.error(request, _("This service can’t end other sign-ins."))
    return see_other("profile")


def _end_others(request: PortalRequest) -> int | None:
    """End the user's other sign-ins; gives how many. None where the backend does not list them, or ends none.

    The backend's list may be behind, and still name sign-ins that were ended here: each is ended once. One that the
    backend does not find has ended already, if the list then lacks it. Where it does not, and no other was ended, the
    backend does not have the call.
    """
    ended: set[str] = set()
    not_found: set[str] = set()
    sign_ins = SignInQueries.use_get_sign_ins_query(request)
    if is_not_there(sign_ins):
        return None
    while True:
        listed = [row.id for row in _fresh_rows(sign_ins) if not row.current]
        others = [sign_in_id for sign_in_id in listed if sign_in_id not in ended | not_found]
        for sign_in_id in others:
            result = end_sign_in(request, sign_in_id)
            if isinstance(result.error, ApiAbsentError):
                return None
            if isinstance(result.error, ApiNotFoundError):
                not_found.add(sign_in_id)
            else:
                result.unwrap()
                ended.add(sign_in_id)
        if others:
            sign_ins = sign_ins.refetch()
        elif sign_ins.has_next_page:
            sign_ins = sign_ins.fetch_next_page()
        else:
            still_there = not_found.intersection(listed)
            return None if still_there and not ended else len(ended | not_found) - len(still_there)


def _is_current(request: PortalRequest, sign_in_id: str) -> bool:
    """Whether this is the sign-in of this browser.

    Reads the list until it comes to the sign-in of this browser, or to the one with this id.
    """
    found = _first(request, lambda row: row.current or row.id == sign_in_id)
    return found is not None and found.current and found.id == sign_in_id


def _first(request: PortalRequest, fits: Callable[[ActiveSignIn], bool]) -> ActiveSignIn | None:
    sign_ins = SignInQueries.use_get_sign_ins_query(request)
    while True:
        found = next((row for row in _fresh_rows(sign_ins) if fits(row)), None)
        if found is not None or not sign_ins.has_next_page:
            return found
        sign_ins = sign_ins.fetch_next_page()


def _fresh_rows(sign_ins: Any) -> Sequence[ActiveSignIn]:
    """The rows, if the last fetch succeeded: older rows must not decide which sign-in ends.

    :raises portal.errors.ApiError: the last fetch failed.
    """
    if sign_ins.error is not None:
        raise sign_ins.error
    rows: Sequence[ActiveSignIn] = sign_ins.unwrap().items
    return rows
