"""Django glue: what the layers below give, as pages, cookies and templates."""

from __future__ import annotations

from portal.web.request import PortalRequest, is_signed_in
from portal.web.sign_in import resolve_post_login_path

__all__ = ["PortalRequest", "is_signed_in", "resolve_post_login_path"]
