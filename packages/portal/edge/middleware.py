"""`ProxyMiddleware`: from Django's request to facts, from a decision to a response, and nothing between."""

from __future__ import annotations

import logging
import time
from importlib import import_module
from typing import TYPE_CHECKING, Protocol, cast

from django.conf import settings
from django.http import HttpRequest
from django.utils import translation

from portal.config.cookies import VAR_PERMITTED_PLATFORMS
from portal.config.current import portal_config
from portal.edge.decisions import Forward, Reject
from portal.edge.http.allowed_hosts import KnownHosts
from portal.edge.http.responses import Answers
from portal.edge.http.security_headers import security_headers
from portal.edge.reading import IncomingTokens, read_facts
from portal.edge.routes.site import make_site
from portal.edge.rules import decide, forwarded
from portal.identity.token_cache import INVALID, TokenCache
from portal.identity.verification import make_verifier

if TYPE_CHECKING:
    from collections.abc import Callable

    from django.http import HttpResponseBase

    from portal.edge.request_context import EdgeUser
    from portal.edge.routes.route_table import RouteTable
    from portal.edge.routes.site import Site

logger = logging.getLogger(__name__)

PATHNAME_META = "HTTP_X_PATHNAME"
DEBUG_HEADER = "X-Edge-Rule"
#: Probes and scrapers name a machine by its address, and build nothing on the host that they named.
PROBED_PATHS = frozenset({"/healthz", "/readyz", "/metrics"})
REFUSAL_URLCONF = "portal.edge.http.refusal_page"
#: Before the table: a request for a host that is not ours has no place in it.
UNKNOWN_HOST = Reject("0-unknown-host", 400)


class SignInCookies(Protocol):
    """What the edge uses of the request's token store."""

    @property
    def incoming(self) -> IncomingTokens:
        """The tokens of the request's cookies."""

    def reject_access(self) -> None:
        """Let the access token count as absent."""

    def clear(self) -> None:
        """Mark the sign-in as over: its cookies are cleared with the response."""


class EdgeRequest(HttpRequest):
    """The request with what the edge finds on it, and what it leaves on it."""

    request_id: str
    token_store: SignInCookies
    edge_user: EdgeUser
    edge_site: Site
    edge_refusal: int
    LANGUAGE_CODE: str


def load_routes(app: str) -> RouteTable:
    """The route table in `apps/<app>/proxy.py`."""
    return cast("RouteTable", import_module(f"apps.{app}.proxy").ROUTES)


class ProxyMiddleware:
    """Gates every request of an application; stands right inside `ApiAccessMiddleware`.

    Its own answers pass no other middleware, so they carry the security headers themselves, and cost little.
    """

    def __init__(self, get_response: Callable[[HttpRequest], HttpResponseBase]) -> None:
        config = portal_config()
        self.get_response = get_response
        self.site = make_site(
            project=config.project,
            origins=config.origins,
            routes=load_routes(config.project.app),
            debug=config.debug,
        )
        self.known = TokenCache(verifier=make_verifier(config.verification), mapping=config.oidc.mapping)
        self.hosts = KnownHosts()
        self.answers = Answers(security_headers(https=False))
        self.answers_over_https = Answers(security_headers(https=True))
        self.pins_https = settings.SECURE_HSTS_SECONDS > 0
        if not (config.verification.enabled or config.debug):
            logger.warning(
                "access tokens are decoded and not verified: set APP_JWT_KEY or APP_JWT_JWKS_URL to verify them"
            )

    def __call__(self, request: HttpRequest) -> HttpResponseBase:
        """One request."""
        request = cast("EdgeRequest", request)
        if request.path_info not in PROBED_PATHS and not self.hosts.accepts(request):
            return self.answers.answer(UNKNOWN_HOST, request_id=request.request_id)
        store = request.token_store
        tokens, now = store.incoming, time.time()
        access = self.known.read(tokens.access, now=now)
        if access is INVALID:
            store.reject_access()
        decision = forwarded(
            self.site,
            request.path_info,
            request.method or "GET",
            access,
            bool(tokens.refresh),
            request.COOKIES.get(VAR_PERMITTED_PLATFORMS),
        )
        if decision is None:
            decision = decide(read_facts(request, tokens=tokens, site=self.site, known=self.known, now=now))
        if decision.ends_sign_in:
            store.clear()
        if isinstance(decision, Forward):
            response = self._forward(request, decision.who, decision.pathname)
        elif isinstance(decision, Reject) and decision.who is not None and decision.pathname is not None:
            request.edge_refusal = decision.status
            request.urlconf = REFUSAL_URLCONF
            response = self._forward(request, decision.who, decision.pathname)
        else:
            if isinstance(decision, Reject) and decision.who is not None:
                # The line that Django writes about it names who asked.
                request.edge_user = decision.who
            secure = self.pins_https and request.is_secure()
            answers = self.answers_over_https if secure else self.answers
            response = answers.answer(decision, request_id=request.request_id)
        if self.site.debug:
            response.headers[DEBUG_HEADER] = decision.rule
        return response

    def _forward(self, request: EdgeRequest, who: EdgeUser, pathname: str | None) -> HttpResponseBase:
        if pathname is None:
            request.META.pop(PATHNAME_META, None)
        else:
            request.META[PATHNAME_META] = pathname
        # Django reads META once for this property; whatever asked before us saw the caller's own header.
        request.__dict__.pop("headers", None)
        request.edge_user = who
        request.edge_site = self.site
        request.LANGUAGE_CODE = who.locale
        # Like Django's own LocaleMiddleware, this leaves the language active: what is rendered on the way out,
        # further outside, is for the same visitor. The next request activates its own.
        translation.activate(who.locale)
        response = self.get_response(request)
        if who.signed_in and pathname is not None:
            response.headers.setdefault("Cache-Control", "private, no-store")
        return response
