"""The browser's address, as the portal says it."""

from __future__ import annotations

from ipaddress import ip_address
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from rest_framework.request import Request


def client_address(request: Request) -> str:
    """The last address in `X-Forwarded-For` of a caller on this machine, where the portal runs; else the caller's own.

    Empty where neither is an address.
    """
    peer = _address(request.META.get("REMOTE_ADDR", ""))
    if not peer or not ip_address(peer).is_loopback:
        return peer
    return _address(request.META.get("HTTP_X_FORWARDED_FOR", "").rpartition(",")[2]) or peer


def _address(text: str) -> str:
    try:
        return ip_address(text.strip().partition("%")[0]).compressed
    except ValueError:
        return ""
