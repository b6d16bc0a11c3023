"""Paths and sites: the data of the edge's table. Pure.

::

    site                    an application: its origin, its neighbours, its home pages, the routes that it declares in
                            `proxy.py`; and a path's properties there
    redirect_targets        validates `next` and every other target from outside
      paths                 the portal's paths: names, locale, encoding
"""

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
from portal.edge.routes.site import PathInfo, RouteTable, Site, make_site, read_path_info
