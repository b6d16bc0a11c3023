"""The numbers that people change: limits of all queries, calls, refreshes and sign-ins, with unit and source.

A number that only its algorithm understands is beside its only user. What one query or one deployment changes is not
here: `stale_time_s` of a query in `portal.services`, and the environment (docs/reference/environment.md).
"""

from typing import Final

# --- lists and cached queries (requirements, "Limits"; contract, section 8) ---
#: Rows of one page of a list.
VAR_DEFAULT_PAGE_SIZE: Final = 20
#: Seconds for which a cached query counts as fresh: 5 minutes.
STALE_TIME_S: Final = 5 * 60
#: Further tries after a failed query, and after a failed mutation.
QUERY_RETRIES: Final = 2
MUTATION_RETRIES: Final = 1
#: First wait between tries, seconds; doubles, with jitter.
RETRY_BASE_DELAY_S: Final = 0.1
#: Longest `Retry-After` that a waiting page honours, seconds.
RETRY_AFTER_MAX_S: Final = 2.0
#: Statuses where another try can help.
RETRY_STATUSES: Final = frozenset({408, 425, 429, 500, 502, 503, 504})
#: Time budget for all backend calls of one request, seconds.
REQUEST_BUDGET_S: Final = 10.0
#: Longest share of that budget for a GET `/me` that only asks whether a token is accepted, and for newer data that a
#: reload waits for while it could show older data, seconds: other calls come after it.
PROFILE_BUDGET_S: Final = 3.0

#: Longest wait of one request for newer data while it could show older data, all its waits together, seconds.
PATIENCE_S: Final = 0.6
#: Fetches beside a request and behind it: threads of one process, and fetches that may wait for a thread.
FETCH_THREADS: Final = 16
FETCH_QUEUE: Final = 64
#: Pages of one list that a view may ask for.
MAX_PAGES: Final = 50
#: Rows of each call of a walk through a whole list: the most that the backend gives (contract, section 7).
WALK_PAGE_ROWS: Final = 100
#: Pages of a list that does not end.
WALK_MAX_PAGES: Final = 20_000
#: Files of lists that a process writes at the same time: for one user, and in all, since each holds a thread. A project
#: has eight threads for each process.
EXPORTS_PER_USER: Final = 2
EXPORTS_PER_PROCESS: Final = 3
#: Seconds for which only one process revalidates a query: as long as its calls may take.
REVALIDATION_LEASE_S: Final = REQUEST_BUDGET_S
#: Seconds that a token must have left for a call behind a request: nobody would refresh it there.
REVALIDATION_TOKEN_S: Final = 5.0

# --- tokens (contract, sections 5 and 8; docs/explanation/token-refresh.md) ---
#: A token counts as expired this many seconds after its `exp`.
EXPIRY_LEEWAY_S: Final = 30
#: Deadline of the refresh call itself, seconds.
REFRESH_DEADLINE_S: Final = 10.0
#: Wait of others for its outcome, seconds: longer than the call and all around it, which a test adds up.
REFRESH_LOCK_S: Final = 15
#: A submission whose record took longer than this to write is not made: the lock could end before the call, seconds.
REFRESH_LATEST_START_S: Final = 3.0
#: How long refreshes wait for a store that fails, from the beginning of its outage: as long as Sentinels need to name
#: another primary, and no longer than a request waits for a refresh (`REFRESH_WAIT_S`), seconds.
REFRESH_STORE_WAIT_S: Final = 5.0
#: How long the outcomes "failed" and "later" of a refresh are remembered, seconds.
REFRESH_FAILED_MEMORY_S: Final = 30
REFRESH_UNREACHABLE_MEMORY_S: Final = 1
#: Grace period: how long a refresh token still gets the latest pair after its successor was submitted, seconds.
ROTATION_GRACE_S: Final = 60
#: How far a backend's reads may be behind its writes, seconds, where its class says nothing else (ADR 12).
SETTLE_S: Final = 2.0
#: Answers of the refresh endpoint that end a sign-in.
REFRESH_FAILED_STATUSES: Final = frozenset({400, 401, 403, 422})
#: Lifetime of the sign-in cookies where the refresh token gives none, seconds: 30 days.
SIGN_IN_MAX_AGE_S: Final = 30 * 24 * 60 * 60

#: Longest wait of one request for a refresh that another process, or another request, is making, seconds.
REFRESH_WAIT_S: Final = 5.0
#: Memory of a replaced token once its grace period has begun, seconds. A later use reaches the backend.
REFRESH_SPENT_S: Final = 2 * 60 * 60
#: How long an access token that was over when it came, by this machine's clock, is given to others, seconds.
REFRESH_BORN_EXPIRED_S: Final = 5.0
#: Longest pause between two presentations of one token whose outcome is unknown, seconds; the first is 1 s.
REFRESH_REPEAT_PAUSE_S: Final = 3
#: Wait before a call is sent once more that is refused with an access token of this very moment, seconds: the server
#: that refuses may be behind the one that issued it.
FRESH_REFUSED_WAIT_S: Final = 1.0

# --- the store that processes share ---
#: Longest wait for one operation of the store, seconds.
STORE_TIMEOUT_S: Final = 1.0
#: Size of each file of the embedded store (contract, section 3), in 1,048,576 bytes.
STORE_MAX_MB: Final = 256

#: A failed operation that took longer opens the store's circuit, seconds.
STORE_SLOW_S: Final = 0.1

# --- addresses (contract, section 5) ---
#: Longest `next` target, in characters before encoding.
NEXT_MAX_CHARS: Final = 2000

# --- requests ---
#: Longest body of a request, octets: what the site file of nginx lets through (`client_max_body_size`).
MAX_BODY_BYTES: Final = 1024 * 1024

# --- calls (contract, section 3) ---
CONNECT_TIMEOUT_S: Final = 3.05
READ_TIMEOUT_S: Final = 10.0
#: Largest answer that is read from the backend, bytes.
MAX_ANSWER_BYTES: Final = 8 * 1024 * 1024
#: A call that got no answer for so long (or for its own limit, if that is shorter) opens the circuit, seconds. Shorter
#: waits are somebody's impatience, and say nothing about the backend.
CIRCUIT_SILENCE_S: Final = 5.0
#: How long the one call that tries an open circuit may take, and how long its own user waits for it, seconds.
CIRCUIT_PROBE_S: Final = 5.0
CIRCUIT_PROBE_WAIT_S: Final = 0.5
#: Best-effort deadline of the backend's sign-out, seconds.
SIGN_OUT_DEADLINE_S: Final = 2.0

# --- sign-in (docs/adr/0003-sign-in-limit.md) ---
#: Failed tries in one window: for one account from one address, and from one address for all accounts that have not
#: signed in from there in the last 30 days.
SIGN_IN_TRIES: Final = 10
SIGN_IN_TRIES_PER_ADDRESS: Final = 100
SIGN_IN_KNOWN_S: Final = 30 * 24 * 60 * 60
#: Successful sign-ins of one account in one window: far above what people do, far below what a loop does.
SIGN_INS_PER_ACCOUNT: Final = 100
#: Length of the window, minutes.
SIGN_IN_WINDOW_MIN: Final = 15
#: How often one address may ask for a new password, or try a link of such a mail, in one window.
PASSWORD_RESETS_PER_ADDRESS: Final = 20
