"""The WSGI application of the operations platform, for any WSGI server."""

from __future__ import annotations

import os

from portal.startup import wsgi_application

# Assigned, never a default: one machine runs several projects.
os.environ["DJANGO_SETTINGS_MODULE"] = "apps.operations.settings"

application = wsgi_application()
