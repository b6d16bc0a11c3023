"""`ProxyMiddleware` turns Django's request into a `RequestContext`, and the decision on it into a response."""

import logging
import time
from collections.abc import Callable
from importlib import import_module
from typing import Final, Protocol, cast

from django.conf import settings
from django.core.exceptions import DisallowedHost
from django.http import HttpRequest, HttpResponseBase
from django.utils import translation

from portal.config.cookies import VAR_PERMITTED_PLATFORMS
from portal.config.current import portal_config
from portal.config.platforms import TPlatform
from portal.edge.decisions import Forward, Redirect, Reject
from portal.edge.request_context import EdgeUser, RequestContext
from portal.edge.responses import response_of
from portal.edge.rules import CACHED_CHARS, DECIDED_RULES, cached_forward, decide
from portal.edge.site import RouteTable, Site
from portal.identity import INVALID, make_token_cache
from portal.telemetry import tracing
from portal.telemetry.metrics import Counters, Gauges, Label

logger = logging.getLogger(__name__)
host_logger = logging.getLogger("portal.edge.http.allowed_hosts")

PATHNAME_META = "HTTP_X_PATHNAME"
DEBUG_HEADER = "X-Edge-Rule"
#: Probes and scrapers send a machine's address as the host, and these views build no address from it.
PROBED_PATHS = frozenset({"/healthz", "/readyz", "/metrics"})
REJECTION_URLCONF = "portal.edge.rejection_page"
#: Not in the table: the request is for a host that is not ours.
UNKNOWN_HOST = Reject("0-unknown-host", 400)

decision_counters = Counters(
    "portal_edge_decisions_total",
    "Requests, by the rule of the edge's table that decided.",
    labels=[
        Label(
            name="rule",
            says="its row in the contract, section 5, and a word for it",
            values=[UNKNOWN_HOST.rule, *DECIDED_RULES],
        )
    ],
)
in_progress = Gauges(
    "portal_http_requests_in_progress", "Requests that the edge has forwarded and that are not answered yet."
)


class IncomingTokens(Protocol):
    """The two tokens of a request's cookies. Where a cookie comes twice, the last one counts."""

    @property
    def access(self) -> str | None:
        """VAR_ACCESS_TOKEN"""

    @property
    def refresh(self) -> str | None:
        """VAR_REFRESH_TOKEN"""


class SignInCookies(Protocol):
    """The part of the request's token store that the edge uses."""

    @property
    def incoming(self) -> IncomingTokens:
        """The tokens in the request's cookies."""
        ...

    def drop_access(self) -> None:
        """Count the access token as absent."""

    def clear(self) -> None:
        """End the sign-in: the response clears its cookies."""


class EdgeRequest(HttpRequest):
    """The attributes of a request that the edge reads and sets."""

    request_id: str
    token_store: SignInCookies
    edge_user: EdgeUser
    edge_site: Site
    edge_rejection: int
    edge_refused: TPlatform | None
    LANGUAGE_CODE: str


def load_routes(app: str) -> RouteTable:
    """The route table in `apps/<app>/proxy.py`."""
    return cast("RouteTable", import_module(f"apps.{app}.proxy").ROUTES)


class _Current:
    """The function that gives the platforms of which the backend offers nothing."""

    source: Callable[[], frozenset[TPlatform]] | None = None


_current = _Current()


def use_absent_platforms(source: Callable[[], frozenset[TPlatform]] | None) -> None:
    """Set what gives the platforms of which nothing is offered, before the middleware is made; also by tests."""
    _current.source = source


#: Enough for the names of one app. With a wildcard in `ALLOWED_HOSTS` callers can invent more; those are not cached.
MAX_CACHED: Final = 64
#: A longer value is not cached.
MAX_CHARS: Final = 255


