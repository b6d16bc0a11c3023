"""`ApiAccessMiddleware`: the outermost one. Cookies become tokens on the way in, tokens become cookies on the way out.

It adds to each request `token_store`, `api_deadline`, `request_id` and `query_client` (made when first used),
turns an error of the tree that a view lets escape into its page, and commits the tokens on every class of
response, the edge's own redirects included.
"""

from __future__ import annotations

import logging
import os
import re
from functools import partial
from typing import TYPE_CHECKING, cast

from django.http import HttpResponse
from django.utils.functional import SimpleLazyObject

from portal.api.jwks import jwks_keys
from portal.api.key_agreement import warn_of_other_keys
from portal.api.session import api_session
from portal.api.tokens import NO_TOKENS, TokenStatus, TokenStore
from portal.config.cookies import VAR_ACCESS_TOKEN, VAR_PERMITTED_PLATFORMS
from portal.config.current import portal_config
from portal.config.limits import REQUEST_BUDGET_S
from portal.config.log_lines import log_context
from portal.edge import security_headers
from portal.errors import ConfigurationError, PortalError, UsageError
from portal.identity import parse_platforms_cookie, use_key_source
from portal.process.deadline import Deadline
from portal.query.client import create_query_client
from portal.store import refresh_store
from portal.web.cookies.platforms_cookie import withdraw_platforms
from portal.web.cookies.token_cookies import clear_sign_in, read_tokens, remove_cookie, remove_duplicates, write_tokens
from portal.web.errors.failure_pages import render_failure
from portal.web.errors.problems import problem
from portal.web.errors.redirects import RENEWAL_LOST, login_url
from portal.web.log_context import log_fields
from portal.web.reload import note_form, user_reloads
from portal.web.request import REQUEST_ID_RESPONSE_HEADER, is_page_navigation
from portal.web.sign_in.post_login import platforms_after_login

if TYPE_CHECKING:
    from collections.abc import Callable

    from django.http import HttpRequest
    from django.http.response import HttpResponseBase

    from portal.query.client import QueryClient
    from portal.web.request import PortalRequest

logger = logging.getLogger(__name__)

REQUEST_ID_META = "HTTP_X_REQUEST_ID"
REQUEST_ID = re.compile(r"[A-Za-z0-9._\-]{1,128}", re.ASCII)
#: A header takes printable ASCII; a browser that sends more is named by the rest.
UNSENDABLE = re.compile(r"[^\x20-\x7e]+")
USER_AGENT_MAX_CHARS = 400
SAFE_METHODS = frozenset({"GET", "HEAD", "OPTIONS"})
#: Errors of the tree that are no outcome of a call: nobody but who wrote the code or the settings can mend them.
MISTAKES = (UsageError, ConfigurationError)
#: Where a refused sign-in leads (contract, section 8); from there the edge sends on to the sign-in page.
ENDED_PATH = "/"
#: How long the start waits for the keys of a JWKS address, seconds; it goes on without them.
KEYS_WAIT_S = 2.0


