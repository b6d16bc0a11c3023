"""The routes of the operations app at the edge."""

from portal.edge import RouteTable

ROUTES = RouteTable(public=("/login",))
