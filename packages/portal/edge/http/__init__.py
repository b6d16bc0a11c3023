"""HTTP at the edge: the headers that decide, and the edge's own responses.

::

    allowed_hosts        checks `Host` against ALLOWED_HOSTS, cached
    request_kind         page navigation, htmx, or another program
    locale_negotiation   the language, from the cookie or `Accept-Language`
    responses            the response of a Redirect, Reject or Options; the problem document
    security_headers     the headers that these responses share with the pages
    rejection_page       the URLs of a request that is rejected with a page
"""

from portal.edge.http.allowed_hosts import AllowedHosts
from portal.edge.http.request_kind import is_htmx, is_navigation, navigation_headers
from portal.edge.http.responses import PROBLEM_CONTENT_TYPE, EdgeResponses, problem_document
from portal.edge.http.security_headers import security_headers

__all__ = [
    "PROBLEM_CONTENT_TYPE",
    "AllowedHosts",
    "EdgeResponses",
    "is_htmx",
    "is_navigation",
    "navigation_headers",
    "problem_document",
    "security_headers",
]
