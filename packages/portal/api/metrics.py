"""What `/metrics` counts and measures of refreshes and of calls."""

from enum import Enum
from typing import Final

from portal.telemetry.metrics import Counters, Gauges, Label, Timings


class RefreshOutcome(Enum):
    """How a need for fresh tokens ended."""

    #: This process asked the token endpoint, which issued new tokens.
    REFRESHED = "refreshed"
    #: A refresh was in flight, here or in another process; its tokens were waited for.
    JOINED = "joined"
    #: The token had been refreshed before; its record led to the new tokens at once.
    FROM_RECORD = "from record"
    #: The backend rejected the refresh token, now or a moment ago.
    REJECTED = "rejected"
    #: The token belongs to a sign-in that was signed out.
    SIGNED_OUT = "signed out"
    #: The backend gave no usable answer, now or a moment ago.
    UNREACHABLE = "unreachable"
    #: The answer to a refresh was lost; its token is not submitted again.
    LOST = "lost"
    #: A refresh was in flight for longer than a request waits.
    BUSY = "busy"
    #: The shared store could not be used: the backend was not asked.
    STORE_DOWN = "store down"
    #: A token was submitted that was replaced over a minute ago; the backend was not asked.
    REPLAY_SEEN = "replay seen"


class CallOutcome(Enum):
    """How a call over HTTP ended."""

    OK = "2xx"
    REDIRECT = "3xx"
    CLIENT_ERROR = "4xx"
    SERVER_ERROR = "5xx"
    #: A time limit passed.
    TIMEOUT = "timeout"
    #: No connection, or it broke.
    UNREACHABLE = "unreachable"
    #: The response is too large, or a success is not JSON.
    MALFORMED = "malformed"
    #: Not sent, or not waited for, because the circuit is open.
    CIRCUIT_OPEN = "circuit open"


_TO: Final = Label(name="to", says="the server that was called: `backend`, `keys`, `provider`")
_ENDPOINT: Final = Label(
    name="endpoint",
    says="the declared endpoint, such as `energy.get_clients`; `refresh` and `sign-out` of the token endpoint;"
    " `keys`; `provider`",
)

refresh_counters: Final = Counters(
    "portal_refresh_total",
    "Refreshes that requests needed, by outcome.",
    labels=[Label(name="outcome", says="how the need ended", values=list(RefreshOutcome))],
)
refresh_timings: Final = Timings(
    "portal_refresh_duration_seconds", "Time for which a request waited until its refresh had an outcome."
)
call_counters: Final = Counters(
    "portal_calls_total",
    "HTTP calls, by the server called, the endpoint and the outcome; each try counts.",
    labels=[_TO, _ENDPOINT, Label(name="outcome", says="how the call ended", values=list(CallOutcome))],
)
call_timings: Final = Timings(
    "portal_call_duration_seconds",
    "Time from a call's beginning to its whole response or its failure.",
    labels=[_TO, _ENDPOINT],
)
signature_counters: Final = Counters(
    "portal_token_signature_failures_total",
    "Access tokens fresh from the backend, of a sign-in or a refresh, that do not verify here.",
)
keys_missed: Final = Gauges(
    "portal_keys_missed", "How many workers could not fetch the keys of `APP_JWT_JWKS_URL` when they tried last."
)

# What every server calls is listed with 0 before the first call, and with it each outcome.
for _endpoint in ("refresh", "sign-out"):
    call_counters.add(0, "backend", _endpoint, CallOutcome.OK)
