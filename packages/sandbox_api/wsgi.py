"""The WSGI application, for any server."""

import os

from django.core.wsgi import get_wsgi_application

# Assigned, not a default: another project's variable would make this one start as something else.
os.environ["DJANGO_SETTINGS_MODULE"] = "sandbox_api.settings"
application = get_wsgi_application()

from sandbox_api.demo_accounts import refuse_demo_accounts  # noqa: E402 - needs the applications loaded

refuse_demo_accounts()
