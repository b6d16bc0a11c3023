"""`ApiSession`, a session of `requests`: every call to the backend goes through here (requirements, "Authentication").

It sets the bearer from the request's tokens, refreshes silently on 401, sends the original request once more,
and turns what comes back into data or into one of the errors of :mod:`portal.errors`. Retries after other
failures are the query layer's.
"""

import logging
import time
from collections.abc import Callable
from functools import partial
from typing import Final
from urllib.parse import quote, unquote, urlencode

from fork_safety import ForkSafeLock, reset_after_fork
from portal.api.backend import QueryParams, backend_of, current_backend, encode_body, honours_idempotency_key
from portal.api.call_log import Attempt
from portal.api.connections import renew_connections
from portal.api.provider import IdentityProvider, identity_provider
from portal.api.refresh import BackendTokenEndpoint, TokenEndpoint, TokenRefresher
from portal.api.responses import ApiResponse, read_response
from portal.api.tokens import TokenPair, TokenStore
from portal.api.transport import ONE_TRY, Transport
from portal.config.current import portal_config
from portal.config.limits import FRESH_REFUSED_WAIT_S, PROFILE_BUDGET_S, REQUEST_BUDGET_S
from portal.config.portal_config import PortalConfig
from portal.errors import ApiClientError, ApiError, ApiUnauthorizedError, SignInEndedError, UsageError
from portal.process import Deadline
from portal.store import refresh_store

logger = logging.getLogger(__name__)


#: Characters that a path may hold as they are; others are percent-encoded, and `%` is one that was.
_PATH_SAFE: Final = "/%:@!$&'()*+,;=~"


class ApiSession(Transport):
    """Calls to one backend. Safe for threads; one for each process (:func:`api_session`).

    :ivar refresher: set before the first call. It calls the backend through this session.
    :ivar provider: signs users in instead of the backend; None if the backend does.
    :ivar honours_idempotency_key: whether the backend does a write with a known `Idempotency-Key` only once.
    """

    refresher: TokenRefresher
    provider: IdentityProvider | None = None
    honours_idempotency_key: bool = False
    _sleep: Callable[[float], None] = staticmethod(time.sleep)

    def call(
        self,
        *,
        tokens: TokenStore,
        method: str,
        path: str,
        params: QueryParams | None = None,
        json: object = None,
        idempotency_key: str | None = None,
        if_match: int | str | None = None,
        deadline: Deadline | None = None,
        request_id: str | None = None,
        user_agent: str | None = None,
        client_address: str | None = None,
        bearer: str | None = None,
        attempt: Attempt = ONE_TRY,
        endpoint: str = "",
    ) -> ApiResponse:
        """Call the backend once, or twice if the first answer is 401 and a refresh helps.

        :param path: starts with a slash; path parameters are percent-encoded already.
        :param params: the query; parameters that are None are left out, those with several values are repeated.
        :param json: the body; a `FormBody` is sent as a form; None for none.
        :param if_match: the version of the row that a write changes; where it is another by now, the answer is 412.
        :param user_agent: the browser's own, by which the backend tells its user's sign-ins apart; free of characters
            that a header can't contain.
        :param client_address: the browser's IP address.
        :param bearer: use this access token in place of `tokens`, without a refresh.
        :param deadline: the request's time budget; 10 s by default.
        :param attempt: the number of the caller's try, for the log.
        :param endpoint: the name of what is called, for `/metrics`.
        :raises SignInEndedError: the backend rejected the refresh; `tokens` is cleared.
        :raises ApiUnauthorizedError: 401 that no refresh can help, and that GET `/me` answers too.
        :raises ApiError: any other failure.
        :raises UsageError: a path that could leave the backend's base address.
        """
        deadline, backend = deadline or Deadline(REQUEST_BUDGET_S), current_backend()
        # A form brings it back: what no tag can contain is encoded, and matches nothing (RFC 9110, section 8.8.3).
        tag = None if if_match is None else f'"{quote(str(if_match), safe="", errors="replace")}"'
        known = {
            "User-Agent": user_agent,
            backend.idempotency_header: idempotency_key,
            backend.if_match_header: tag,
            backend.request_id_header: request_id,
            backend.client_address_header: client_address,
        }
        headers = {name: value for name, value in known.items() if name and value}
        send = partial(
            self.exchange,
            method=method,
            target=build_target(path, params),
            headers=headers,
            body=_body(json, headers),
            deadline=deadline,
            attempt=attempt,
            endpoint=endpoint,
        )
        if bearer is not None or path in backend.open_paths:
            return read_response(send(bearer=bearer))
        if tokens.ended:
            raise SignInEndedError("this sign-in has ended")
        refreshed = self.refresher.ensure_fresh(tokens, deadline=deadline, request_id=request_id)
        access = tokens.current.access
        settle = partial(self._settle_401, tokens, f"{method} {path}", deadline, request_id)
        try:
            return read_response(send(bearer=access))
        except ApiUnauthorizedError as error:
            is_newest, is_accepted = tokens.current.access == access, tokens.accepted == access
            # The server that rejects the token may be a moment behind the server that issued it.
            may_lag = is_newest and tokens.just_issued
            if is_accepted or (not may_lag and (refreshed is not None or tokens.current.refresh is None)):
                raise settle(error) from None
        if may_lag:
            self._sleep(min(FRESH_REFUSED_WAIT_S, deadline.remaining()))
        elif is_newest:
            self.refresher.refresh(tokens, deadline=deadline, request_id=request_id, rejected_access=access)
        try:
            return read_response(send(bearer=tokens.current.access))
        except ApiUnauthorizedError as error:
            raise settle(error) from None

    def _settle_401(
        self, tokens: TokenStore, call: str, deadline: Deadline, request_id: str | None, error: ApiUnauthorizedError
    ) -> ApiError:
        """Return the error of a call whose newest token is refused: the call's own, unless GET `/me` refuses it too.

        Only `/me` ends a sign-in: another call may answer 401 for reasons of its own (contract, section 5).
        """
        me_path = current_backend().me_path
        ask = partial(self.call, tokens=tokens, method="GET", path=me_path, request_id=request_id)
        with tokens.asking:
            access = tokens.current.access
            is_refused = access is None or call == f"GET {me_path}"
            if not is_refused and access != tokens.accepted:
                try:
                    ask(bearer=access, deadline=deadline.part(seconds=PROFILE_BUDGET_S), endpoint="user.get_me")
                except ApiUnauthorizedError:
                    is_refused = True
                except ApiError:
                    pass  # no verdict on the token
            if is_refused:
                self.refresher.handle_401_after_refresh(tokens)
                return error
            tokens.accepted = access
        logger.warning("call refused: %s answers 401 to a token that GET /me does not refuse", call)
        refused = ApiClientError(error.detail, status=error.status)
        if tokens.current.refresh is None:
            # No other token was tried: only a new sign-in gives one.
            refused.page_status = ApiUnauthorizedError.page_status
        return refused

    def ended_at_provider(self, pair: TokenPair, *, request_id: str | None = None) -> bool:
        """Whether the identity provider, or an operator, has ended the sign-in of these tokens.

        If so, it is signed out here as well, and the provider is told that its refresh token is not needed any more.
        """
        if self.provider is None or not self.provider.has_ended(pair):
            return False
        # Made-up tokens have no record of a sign-in at the provider.
        self.refresher.sign_out(TokenStore(pair), verified=True, request_id=request_id)
        return True


