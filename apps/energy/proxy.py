"""The routes of the energy app at the edge."""

from portal.edge.routes.route_table import RouteTable

ROUTES = RouteTable(public=("/login",))
