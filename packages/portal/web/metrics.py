"""What `/metrics` tells of requests."""

from typing import Final

from django.http import HttpRequest, HttpResponseBase

from portal.telemetry.metrics import OTHER, Counters, Label, Timings

_METHODS: Final = frozenset({"GET", "HEAD", "POST", "OPTIONS", "PUT", "PATCH", "DELETE"})
#: The page of a rule that refuses; a static file; an address that leads nowhere.
REFUSED: Final = "refused"
STATIC: Final = "static"
UNKNOWN: Final = "unknown"

_ROUTE: Final = Label(
    name="route",
    says="the page's name in the app's URLs, such as `clients`; `refused`: the page of a rule of the edge that refuses"
    " · `static`: a static file · `unknown`: no such page",
)
#: Pages times methods times statuses: far more than an app has, and few enough for its file.
_MAX_COUNTERS: Final = 600
request_counters: Final = Counters(
    "portal_http_requests_total",
    "Requests that the edge forwarded, by page, method and status.",
    labels=[
        _ROUTE,
        Label(name="method", says="the method in capitals; `other` for methods that no page has"),
        Label(name="status", says="the status of the response"),
    ],
    limit=_MAX_COUNTERS,
)
request_timings: Final = Timings(
    "portal_http_request_duration_seconds",
    "Time of a request that the edge forwarded, until its response or the head of a streamed one was made.",
    labels=[_ROUTE],
)


def count_request(request: HttpRequest, response: HttpResponseBase, *, seconds: float) -> None:
    """Count a request that has its response."""
    if not hasattr(request, "edge_site"):
        return
    route = route_of(request)
    method = request.method if request.method in _METHODS else OTHER
    request_counters.count(route, method or OTHER, response.status_code)
    request_timings.observe(seconds, route)


def route_of(request: HttpRequest) -> str:
    """The name of the page."""
    if hasattr(request, "edge_rejection"):
        return REFUSED
    match = request.resolver_match
    if match is None:
        return STATIC
    # A page of ours has a name; the pattern that takes every other address has none.
    return match.url_name or UNKNOWN
