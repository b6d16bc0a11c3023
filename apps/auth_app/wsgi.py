"""The WSGI application of the gateway, for any WSGI server."""

from __future__ import annotations

import os

from portal.startup import wsgi_application

# Assigned, never a default: one machine runs several projects.
os.environ["DJANGO_SETTINGS_MODULE"] = "apps.auth_app.settings"

application = wsgi_application()