def build_target(path: str, params: QueryParams | None = None) -> str:
    """Path and query as they are sent below the base address.

    :raises UsageError: the path is absolute in any sense, or has `.` or `..` segments, encoded or not.
    """
    segments = path.split("/")
    if (
        not path.startswith("/")
        or path.startswith("//")
        or any(unquote(segment) in {".", ".."} for segment in segments)
        or any(character in path for character in "\\?#")
        or not path.isprintable()
    ):
        raise UsageError(f"{path!r} is no path below the backend's address: it should look like '/me'")
    target = quote(path, safe=_PATH_SAFE)
    query = urlencode({name: value for name, value in (params or {}).items() if value is not None}, doseq=True)
    return f"{target}?{query}" if query else target


def api_session() -> ApiSession:
    """The session of this process, made from the configuration in force."""
    return _process.session(portal_config())


def _body(json: object, headers: dict[str, str]) -> bytes | None:
    """The body, whose type is added to `headers`."""
    if json is None:
        return None
    try:
        content, headers["Content-Type"] = encode_body(json)
    except (TypeError, ValueError) as error:
        raise UsageError(f"the body can't be written as JSON: {error}") from error
    return content


class _ProcessSession:
    """The session of this process; another one with another configuration (tests)."""

    def __init__(self) -> None:
        self._lock = ForkSafeLock()
        self._made: tuple[PortalConfig, ApiSession] | None = None
        reset_after_fork(self, _ProcessSession._renew_connections)

    def session(self, config: PortalConfig) -> ApiSession:
        made = self._made
        if made is not None and made[0] is config:
            return made[1]
        with self._lock:
            if self._made is None or self._made[0] is not config:
                self._made = config, make_session(config)
            return self._made[1]

    def _renew_connections(self) -> None:
        # The parent goes on using its own.
        if self._made is not None:
            renew_connections(self._made[1])


_process = _ProcessSession()


def make_session(config: PortalConfig) -> ApiSession:
    """A session for this configuration."""
    session = ApiSession(
        base_url=config.api_base_url,
        connect_timeout_s=config.connect_timeout_s,
        read_timeout_s=config.read_timeout_s,
        ca_file=config.api_ca_file,
    )
    session.provider = provider = identity_provider()
    session.honours_idempotency_key = honours_idempotency_key(config)
    token_endpoint: TokenEndpoint = (
        provider.make_token_endpoint()
        if provider
        else BackendTokenEndpoint(
            session, repeatable_s=backend_of(config).idempotency_window_s if session.honours_idempotency_key else 0.0
        )
    )
    session.refresher = TokenRefresher(
        token_endpoint=token_endpoint, store=refresh_store(), max_age_s=config.sign_in_max_age_s
    )
    return session
