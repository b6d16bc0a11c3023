"""The kit of pages as a Django app: Django finds its static files and translations by their folder."""

from django.apps import AppConfig


class PortalPagesConfig(AppConfig):
    """Registers nothing; the folder's place is enough."""

    name = "portal_pages"
