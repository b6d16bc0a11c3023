"""The address of the browser, or of whoever else calls."""

from __future__ import annotations

from ipaddress import ip_address
from typing import TYPE_CHECKING

from portal.config.current import portal_config

if TYPE_CHECKING:
    from django.http import HttpRequest


def client_address(request: HttpRequest) -> str:
    """The peer's address. Behind a trusted proxy: the rightmost `X-Forwarded-For`, which the proxy has written."""
    if portal_config().behind_proxy:
        forwarded: str = request.META.get("HTTP_X_FORWARDED_FOR", "")
        return forwarded.rpartition(",")[2].strip()
    address: str = request.META.get("REMOTE_ADDR", "")
    return address


def is_loopback(address: str) -> bool:
    """Whether an address is this machine's own. False for a text that is no address."""
    try:
        return ip_address(address).is_loopback
    except ValueError:
        return False
