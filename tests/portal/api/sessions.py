"""Sessions to one backend, what was sent to it, and single exchanges."""

from portal.api import Backend
from portal.api.refresh.refresher import TokenRefresher
from portal.api.refresh.token_endpoint import BackendTokenEndpoint
from portal.api.responses import RawResponse
from portal.api.session import ApiSession
from portal.api.tokens import TokenPair
from portal.api.transport import Transport
from portal.process.deadline import Deadline
from portal.store import SharedStore
from tests.support.caches import close_connections
from tests.support.counts import RefreshCounts
from tests.support.refresh_world import MAX_AGE_S, jwt

BASE = "http://backend.test/base"
FRESH, RENEWED = jwt(n=1), jwt(n=2)
PAIR = TokenPair(access=FRESH, refresh="first")
NEW = {"accessToken": RENEWED, "refreshToken": "second"}


def make_session(base: str = BASE) -> ApiSession:
    session = ApiSession(base_url=base, connect_timeout_s=1, read_timeout_s=5)
    session.refresher = TokenRefresher(
        token_endpoint=BackendTokenEndpoint(session, repeatable_s=Backend.idempotency_window_s),
        store=SharedStore(alias="refresh"),
        max_age_s=MAX_AGE_S,
    )
    session.refresher._counters = RefreshCounts()
    return session


def settle(session: ApiSession) -> None:
    """Wait until no refresh of this session is in flight any more, and close the connections of its store."""
    for shared_call in session.refresher._single_flight.in_threads():
        assert shared_call.wait_until_finished(timeout_s=30)
    close_connections(session.refresher._records._store._backend)


def bearers(backend) -> list[str | None]:
    return [call.request.headers.get("Authorization") for call in backend.calls]


def send(transport: Transport, *, token: str | None = "t", seconds: float = 10, **options) -> RawResponse:
    request = {"method": "GET", "target": "/me", "deadline": Deadline(seconds)}
    return transport.exchange(bearer=token, **{**request, **options})
