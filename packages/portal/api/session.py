"""`ApiSession`: every call to the backend goes through here (requirements, "Authentication").

It sets the bearer from the request's tokens, refreshes silently on 401, sends the original request once more,
and turns what comes back into data or into one of the errors of :mod:`portal.errors`. Retries after other
failures are the query layer's.
"""

from __future__ import annotations

import io
import json as json_codec
import time
from dataclasses import dataclass, field
from enum import Enum
from typing import IO, TYPE_CHECKING, Any, Final
from urllib.parse import quote, unquote, urlencode

from fork_safety import ForkSafeLock, reset_after_fork
from portal.api.identity_provider import identity_provider
from portal.api.refresh.refresher import TokenRefresher
from portal.api.refresh.token_endpoint import BackendTokenEndpoint
from portal.api.responses import ApiResponse, read_answer
from portal.api.transport import ONE_TRY, BearerAuth, Transport
from portal.config.current import portal_config
from portal.config.limits import FRESH_REFUSED_WAIT_S, REQUEST_BUDGET_S
from portal.config.wire_names import IDEMPOTENCY_HEADER, PATHS_WITHOUT_BEARER, REQUEST_ID_HEADER
from portal.errors import ApiUnauthorizedError, SignInEndedError, UsageError
from portal.process import Deadline
from portal.store import refresh_store

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

    from portal.api.call_log import Attempt
    from portal.api.refresh.token_endpoint import TokenEndpoint
    from portal.api.tokens import TokenStore
    from portal.config.portal_config import PortalConfig


class Nothing(Enum):
    """No body; None is one (JSON null)."""

    NOTHING = "nothing"


NOTHING: Final = Nothing.NOTHING

#: Characters that a path may hold as they are; others are percent-encoded, and `%` is one that was.
_PATH_SAFE: Final = "/%:@!$&'()*+,;=~"


@dataclass(frozen=True, slots=True, kw_only=True)
class Upload:
    """A body that is not JSON.

    :param content: bytes, or a stream that is sent from where it stands.
    """

    content: bytes | IO[bytes] = field(repr=False)
    content_type: str


class ApiSession:
    """Calls to one backend. Safe for threads; one for each process (:func:`api_session`)."""

    def __init__(
        self, *, transport: Transport, refresher: TokenRefresher, sleep: Callable[[float], None] = time.sleep
    ) -> None:
        self.refresher = refresher
        self._transport = transport
        self._sleep = sleep

    def call(
        self,
        *,
        tokens: TokenStore,
        method: str,
        path: str,
        params: Mapping[str, str | int | None] | None = None,
        json: object = NOTHING,
        upload: Upload | None = None,
        idempotency_key: str | None = None,
        deadline: Deadline | None = None,
        request_id: str | None = None,
        user_agent: str | None = None,
        bearer: str | None = None,
        attempt: Attempt = ONE_TRY,
    ) -> ApiResponse:
        """Call the backend once, or twice where the first answer is 401 and a refresh helps.

        :param path: starts with a slash; path parameters are percent-encoded already.
        :param params: the query; members that are None are left out.
        :param json: the body; `NOTHING` for none.
        :param user_agent: the browser's own, so that the backend can tell its user's sign-ins apart; already
            free of what no header may contain.
        :param bearer: use this access token, whatever `tokens` holds; there is no refresh then.
        :param deadline: the request's time budget; 10 s where there is none.
        :param attempt: which of the caller's tries this is, for the log.
        :raises SignInEndedError: the backend refused the refresh; `tokens` is cleared.
        :raises ApiUnauthorizedError: 401 that no refresh can help.
        :raises ApiError: any other answer that is no success, or none.
        :raises UsageError: a path that could leave the backend's base address.
        """
        call = _Call(
            transport=self._transport,
            method=method,
            target=build_target(path, params),
            headers=_headers(idempotency_key=idempotency_key, request_id=request_id, user_agent=user_agent),
            body=_body(json, upload),
            deadline=deadline or Deadline(REQUEST_BUDGET_S),
            attempt=attempt,
        )
        if bearer is not None or path in PATHS_WITHOUT_BEARER:
            return call.send(bearer)
        if tokens.ended:
            raise SignInEndedError("this sign-in has ended")
        renewed = self.refresher.ensure_fresh(tokens, deadline=call.deadline, request_id=request_id)
        access = tokens.current.access
        try:
            return call.send(access)
        except ApiUnauthorizedError:
            if tokens.current.access == access and tokens.just_issued and call.rewind():
                # Who refuses may be a moment behind who issued it: this is the once more of a refresh before the call.
                self._sleep(min(FRESH_REFUSED_WAIT_S, call.deadline.remaining()))
                return self._once_more(call, tokens)
            if renewed is not None:
                self.refresher.judge_refusal(tokens)
                raise
            if tokens.current.refresh is None or not call.rewind():
                raise
        if tokens.current.access == access:
            self.refresher.renew(tokens, deadline=call.deadline, request_id=request_id, refused=access)
        return self._once_more(call, tokens)

    def close(self) -> None:
        """Close the kept connections."""
        self._transport.close()

    def _once_more(self, call: _Call, tokens: TokenStore) -> ApiResponse:
        """The original request with the newest tokens; a second 401 is passed through."""
        try:
            return call.send(tokens.current.access)
        except ApiUnauthorizedError:
            self.refresher.judge_refusal(tokens)
            raise


