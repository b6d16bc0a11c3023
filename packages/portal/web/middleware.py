"""`ApiAccessMiddleware`: the outermost one. Cookies become tokens on the way in, tokens become cookies on the way out.

It adds `token_store`, `api_deadline`, `request_id` and `query_client` to each request. An error of :mod:`portal.errors`
that a view lets escape becomes its page. Every response gets the cookies and the security headers, also a redirect of
the edge. Times are written in the user's own zone while a request lasts.

The fields of every log line that is written during a request: the request's id, and the user's account tag; where
the process makes traces, the ids of the trace and of the span too.

`request_id` is the response's `X-Request-Id`. `user` is the account tag (:mod:`portal.web.frame`): a truncated hash
of the access token's subject, never a name, an address or a token. Without keys a token is decoded and not verified,
so that its subject may be forged: the tag tells lines apart, and proves nothing.

A thread that works for a request needs both: it runs in `contextvars.copy_context()`.
"""

import os
import re
import time
import weakref
from collections.abc import Callable
from functools import partial
from http import HTTPStatus
from typing import cast

from django.http import HttpRequest, HttpResponseBase
from django.utils import timezone
from django.utils.functional import SimpleLazyObject

from portal.api import NO_TOKENS, TokenStatus, TokenStore, api_session
from portal.config.cookies import REFUSED_PLATFORM, VAR_ACCESS_TOKEN, VAR_REFRESH_TOKEN, VAR_WAY_BACK
from portal.config.current import portal_config
from portal.config.locales import LOCALES
from portal.config.log_lines import SECRETS, log_context
from portal.errors import ConfigurationError, PortalError, UsageError, without_traceback
from portal.process import Deadline
from portal.query import QueryClient
from portal.telemetry.audit import AuditedRequest, audited_request, kept_address, kept_user_agent
from portal.telemetry.tracing import REQUEST_ID_ATTRIBUTE, is_on, request_span, trace_fields
from portal.web.cookies import (
    clear_sign_in,
    follow_new_tokens,
    follow_profile,
    follow_refusal,
    name_sign_in,
    read_tokens,
    refuse_sign_in_cookies,
    remove_duplicates,
    set_way_back,
    write_tokens,
)
from portal.web.errors import SignInEndedResponse, render_failure, sign_in_ended, way_back_of
from portal.web.frame import account_tag_of
from portal.web.metrics import count_request
from portal.web.preferences import activate_own_zone, remove_cookie
from portal.web.query_client import note_form, query_client_for
from portal.web.request import REQUEST_ID_RESPONSE_HEADER, SAFE_METHODS, PortalRequest, client_address
from portal.web.security_headers import SecurityHeaders


def log_fields(request: PortalRequest) -> dict[str, object]:
    """The fields of a request, and its tokens, which no line shows. Called for each line: most requests write none."""
    user, sent, now = account_tag_of(getattr(request, "edge_user", None)), request.COOKIES, request.token_store.current
    tokens = sent.get(VAR_ACCESS_TOKEN), sent.get(VAR_REFRESH_TOKEN), now.access, now.refresh
    return {"request_id": request.request_id, "user": user, **trace_fields(), SECRETS: tokens}


def audit_fields(request: PortalRequest) -> AuditedRequest:
    """What a line of the audit log tells of a request."""
    user = account_tag_of(getattr(request, "edge_user", None))
    return {
        "user": user,
        "user_verified": user is not None and portal_config().verification.enabled,
        "address": kept_address(client_address(request)),
        "user_agent": kept_user_agent(request.META.get("HTTP_USER_AGENT", "")),
        "request_id": request.request_id,
    }


