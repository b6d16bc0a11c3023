"""What the tests of the web layer use, for the applications' own."""

from __future__ import annotations

from tests.portal.web.conftest import account, backend, browser_of, energy_user

__all__ = ["account", "backend", "browser_of", "energy_user"]
