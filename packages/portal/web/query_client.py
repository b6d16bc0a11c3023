"""The query client of one request, which the middleware makes when a view first uses `request.query_client`."""

from __future__ import annotations

import re
from ipaddress import ip_address
from typing import TYPE_CHECKING, Final

from portal.api import api_session
from portal.config.current import portal_config
from portal.query import create_query_client
from portal.web.client_address import client_address
from portal.web.reload import user_reloads

if TYPE_CHECKING:
    from portal.query import QueryClient
    from portal.web.request import PortalRequest

#: A header can't carry these characters.
UNSENDABLE: Final = re.compile(r"[^\x20-\x7e]+")
USER_AGENT_MAX_CHARS: Final = 400


def query_client_for(request: PortalRequest) -> QueryClient:
    """The client that reads and writes with the request's tokens, within the request's time.

    Nothing of the browser's goes to the backend unless `APP_API_FORWARD_BROWSER` asks for it (contract, section 8).
    """
    forwards = portal_config().forwards_browser
    return create_query_client(
        tokens=request.token_store,
        api=api_session(),
        deadline=request.api_deadline,
        request_id=request.request_id,
        user_agent=read_user_agent(request.META.get("HTTP_USER_AGENT")) if forwards else None,
        client_address=read_address(client_address(request)) if forwards else None,
        reload=user_reloads(request),
    )


def read_user_agent(sent: str | None) -> str | None:
    """The browser's `User-Agent` without what a header of ours can't carry; None if nothing is left."""
    return "".join(UNSENDABLE.split(sent or ""))[:USER_AGENT_MAX_CHARS].strip() or None


def read_address(text: str) -> str | None:
    """An IP address in its usual form; None for any other text, which a header of ours must not carry."""
    try:
        return ip_address(text.partition("%")[0]).compressed
    except ValueError:
        return None