class AllowedHosts:
    """A bounded cache of the raw values that Django has accepted, one for each process."""

    def __init__(self) -> None:
        self._accepted: set[str] = set()
        # With this setting another header names the host.
        self._caches = not settings.USE_X_FORWARDED_HOST

    def accepts(self, request: HttpRequest) -> bool:
        """Return whether the request names a host in `ALLOWED_HOSTS`."""
        return request.META.get("HTTP_HOST") in self._accepted or self._validate(request)

    def _validate(self, request: HttpRequest) -> bool:
        try:
            request.get_host()
        except DisallowedHost as error:
            host_logger.warning("rejected: %s", str(error)[:MAX_CHARS])
            return False
        raw = request.META.get("HTTP_HOST")
        if self._caches and raw is not None and len(raw) <= MAX_CHARS and len(self._accepted) < MAX_CACHED:
            self._accepted.add(raw)
        return True


class ProxyMiddleware:
    """Gates every request of an application. In `MIDDLEWARE` it comes right after `ApiAccessMiddleware`.

    Its own responses pass no other middleware, and cost little.
    """

    def __init__(self, get_response: Callable[[HttpRequest], HttpResponseBase]) -> None:
        config = portal_config()
        self.get_response = get_response
        self.site = Site(
            project=config.project,
            origins=config.origins,
            routes=load_routes(config.project.app),
            debug=config.debug,
            absent=_current.source() if _current.source else frozenset(),
        )
        self.token_cache = make_token_cache(config)
        self.allowed_hosts = AllowedHosts()
        if not (config.verification.enabled or config.oidc.opaque_access_tokens or config.debug):
            logger.warning(
                "access tokens are decoded and not verified: set APP_JWT_KEY or APP_JWT_JWKS_URL to verify them"
            )

    def __call__(self, request: HttpRequest) -> HttpResponseBase:
        """Handle one request."""
        request = cast("EdgeRequest", request)
        if request.path_info not in PROBED_PATHS and not self.allowed_hosts.accepts(request):
            decision_counters.count(UNKNOWN_HOST.rule)
            return response_of(UNKNOWN_HOST, request_id=request.request_id)
        store = request.token_store
        tokens = store.incoming
        access = self.token_cache.check(tokens.access, now=time.time())
        if access is INVALID:
            store.drop_access()
        path, method, cookie = request.path_info, request.method or "GET", request.COOKIES.get(VAR_PERMITTED_PLATFORMS)
        is_short = len(path) <= CACHED_CHARS and len(cookie or "") <= CACHED_CHARS
        decision = cached_forward(self.site, path, method, access, bool(tokens.refresh), cookie) if is_short else None
        if decision is None:
            context = RequestContext(
                self.site, method, path, access, bool(tokens.refresh), request.META, request.COOKIES
            )
            decision = decide(context)
        decision_counters.count(decision.rule)
        tracing.note(tracing.EDGE_RULE, decision.rule)
        if decision.ends_sign_in:
            store.clear()
        if isinstance(decision, Forward):
            response = self._forward(request, decision.user, decision.pathname)
        elif isinstance(decision, Reject) and decision.user is not None and decision.pathname is not None:
            request.edge_rejection = decision.status
            request.urlconf = REJECTION_URLCONF
            response = self._forward(request, decision.user, decision.pathname)
        else:
            if isinstance(decision, Reject) and decision.user is not None:
                # For the log line that Django writes about this response.
                request.edge_user = decision.user
            if isinstance(decision, Redirect):
                request.edge_refused = decision.refused
            response = response_of(decision, request_id=request.request_id)
        if self.site.debug:
            response.headers[DEBUG_HEADER] = decision.rule
        return response

    def _forward(self, request: EdgeRequest, user: EdgeUser, pathname: str | None) -> HttpResponseBase:
        if pathname is None:
            request.META.pop(PATHNAME_META, None)
        else:
            request.META[PATHNAME_META] = pathname
        # Django caches this property; a middleware before this one has read the header that the client sent.
        request.__dict__.pop("headers", None)
        request.edge_user = user
        request.edge_site = self.site
        request.LANGUAGE_CODE = user.locale
        # Like Django's LocaleMiddleware, this leaves the language active: the middlewares outside may render a page for
        # the same visitor. The next request activates its own language.
        translation.activate(user.locale)
        in_progress.change(1)
        try:
            response = self.get_response(request)
        finally:
            in_progress.change(-1)
        if user.signed_in and pathname is not None:
            response.headers.setdefault("Cache-Control", "private, no-store")
        return response
