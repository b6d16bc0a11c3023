"""What `/metrics` counts of refreshes and of calls, in this process."""

from __future__ import annotations

from enum import Enum
from typing import Final

from portal.process import Counters


class RefreshOutcome(Enum):
    """How a need for fresh tokens ended."""

    #: This process asked the token endpoint, which issued new tokens.
    REFRESHED = "refreshed"
    #: A refresh was in flight, here or in another process; its tokens were waited for.
    JOINED = "joined"
    #: The token had been refreshed before; the rotation record gave the new tokens at once.
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


refresh_counters: Final = Counters[RefreshOutcome]()
#: By the name of the called server: `backend`, `keys`, `provider`.
call_counters: Final = Counters[tuple[str, CallOutcome]]()
