"""The edge gates every request of every app before a view runs. Nothing here can call the backend.

::

    middleware              ProxyMiddleware: request in, response out
      rules                 the table: `decide(context)`, first rule wins      explanation   the same, in words
        evaluation          one request in the table's words
          locale_negotiation  from the headers
      http/                 the host check, the edge's own responses
        decisions           Forward, Redirect, Reject, Options
          request_context   the request's parts that decide, its kind; the user that a view gets
            routes/         paths, route tables, sites, redirect targets

A request goes down: `middleware` makes a `RequestContext`, `rules` gives a decision, `http.responses` makes the
response, or the view runs. `routes` and the table are pure.
"""

from portal.edge.decisions import Decision, Forward, Reject
from portal.edge.explanation import Explanation, explain
from portal.edge.http import PROBLEM_CONTENT_TYPE, EdgeResponses, problem_document
from portal.edge.middleware import PATHNAME_META, load_routes, use_absent_platforms
from portal.edge.request_context import EdgeUser, RequestContext, is_htmx, is_navigation, navigation_headers
from portal.edge.routes import (
    LOGIN_PATH,
    NEUTRAL_PATHS,
    NO_SEGMENT,
    PROFILE_PATH,
    PUBLIC_PATHS,
    UNGATED_PATHS,
    RouteTable,
    Site,
    accept_target,
    home_path,
    make_site,
    split_locale,
    with_locale,
)
from portal.edge.rules import login_url_from
