"""What sign-ins leave in the refresh store: many of them, refreshed again and again, half of them signed out.

Tokens of 1.5 KB, access tokens of 300 s, each sign-in refreshed once in that time by a browser that keeps its cookies.
Measured a minute after each step. The clock is a fake one; on Redis, whose entries end by its own, that is waited for.

`./manage.py bench refresh_store [--sign-ins 10000] [--refreshes 20] [--store embedded redis]`
"""

from __future__ import annotations

import base64
import contextlib
import json
import logging
import os
import tempfile
import time
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

import django
from django.test import override_settings

from benchmarks._options import options_of, parser_of
from benchmarks._stores import stores_here
from portal.api import TokenPair, TokenStore
from portal.api.refresh import TokenRefresher, TokensIssued
from portal.process import Clock, Deadline
from portal.store import SharedStore
from tests.support.redis_server import running_redis

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator


TOKEN_CHARS = 1500
ACCESS_LIFETIME_S = 300
MINUTE_S = 61
MAX_AGE_S = 30 * 24 * 60 * 60


class _Time:
    def __init__(self) -> None:
        self.now = 1_800_000_000.0

    def __call__(self) -> float:
        return self.now


class _Backend:
    """Gives a new pair for any refresh token."""

    repeatable_s = 0.0

    def __init__(self, clock: _Time) -> None:
        self._clock = clock

    def pair(self) -> TokenPair:
        head, tail = _encoded({"alg": "RS256", "typ": "JWT"}), _random(342)
        claims = {"exp": self._clock() + ACCESS_LIFETIME_S, "filling": ""}
        room = (TOKEN_CHARS - len(head) - len(tail) - 2) * 3 // 4 - len(json.dumps(claims))
        return TokenPair(
            access=f"{head}.{_encoded(claims | {'filling': _random(room)})}.{tail}", refresh=_random(TOKEN_CHARS)
        )

    def submit(self, **_: Any) -> Any:
        return TokensIssued(pair=self.pair())

    def revoke(self, **_: Any) -> None:
        """Nothing to tell."""


@dataclass(frozen=True)
class _Store:
    """A store and how many bytes live in it.

    :param ends_by_real_time: whether its entries end by another clock than the fake one.
    """

    name: str
    shared: SharedStore
    live_bytes: Callable[[], int]
    ends_by_real_time: bool


def measure(store: _Store, *, clock: _Time, sign_ins: int, refreshes: int, wait_s: float) -> Iterator[tuple[str, int]]:
    """Run it; what was done, and the bytes that live in the store a minute later."""
    backend: Any = _Backend(clock)
    refresher = TokenRefresher(
        token_endpoint=backend, store=store.shared, max_age_s=MAX_AGE_S, clock=Clock(now=clock, monotonic=clock)
    )
    held = [backend.pair() for _ in range(sign_ins)]
    empty = store.live_bytes()

    def a_minute_later() -> int:
        clock.now += MINUTE_S
        if store.ends_by_real_time:
            time.sleep(wait_s)
        return store.live_bytes() - empty

    for number in range(1, refreshes + 1):
        clock.now += ACCESS_LIFETIME_S + 1
        for index, pair in enumerate(held):
            tokens = TokenStore(pair)
            refresher.refresh(tokens, deadline=Deadline(60))
            held[index] = tokens.current
        if number in {1, refreshes}:
            yield f"each refreshed {number} time{'s' * (number > 1)}", a_minute_later()
    for pair in held[: sign_ins // 2]:
        refresher.sign_out(TokenStore(pair))
    yield "half of them signed out", a_minute_later()


@contextlib.contextmanager
def _embedded(clock: _Time, folder: Path) -> Iterator[_Store]:
    entry = {
        "BACKEND": "sqlite_cache.SQLiteCache",
        "LOCATION": str(folder / "refresh.sqlite3"),
        "OPTIONS": {"WHEN_FULL": "refuse", "MAX_BYTES": 2**34},
    }
    with override_settings(CACHES={"default": entry, "refresh": entry}):
        shared = SharedStore(alias="refresh")
        cache: Any = shared.backend()
        cache.clock = clock

        def live_bytes() -> int:
            cache.database.run("DELETE FROM entries WHERE expires <= ?", (clock(),))  # at once, not in portions
            return int(cache.size_in_bytes())

        yield _Store("embedded", shared, live_bytes, ends_by_real_time=False)


@contextlib.contextmanager
def _redis(_: _Time, folder: Path) -> Iterator[_Store]:
    with running_redis(folder) as server, server.client() as client:
        entry = {
            "BACKEND": "django.core.cache.backends.redis.RedisCache",
            "LOCATION": server.url(),
            "OPTIONS": {"serializer": "sqlite_cache.JSONSerializer"},
        }
        with override_settings(CACHES={"default": entry, "refresh": entry}):
            shared = SharedStore(alias="refresh")
            shared.get("connected")
            yield _Store("redis", shared, lambda: int(client.info("memory")["used_memory"]), ends_by_real_time=True)


def _encoded(claims: dict[str, object]) -> str:
    return base64.urlsafe_b64encode(json.dumps(claims).encode()).decode().rstrip("=")


def _random(length: int) -> str:
    return base64.urlsafe_b64encode(os.urandom(length)).decode()[:length]


def main() -> None:
    """`./manage.py bench refresh_store`."""
    logging.disable(logging.INFO)
    parser = parser_of(__doc__)
    parser.add_argument("--sign-ins", type=int, default=10_000)
    parser.add_argument("--refreshes", type=int, default=20)
    parser.add_argument("--store", choices=("embedded", "redis"), nargs="+", default=["embedded", "redis"])
    parser.add_argument("--wait", type=float, default=MINUTE_S, help="for the entries of Redis to end, seconds: 61")
    options = options_of(parser, sign_ins=20, refreshes=2, wait=0.1)
    with tempfile.TemporaryDirectory(prefix="refresh-store-") as name:
        folder = Path(name)
        settings = {"DJANGO_SETTINGS_MODULE": "apps.energy.settings", "DEBUG": "on", "APP_STATE_DIR": str(folder)}
        os.environ |= settings
        django.setup()
        makers = {"embedded": _embedded, "redis": _redis}
        print(f"{options.sign_ins} sign-ins of two tokens of {TOKEN_CHARS} bytes")
        for store in stores_here(options.store):
            clock = _Time()
            with makers[store](clock, folder) as made:
                steps = measure(
                    made, clock=clock, sign_ins=options.sign_ins, refreshes=options.refreshes, wait_s=options.wait
                )
                for done, size in steps:
                    each = size / options.sign_ins
                    print(f"{store:9} {done:42} {size / 2**20:8.1f} MB {each:9.0f} B each", flush=True)


if __name__ == "__main__":
    main()
