"""The edge gates every request of every app before a view runs. Nothing here can call the backend.

::

    middleware              ProxyMiddleware: request in, response out; checks `Host` against ALLOWED_HOSTS
      rules                 the table: `decide(context)`, first rule wins
        evaluation          one request in the table's words
          locale_negotiation  from the headers
      responses             the response of a Redirect, Reject or Options
        rejection_page      the URLs of a request that is rejected with a page; the middleware names it as `urlconf`
        decisions           Forward, Redirect, Reject, Options
          request_context   the request's parts that decide, its kind; the user that a view gets
            site            an application: its origin, its neighbours, its home pages, the routes that it declares in
                            `proxy.py`; and a path's properties there
            redirect_targets  validates `next` and every other target from outside
              paths         the portal's paths: names, locale, encoding

A request goes down: `middleware` makes a `RequestContext`, `rules` gives a decision, `responses` makes the response, or
the view runs. Paths, sites, targets and the table are pure.
"""

from portal.edge.decisions import Decision, Forward, Reject
from portal.edge.evaluation import Evaluation
from portal.edge.middleware import PATHNAME_META, load_routes, use_absent_platforms
from portal.edge.paths import (
    LOGIN_PATH,
    NEUTRAL_PATHS,
    NO_SEGMENT,
    PROFILE_PATH,
    PUBLIC_PATHS,
    UNGATED_PATHS,
    home_path,
    split_locale,
)
from portal.edge.redirect_targets import accept_target, with_locale
from portal.edge.request_context import EdgeUser, RequestContext, is_htmx, is_navigation
from portal.edge.responses import PROBLEM_CONTENT_TYPE, problem_document, response_of
from portal.edge.rules import RULES, login_url_from, match_path
from portal.edge.site import RouteTable, Site
