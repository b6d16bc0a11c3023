"""What `/metrics` tells of the operations of the stores."""

from __future__ import annotations

from enum import Enum
from typing import Final

from portal.telemetry.metrics import OPERATION_BUCKETS_S, Counters, Label, Timings

STORE_LABEL: Final = Label(name="store", says="`default` has what is cached, `refresh` what token refreshes share")


class StoreFailure(Enum):
    """Why an operation of a store failed."""

    #: The store did not answer, or not in time.
    NO_ANSWER = "no answer"
    #: Nothing was sent: the circuit is open.
    CIRCUIT_OPEN = "circuit open"
    #: The store has no room.
    FULL = "full"
    #: Other processes write to the file at the moment.
    BUSY = "busy"
    #: The store answered that it refuses.
    REFUSED = "refused"


store_timings: Final = Timings(
    "portal_store_operation_duration_seconds",
    "Time of one operation of the shared store, failed ones included, without those that an open circuit refused.",
    labels=[STORE_LABEL],
    buckets=OPERATION_BUCKETS_S,
)
store_failures: Final = Counters(
    "portal_store_errors_total",
    "Operations of the shared store that failed, by cause.",
    labels=[STORE_LABEL, Label(name="cause", says="why it failed", values=list(StoreFailure))],
)
