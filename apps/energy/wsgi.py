"""The WSGI application of the energy platform, for any WSGI server."""

from __future__ import annotations

import os

from django.core.wsgi import get_wsgi_application

# Assigned, never a default: one machine runs several projects.
os.environ["DJANGO_SETTINGS_MODULE"] = "apps.energy.settings"

application = get_wsgi_application()
