"""The shared stores: what they are, how full and how fast, and that `add` has one winner, whoever asks."""

import secrets
import statistics
import time
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from threading import Barrier
from typing import Final

from django.core.checks import CheckMessage

from portal.errors import StoreUnavailableError
from portal.store import SharedStore, StoreServer, inspect_store, query_store, refresh_store
from portal_operate.doctor.findings import Patient, clock, error, ok, warning

_MB: Final = 1024 * 1024
THREADS: Final = 16
KEYS: Final = 25
#: Operations whose time is measured.
_TIMED: Final = 20
_LIFETIME_S: Final = 60
#: From this time on an operation is slow, ms; a page makes three or four.
_SLOW_MS: Final = 20.0
_FULL: Final = 0.7
_CLOCK_WARNING_S: Final = 1.0


def look_at_stores(patient: Patient) -> Iterator[CheckMessage]:  # noqa: ARG001  as all that look
    """Check both stores."""
    for name, store in (("query store", query_store()), ("refresh store", refresh_store())):
        try:
            servers = inspect_store(store)
            for number, server in enumerate(servers, 1):
                which = name if len(servers) == 1 else f"{name} primary {number}"
                yield ok(which, server.words)
                yield _room(f"{which} room", server)
                if server.clock_ahead_s is not None:
                    yield clock(f"{which} clock", server.clock_ahead_s, may_differ_s=_CLOCK_WARNING_S)
            yield _speed(name, store)
            if store is refresh_store():
                yield _atomic(name, store)
        except StoreUnavailableError as fault:
            yield error(name, str(fault), "docs/reference/environment.md has the forms of CACHE_URL")


def _room(subject: str, server: StoreServer) -> CheckMessage:
    if server.used is None:
        return ok(subject, "it does not tell its size")
    if server.limit is None:
        return ok(subject, f"{server.used / _MB:.1f} MB used, no limit")
    seen = f"{server.used / _MB:.1f} of {server.limit / _MB:.0f} MB used"
    if server.share >= _FULL and not server.evicts:
        return warning(subject, f"{seen}, and it evicts nothing", "raise its limit: APP_STORE_MAX_MB, maxmemory")
    return ok(subject, seen)


def _speed(name: str, store: SharedStore) -> CheckMessage:
    key, times = f"doctor:{secrets.token_hex(8)}", []
    for _ in range(_TIMED):
        began = time.monotonic()
        store.set(key, 1, lifetime_s=_LIFETIME_S)
        store.get(key)
        times.append(1000 * (time.monotonic() - began))
    store.delete(key)
    median, worst = statistics.median(times), max(times)
    seen = f"a write and a read take {median:.1f} ms, at most {worst:.1f} ms of {_TIMED} tries"
    if median > _SLOW_MS:
        return warning(f"{name} speed", seen, "bring the store nearer: each page makes three or four operations")
    return ok(f"{name} speed", seen)


def _atomic(name: str, store: SharedStore) -> CheckMessage:
    """Have many threads, each with a connection of its own, add the same keys at once: each key has one winner."""
    keys = [f"doctor:{secrets.token_hex(8)}" for _ in range(KEYS)]
    together = Barrier(THREADS)

    def add_all(_number: int) -> int:
        together.wait()
        return sum(store.add(key, 1, lifetime_s=_LIFETIME_S) for key in keys)

    with ThreadPoolExecutor(THREADS) as threads:
        won = sum(threads.map(add_all, range(THREADS)))
    store.delete_many(keys)
    tried = f"({THREADS} threads, {KEYS} keys)"
    if won != KEYS:
        seen = f"{won} winners for {KEYS} keys {tried}"
        return error(f"{name} atomic", seen, "use one Redis primary, or the embedded store on a local disk")
    return ok(f"{name} atomic", f"each key has one winner {tried}")
