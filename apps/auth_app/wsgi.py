"""The WSGI application of the gateway, for any WSGI server."""

from portal_server.startup import wsgi_application

application = wsgi_application(settings="apps.auth_app.settings")