REQUEST_ID_META = "HTTP_X_REQUEST_ID"
REQUEST_ID = re.compile(r"[A-Za-z0-9._\-]{1,128}", re.ASCII)
#: Requests of programs and of a page's parts have no trace. These are whole paths, or what they begin with.
UNTRACED = ("/static/", "/healthz", "/readyz", "/metrics")
#: Another method is whatever the caller likes (RFC 9110, section 9.1): no name of a span has it.
KNOWN_METHODS = frozenset({"GET", "HEAD", "POST", "PUT", "PATCH", "DELETE", "OPTIONS", "TRACE", "CONNECT"})
#: Mistakes in code or settings: no page helps.
MISTAKES = (UsageError, ConfigurationError)


def _make_client(request: PortalRequest) -> QueryClient:
    # From now on the request has the client itself: a lazy object is slow at each look at it.
    request.query_client = client = query_client_for(request)
    return client


class ApiAccessMiddleware:
    """See the module."""

    def __init__(self, get_response: Callable[[HttpRequest], HttpResponseBase]) -> None:
        self.get_response = get_response
        self.config = portal_config()
        self.security_headers = SecurityHeaders()

    def __call__(self, request: HttpRequest) -> HttpResponseBase:
        """One request."""
        request = cast("PortalRequest", request)
        request.began = time.perf_counter()
        tokens = TokenStore(read_tokens(request.COOKIES))
        if tokens.incoming == NO_TOKENS and request.COOKIES.get(VAR_ACCESS_TOKEN):
            # No sign-in has set this cookie. It is removed, as a dead access token is (contract, section 5).
            tokens.clear()
        request.token_store = tokens
        request.api_deadline = Deadline(self.config.request_budget_s)
        request.me_platforms = None
        # Made when a view uses it. A redirect of the edge needs none. The reference is weak: a request that refers to
        # itself stays until the next garbage collection.
        request.query_client = cast("QueryClient", SimpleLazyObject(partial(_make_client, weakref.proxy(request))))
        request.request_id = request_id = read_request_id(request.META.get(REQUEST_ID_META))
        # Django's technical page shows the id from here.
        request.META[REQUEST_ID_META] = request_id
        # Kept after the response: Django logs a response when every middleware is done with it.
        log_context.set(partial(log_fields, request))
        audited_request.set(partial(audit_fields, request))
        has_zone = activate_own_zone(request.COOKIES)
        try:
            response = self._answer_traced(request) if is_on() else self._answer(request)
            count_request(request, response, seconds=time.perf_counter() - request.began)
            return response
        finally:
            if has_zone:
                timezone.deactivate()

    def _answer(self, request: PortalRequest) -> HttpResponseBase:
        return self._commit(request, self.get_response(request))

    def _answer_traced(self, request: PortalRequest) -> HttpResponseBase:
        path = request.path_info
        if path.startswith(UNTRACED):
            return self._answer(request)
        method = request.method if request.method in KNOWN_METHODS else "_OTHER"
        # Who is no trusted proxy does not choose what is traced.
        traceparent = request.META.get("HTTP_TRACEPARENT") if self.config.behind_proxy else None
        with request_span(method=method or "_OTHER", path=path, traceparent=traceparent) as span:
            span.set(REQUEST_ID_ATTRIBUTE, request.request_id)
            response = self._answer(request)
            span.set("http.response.status_code", response.status_code)
            route = _route_of(request)
            if route:
                span.set("http.route", route)
                span.rename(f"{method} {route}")
            if response.status_code >= HTTPStatus.INTERNAL_SERVER_ERROR:
                span.fail(str(response.status_code))
        return response

    def process_exception(self, request: HttpRequest, exception: Exception) -> HttpResponseBase | None:
        """The page of an error of :mod:`portal.errors`; any other error is Django's to report.

        Django reports a mistake in code or settings too: with its technical page in `DEBUG`, else with a traceback in
        the log.
        """
        if not isinstance(exception, PortalError) or isinstance(exception, MISTAKES):
            return None
        request = cast("PortalRequest", request)
        response = sign_in_ended(request) if request.token_store.ended else render_failure(request, exception)
        without_traceback(exception)
        return response

    def _commit(self, request: PortalRequest, response: HttpResponseBase) -> HttpResponseBase:
        tokens = request.token_store
        if response.cookies:
            refuse_sign_in_cookies(request, response)
        if tokens.ended and not isinstance(response, SignInEndedResponse):
            # The view caught the error, or a thread beside the view met the end of the sign-in. What it holds ends.
            response.close()
            response = sign_in_ended(request)
        if tokens.cleared:
            if has_own_cookies(request):
                clear_sign_in(response)
            response["Cache-Control"] = "private, no-store"
        elif tokens.changed:
            self._set_new_tokens(request, response)
        else:
            follow_profile(request, response)
        self._tell_sign_in_page(request, response)
        remove_duplicates(request, response)
        refused = getattr(request, "edge_refused", None)
        if refused is not None or REFUSED_PLATFORM in request.COOKIES:
            follow_refusal(request, response, refused)
        note_form(request, response)
        self.security_headers.add(request, response)
        # The id was checked when it was read. Django would check it once more, which takes as long as a redirect.
        response.headers._store["x-request-id"] = (REQUEST_ID_RESPONSE_HEADER, request.request_id)  # noqa: SLF001  no public way past the check
        return response

    def _tell_sign_in_page(self, request: PortalRequest, response: HttpResponseBase) -> None:
        """Set the cookie with the way back where a sign-in ends; remove it with the next one, and with a sign-out."""
        tokens, is_page = request.token_store, response.status_code == HTTPStatus.OK
        # A page ends no sign-in.
        way_back = None if is_page else way_back_of(request, response)
        if way_back is not None:
            if tokens.known_since is None or VAR_WAY_BACK not in request.COOKIES:
                set_way_back(response, way_back)
        elif VAR_WAY_BACK in request.COOKIES and (
            tokens.status in {TokenStatus.SIGNED_IN, TokenStatus.CLEARED} or (tokens.current != NO_TOKENS and is_page)
        ):
            remove_cookie(response, VAR_WAY_BACK)

    def _set_new_tokens(self, request: PortalRequest, response: HttpResponseBase) -> None:
        tokens = request.token_store
        response["Cache-Control"] = "private, no-store"
        signed_in = tokens.status is TokenStatus.SIGNED_IN
        pair = tokens.current if signed_in else api_session().refresher.tokens_to_set(tokens)
        if pair is not None:
            write_tokens(response, pair)
            follow_new_tokens(request, response, pair)
            name_sign_in(request, response, pair, is_new=signed_in)


