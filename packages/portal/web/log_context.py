"""The fields of every log line that is written during a request: the request's id, and the user's account tag; where
the process makes traces, the ids of the trace and of the span too.

`request_id` is the response's `X-Request-Id`. `user` is the account tag (:mod:`.frame.account_tag`): a truncated hash
of the access token's subject, never a name, an address or a token. Without keys a token is decoded and not verified,
so that its subject may be forged: the tag tells lines apart, and proves nothing.

A thread that works for a request needs both: it runs in `contextvars.copy_context()`.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from portal.config.current import portal_config
from portal.telemetry.audit import AuditedRequest, kept_address, kept_user_agent
from portal.telemetry.tracing import trace_fields
from portal.web.client_address import client_address
from portal.web.frame import account_tag_of

if TYPE_CHECKING:
    from portal.web.request import PortalRequest


def log_fields(request: PortalRequest) -> dict[str, object]:
    """The fields of a request. Called for each line that is written: most requests write none."""
    user = account_tag_of(getattr(request, "edge_user", None))
    return {"request_id": request.request_id, "user": user, **trace_fields()}


def audit_fields(request: PortalRequest) -> AuditedRequest:
    """What a line of the audit log tells of a request."""
    user = account_tag_of(getattr(request, "edge_user", None))
    return AuditedRequest(
        user=user,
        user_verified=user is not None and portal_config().verification.enabled,
        address=kept_address(client_address(request)),
        user_agent=kept_user_agent(request.META.get("HTTP_USER_AGENT", "")),
        request_id=request.request_id,
    )
