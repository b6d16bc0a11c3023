"""The WSGI application of the energy platform, for any WSGI server."""

from portal_server.startup import wsgi_application

application = wsgi_application(settings="apps.energy.settings")
