"""A write whose answer was lost: it may have been done. The page offers to look, and to send the same once more."""

from __future__ import annotations

from typing import TYPE_CHECKING

from portal.api import honours_idempotency_key
from portal.config.current import portal_config
from portal.edge import accept_target
from portal.errors import ApiUnavailableError
from portal.web.csrf import CSRF_FIELD
from portal.web.frame import PAGE_ACCOUNT_FIELD
from portal.web.submissions import SUBMISSION_FIELD, UNKNOWN_FIELD, used_submission_key

if TYPE_CHECKING:
    from portal.errors import PortalError
    from portal.web.request import PortalRequest


def outcome_is_unknown(request: PortalRequest, error: PortalError) -> bool:
    """Whether a write of this request failed with this error, and it, or the same sent before, may have been done."""
    if not isinstance(error, ApiUnavailableError) or request.method != "POST":
        return False
    if UNKNOWN_FIELD in request.POST:
        return True
    if not error.outcome_is_unknown:
        return False
    writes = request.query_client.mutations
    return bool(writes) and writes[-1].error == type(error).__name__


def may_be_done_twice(request: PortalRequest) -> bool:
    """Whether the last write of this request, sent again, may be done a second time.

    That is a POST to a backend that is not declared to honour the `Idempotency-Key`. A change or a deletion that is
    done again changes nothing more.
    """
    writes = request.query_client.mutations
    return not honours_idempotency_key(portal_config()) and bool(writes) and writes[-1].write.hook.method == "POST"


def page_to_look_at(request: PortalRequest) -> str:
    """The page with the form or button that was sent, if it is another one of this app's; else empty."""
    page = accept_target(request.META.get("HTTP_REFERER"), own_origin=portal_config().own_origin, origins=())
    return "" if page is None or page.partition("?")[0] == request.path else page


def fields_to_send_again(request: PortalRequest, *, is_unknown: bool) -> tuple[tuple[str, str], ...]:
    """What was sent, with the key under which it is done once; empty where the view has written under no such key.

    :param is_unknown: whether it may have been done, which the next failure has to know.
    """
    key = used_submission_key(request)
    if not key:
        return ()
    own = {CSRF_FIELD, PAGE_ACCOUNT_FIELD, SUBMISSION_FIELD, UNKNOWN_FIELD}
    sent = [(name, value) for name, values in request.POST.lists() if name not in own for value in values]
    unknown = ((UNKNOWN_FIELD, "yes"),) if is_unknown else ()
    return (*((name, str(value)) for name, value in sent), (SUBMISSION_FIELD, key), *unknown)
