"""The developers' tools as a Django app, so that Django finds their templates; installed with the toolbar only."""

from __future__ import annotations

from django.apps import AppConfig


class PortalDevtoolsConfig(AppConfig):
    """Registers nothing."""

    name = "portal.devtools"
    label = "portal_devtools"
