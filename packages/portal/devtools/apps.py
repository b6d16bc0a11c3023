"""The developer's tools as a Django app, so that their templates are found; installed with the toolbar only."""

from __future__ import annotations

from django.apps import AppConfig


class PortalDevtoolsConfig(AppConfig):
    """Registers nothing."""

    name = "portal.devtools"
    label = "portal_devtools"
