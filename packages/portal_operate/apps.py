"""The shared package as a Django app: its commands and checks."""

import sys
from importlib.util import find_spec
from pathlib import Path

from django.apps import AppConfig, apps
from django.conf import settings
from django.core.cache import BaseCache, close_caches  # noqa: TID251  reads and writes no cache
from django.core.handlers.base import reset_urlconf
from django.core.signals import request_finished, request_started
from django.db import close_old_connections, connections, reset_queries
from django.utils.module_loading import import_string

from portal.config.places import SOURCE_ROOT
from portal.errors import ConfigurationError
from portal_operate.catalogs import compile_stale

NO_DATABASE = "django.db.backends.dummy"


class PortalAppConfig(AppConfig):
    """Registers the system checks when Django starts, and lets requests go without what they have no use for."""

    name = "portal_operate"
    label = "portal"

    def ready(self) -> None:
        """Import what registers itself: the checks, and the OpenID provider if one is configured. Compile translations.

        Ends the process with one line if a translation has a mistake, as Django has no other way to say it without a
        traceback here. Also in a project that is not the portal's: its commands would take the place of that project's.
        """
        if not hasattr(settings, "PORTAL"):
            sys.exit(
                "portal: these settings are not made by project_settings(…), so portal_operate can't be one of "
                "INSTALLED_APPS: take it out"
            )
        from portal_operate import checks, deployment_checks  # noqa: F401, PLC0415  only now are the apps loaded

        try:
            compile_stale([SOURCE_ROOT / "apps", *(Path(app.path) for app in apps.get_app_configs())])
        except ConfigurationError as error:
            sys.exit(f"{settings.PORTAL.project.app}: {error}")
        if settings.PORTAL.oidc.enabled:
            if not (find_spec("authlib") and find_spec("joserfc")):
                sys.exit(
                    "portal: APP_OIDC_ISSUER needs the packages of the extra `oidc`: pip install 'portal-library[oidc]'"
                )
            import portal_oidc  # noqa: PLC0415  without a provider, nothing of OpenID is loaded

            portal_oidc.register()
        if all(database["ENGINE"] == NO_DATABASE for database in connections.settings.values()):
            # The projects have none. Django looks all the same, and that is a fifth of what a redirect costs.
            request_started.disconnect(reset_queries)
            request_started.disconnect(close_old_connections)
            request_finished.disconnect(close_old_connections)
        if all(import_string(cache["BACKEND"]).close is BaseCache.close for cache in settings.CACHES.values()):
            # Closing ours does nothing, in 5 µs.
            request_finished.disconnect(close_caches)
        # Django's handler sets the URLs at the start of each request, whatever the thread has had before.
        request_finished.disconnect(reset_urlconf)
