"""The WSGI application of the operations platform, for any WSGI server."""

from portal_server.startup import wsgi_application

application = wsgi_application(settings="apps.operations.settings")