class ApiAccessMiddleware:
    """See the module."""

    def __init__(self, get_response: Callable[[HttpRequest], HttpResponseBase]) -> None:
        self.get_response = get_response
        self.config = config = portal_config()
        # What replaces a response here has passed no other middleware.
        self.security = {https: security_headers(https=https) for https in (False, True)}
        warn_of_other_keys(config, store=refresh_store())
        if config.verification.jwks_url:
            keys = jwks_keys(config)
            use_key_source(keys)
            # Without keys every token would count as absent: the first requests would be sent to the login.
            keys.wait_until_fetched(timeout_s=KEYS_WAIT_S)

    def __call__(self, request: HttpRequest) -> HttpResponseBase:
        """One request."""
        request = cast("PortalRequest", request)
        tokens = TokenStore(read_tokens(request.COOKIES))
        if tokens.incoming == NO_TOKENS and request.COOKIES.get(VAR_ACCESS_TOKEN):
            # What stands in the cookie is none that a sign-in set: it goes, as a dead one does (contract, section 5).
            tokens.clear()
        deadline = Deadline(REQUEST_BUDGET_S)
        request.token_store = tokens
        request.api_deadline = deadline
        request.request_id = request_id = read_request_id(request.META.get(REQUEST_ID_META))
        # Whoever looks for it there, Django's technical page above all, finds the one that counts.
        request.META[REQUEST_ID_META] = request_id
        request.query_client = cast(
            "QueryClient",
            SimpleLazyObject(
                lambda: create_query_client(
                    tokens=tokens,
                    api=api_session(),
                    deadline=deadline,
                    request_id=request_id,
                    user_agent=read_user_agent(request.META.get("HTTP_USER_AGENT")),
                    reload=user_reloads(request),
                )
            ),
        )
        # Outlives the middleware: Django writes its line about a response when every middleware is done with it.
        log_context.set(partial(log_fields, request))
        return self._commit(request, self.get_response(request))

    def process_exception(self, request: HttpRequest, exception: Exception) -> HttpResponseBase | None:
        """An error of the tree that a view let escape has a page; anything else is Django's to report.

        So is what a team or an operator must mend: the technical page in `DEBUG`, a traceback in the log otherwise.
        """
        if not isinstance(exception, PortalError) or isinstance(exception, MISTAKES):
            return None
        request = cast("PortalRequest", request)
        if request.token_store.ended:
            return HttpResponse(status=204)  # replaced on the way out
        return render_failure(request, exception)

    def _commit(self, request: PortalRequest, response: HttpResponseBase) -> HttpResponseBase:
        tokens = request.token_store
        if tokens.ended:
            logger.info("this sign-in has ended: sent to %s", "the sign-in page" if tokens.lost else ENDED_PATH)
            response = sign_in_ended(request, lost=tokens.lost)
            for name, value in self.security[request.is_secure()].items():
                response.headers[name] = value
        if tokens.cleared:
            clear_sign_in(response, config=self.config)
            response["Cache-Control"] = "private, no-store"
        elif tokens.changed:
            self._deliver(request, response)
        else:
            withdraw_platforms(request, response)
        remove_duplicates(request, response, config=self.config)
        note_form(request, response)
        # The id was checked when it was read; Django would check it once more, for the cost of a redirect's decision.
        response.headers._store["x-request-id"] = (REQUEST_ID_RESPONSE_HEADER, request.request_id)  # noqa: SLF001  no public way past the check
        return response

    def _deliver(self, request: PortalRequest, response: HttpResponseBase) -> None:
        tokens = request.token_store
        signed_in = tokens.fate is TokenStatus.SIGNED_IN
        pair = tokens.current if signed_in else api_session().refresher.deliverable(tokens)
        response["Cache-Control"] = "private, no-store"
        if pair is None:
            # Nor the platforms, which live as long as the tokens.
            response.cookies.pop(VAR_PERMITTED_PLATFORMS, None)
            return
        brought = request.COOKIES.get(VAR_PERMITTED_PLATFORMS)
        if signed_in:
            platforms = platforms_after_login(request)
            if platforms is None and brought is not None:
                # A sign-in may be another user's, and `/me` has not said what this one may open.
                remove_cookie(response, VAR_PERMITTED_PLATFORMS, config=self.config)
        else:
            platforms = None if brought is None else parse_platforms_cookie(brought)
        write_tokens(response, pair, config=self.config, platforms=platforms)


def read_request_id(sent: str | None) -> str:
    """The caller's id for this request, so that logs can be held against each other; a new one if it sent none."""
    return sent if sent and REQUEST_ID.fullmatch(sent) else os.urandom(16).hex()


def read_user_agent(sent: str | None) -> str | None:
    """The browser's name for itself, as far as it may stand in a header of ours; None where nothing is left."""
    return "".join(UNSENDABLE.split(sent or ""))[:USER_AGENT_MAX_CHARS].strip() or None


def sign_in_ended(request: PortalRequest, *, lost: bool = False) -> HttpResponse:
    """The sign-in can't go on: a redirect; for htmx and fetch 401 with `HX-Redirect` (contract, section 8).

    :param lost: nobody refused it, but its newest token may not be presented again. Then to the sign-in page, which
        says so and leads back; else to `/`.
    """
    target = login_url(request, reason=RENEWAL_LOST) if lost else ENDED_PATH
    if is_page_navigation(request):
        status = 302 if request.method in SAFE_METHODS else 303
        return HttpResponse(status=status, headers={"Location": target})
    response = problem(request, status=401, title="This sign-in has ended")
    response["HX-Redirect"] = target
    return response
