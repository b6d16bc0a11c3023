"""The gateway as a Django app: Django finds its static files and translations by their folder."""

from django.apps import AppConfig


class PortalGatewayConfig(AppConfig):
    """Registers nothing; the folder's place is enough."""

    name = "portal_gateway"
