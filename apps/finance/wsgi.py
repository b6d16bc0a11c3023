"""The WSGI application of the finance platform, for any WSGI server."""

from portal_server.startup import wsgi_application

application = wsgi_application(settings="apps.finance.settings")