@dataclass(frozen=True, slots=True, kw_only=True)
class _Call:
    """One request, ready to be sent again with another bearer."""

    transport: Transport
    method: str
    target: str
    headers: Mapping[str, str]
    body: tuple[bytes | IO[bytes] | None, Mapping[str, str], int | None]
    deadline: Deadline
    attempt: Attempt

    def send(self, access: str | None) -> ApiResponse:
        content, headers, _ = self.body
        reply = self.transport.send(
            method=self.method,
            target=self.target,
            headers={**self.headers, **headers},
            body=content,
            auth=None if access is None else BearerAuth(access),
            deadline=self.deadline,
            attempt=self.attempt,
        )
        return read_answer(reply)

    def rewind(self) -> bool:
        """Whether the body can be sent again, whole; a stream is put back to where it stood."""
        content, _, start = self.body
        if content is None or isinstance(content, bytes):
            return True
        if start is None:
            return False
        content.seek(start)
        return True


def build_target(path: str, params: Mapping[str, str | int | None] | None = None) -> str:
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
    query = urlencode({name: value for name, value in (params or {}).items() if value is not None})
    return f"{target}?{query}" if query else target


def api_session() -> ApiSession:
    """The session of this process, made after the fork and from the configuration in force."""
    return _process.session(portal_config())


def _headers(*, idempotency_key: str | None, request_id: str | None, user_agent: str | None) -> dict[str, str]:
    headers = {
        "Accept": "application/json",
        "Accept-Encoding": "gzip, deflate",
        "User-Agent": user_agent or "portal",
    }
    if idempotency_key:
        headers[IDEMPOTENCY_HEADER] = idempotency_key
    if request_id:
        headers[REQUEST_ID_HEADER] = request_id
    return headers


def _body(json: object, upload: Upload | None) -> tuple[bytes | IO[bytes] | None, Mapping[str, str], int | None]:
    """The body, its headers, and for a stream that can be sent again, where it starts."""
    if json is not NOTHING and upload is not None:
        raise UsageError("a call has either a JSON body or an upload")
    if upload is None:
        if json is NOTHING:
            return None, {}, None
        upload = Upload(content=_json_bytes(json), content_type="application/json")
    content, headers = upload.content, {"Content-Type": upload.content_type}
    if isinstance(content, bytes):
        return content, {**headers, "Content-Length": str(len(content))}, None
    if not content.seekable():
        return content, headers, None
    start = content.tell()
    length = content.seek(0, io.SEEK_END) - start
    content.seek(start)
    return content, {**headers, "Content-Length": str(length)}, start


def _json_bytes(value: Any) -> bytes:
    try:
        return json_codec.dumps(value, separators=(",", ":"), allow_nan=False).encode()
    except (TypeError, ValueError) as error:
        raise UsageError(f"the body can't be written as JSON: {error}") from error


class _Process:
    """The session of this process; another one after a fork, or with another configuration (tests)."""

    def __init__(self) -> None:
        self._lock = ForkSafeLock()
        self._made: tuple[PortalConfig, ApiSession] | None = None
        reset_after_fork(self, _Process._forget)

    def session(self, config: PortalConfig) -> ApiSession:
        made = self._made
        if made is not None and made[0] is config:
            return made[1]
        with self._lock:
            if self._made is None or self._made[0] is not config:
                self._made = (config, make_session(config))
            return self._made[1]

    def _forget(self) -> None:
        # The parent's connections are left alone: the parent goes on using them.
        self._made = None


_process = _Process()


def make_session(config: PortalConfig) -> ApiSession:
    """A session for this configuration."""
    transport = Transport(
        base_url=config.api_base_url,
        connect_timeout_s=config.connect_timeout_s,
        read_timeout_s=config.read_timeout_s,
        ca_file=config.api_ca_file,
    )
    provider = identity_provider()
    exchange: TokenEndpoint = provider.make_token_endpoint() if provider else BackendTokenEndpoint(transport)
    refresher = TokenRefresher(exchange=exchange, store=refresh_store(), max_age_s=config.sign_in_max_age_s)
    return ApiSession(transport=transport, refresher=refresher)
