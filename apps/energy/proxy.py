"""The routes of the energy app at the edge."""

from portal.edge import RouteTable

ROUTES = RouteTable(public=("/login",))
