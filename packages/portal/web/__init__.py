"""Django glue: what the layers below give, as pages, cookies and templates."""

from __future__ import annotations

from portal.web.sign_in.post_login import resolve_post_login_path

__all__ = ["resolve_post_login_path"]
