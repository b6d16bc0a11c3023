"""The gateway's routes at the edge."""

from portal.edge.routes.route_table import RouteTable

ROUTES = RouteTable(public=("/login", "/login/…"))
