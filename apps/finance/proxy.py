"""The routes of the finance app at the edge."""

from portal.edge import RouteTable

ROUTES = RouteTable(public=("/login",))
