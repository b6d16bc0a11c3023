"""The gateway's routes at the edge."""

from portal.edge import RouteTable

ROUTES = RouteTable(public=("/login", "/login/…"))
