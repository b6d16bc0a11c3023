"""The energy project with a team's slips in it, for a server: `tests.functional.mistaken_project:application`."""

from __future__ import annotations

import django
from django.conf import settings
from django.core.handlers.wsgi import WSGIHandler

from portal.config.base_settings import project_settings

settings.configure(**project_settings("energy") | {"ROOT_URLCONF": "tests.support.mistaken_urls"})
django.setup()
application = WSGIHandler()