def has_own_cookies(request: PortalRequest) -> bool:
    """Whether the browser's cookies are still those of this request, whose sign-in has ended (contract, section 8).

    Whoever finds an end out, or signs out, has the cookies removed. A response that comes later may meet those of a
    newer sign-in: its request was on its way when the sign-in ended, or left long before it arrived, as an upload does.
    It removes none. It leads to `/` and sets the way back, which a sign-in removes: a request that brings the way back,
    and still these tokens, left after that.
    """
    since = request.token_store.known_since
    if since is None:
        return True
    arrived_at = time.time() - (time.perf_counter() - request.began)
    return request.method in SAFE_METHODS and (since <= arrived_at or VAR_WAY_BACK in request.COOKIES)


def _route_of(request: PortalRequest) -> str:
    """The pattern of the address, the same in all languages: `/<locale>/energy/clients/<row_id>`; empty for none."""
    route: str = getattr(request.resolver_match, "route", "")
    first, slash, rest = route.partition("/")
    return f"/<locale>/{rest}" if slash and first in LOCALES else f"/{route}" if route else ""


def read_request_id(sent: str | None) -> str:
    """The id that the caller sent, so that its log lines and ours name one request; else a new one."""
    return sent if sent and REQUEST_ID.fullmatch(sent) else os.urandom(16).hex()
