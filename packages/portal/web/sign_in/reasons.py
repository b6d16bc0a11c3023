"""What the sign-in page is told: why the user has to sign in again, and the page to return to.

The page's own address comes first. Where it names nothing, the cookie VAR_WAY_BACK does
(:mod:`portal.web.cookies.other_cookies`).
"""

from typing import Final

from django.utils.translation import gettext_lazy as _

from portal.web.cookies import read_way_back
from portal.web.errors import REASON_PARAM, REFRESH_LOST, SIGN_IN_ENDED
from portal.web.request import PortalRequest

_REASONS: Final = {
    REFRESH_LOST: _(
        "Your sign-in could not be renewed: the answer of the sign-in service was lost. "
        "Please sign in again. Nothing you saved is lost."
    ),
    SIGN_IN_ENDED: _(
        "Your sign-in has ended: it expired, was ended on another device, or could not be renewed. "
        "Please sign in again. You come back to the page you were on."
    ),
}


def reason_of(request: PortalRequest) -> str:
    """The known reason in the sign-in page's address, or else in the cookie; empty if there is none."""
    for reason in (request.GET.get(REASON_PARAM, ""), read_way_back(request).reason):
        if reason in _REASONS:
            return reason
    return ""


def wanted_of(request: PortalRequest) -> str:
    """The page to return to, as `next` in the sign-in page's address names it, or else the cookie; empty for none."""
    return request.GET.get("next") or read_way_back(request).page


def explain(reason: str) -> str:
    """The text for a reason that :func:`reason_of` gave, in the page's language; empty for none."""
    return str(_REASONS.get(reason, ""))
