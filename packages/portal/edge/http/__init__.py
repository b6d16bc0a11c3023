"""HTTP at the edge: the host check, and the edge's own responses.

::

    allowed_hosts        checks `Host` against ALLOWED_HOSTS, cached
    responses            the response of a Redirect, Reject or Options
    rejection_page       the URLs of a request that is rejected with a page; the middleware names it as `urlconf`
"""

from portal.edge.http.allowed_hosts import AllowedHosts
from portal.edge.http.responses import PROBLEM_CONTENT_TYPE, EdgeResponses, problem_document
