"""The gateway's routes at the edge."""

from portal.edge.routes import RouteTable

ROUTES = RouteTable(public=("/login", "/login/…"))
