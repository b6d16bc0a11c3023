"""The developers' tools as a Django app: Django finds their commands and the toolbar's templates."""

from __future__ import annotations

from django.apps import AppConfig


class PortalDevConfig(AppConfig):
    """Registers nothing."""

    name = "portal_dev"
    label = "portal_dev"
