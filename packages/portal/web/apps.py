"""The web layer as a Django app: Django finds its templates, static files, tags and translations by their folder."""

from django.apps import AppConfig


class PortalWebConfig(AppConfig):
    """Registers nothing; the folder's place is enough."""

    name = "portal.web"
    label = "portal_web"
