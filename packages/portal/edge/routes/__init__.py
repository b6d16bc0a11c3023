"""Paths and sites: the data of the edge's table. Pure.

::

    path_info               a path's properties on a site
      site                  an application: its origin, its neighbours, its home pages
        route_table         the routes that an application declares in `proxy.py`
    redirect_targets        validates `next` and every other target from outside
      paths                 the portal's paths: names, locale, encoding
"""

from portal.edge.routes.path_info import PathInfo, read_path_info
from portal.edge.routes.paths import (
    LOGIN_PATH,
    NEUTRAL_PATHS,
    NO_SEGMENT,
    PROFILE_PATH,
    PUBLIC_PATHS,
    UNGATED_PATHS,
    encode_path,
    encode_query,
    home_path,
    split_locale,
)
from portal.edge.routes.redirect_targets import accept_target, with_locale
from portal.edge.routes.route_table import RouteTable
from portal.edge.routes.site import Site, make_site
