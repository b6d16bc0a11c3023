"""What the shared package does when Django starts."""

import sys

import pytest

from tests.support.harness import run_program

START = """
from types import SimpleNamespace
import django
from django.conf import settings
from portal.config.portal_config import OidcProvider
from django.core.cache import close_caches
from django.core.signals import request_finished, request_started
from django.db import close_old_connections, reset_queries

settings.configure(INSTALLED_APPS=["portal_operate"], PORTAL=SimpleNamespace(oidc=OidcProvider()), {settings})
django.setup()
"""
DATABASE = """
print(
    request_started.disconnect(reset_queries),
    request_started.disconnect(close_old_connections),
    request_finished.disconnect(close_old_connections),
)
"""
CACHES = "print(request_finished.disconnect(close_caches))"
OURS = {"BACKEND": "sqlite_cache.SQLiteCache", "LOCATION": "/nowhere/queries.sqlite3"}
REDIS = {"BACKEND": "django.core.cache.backends.redis.RedisCache", "LOCATION": "redis://127.0.0.1:1"}
SENTINEL = {"BACKEND": "portal.store.sentinel.SentinelCache", "LOCATION": "redis+sentinel://127.0.0.1:1/a"}
MEMCACHED = {"BACKEND": "django.core.cache.backends.memcached.PyMemcacheCache", "LOCATION": "127.0.0.1:1"}


def looked_after(what: str, **settings: object) -> list[str]:
    """In a process of its own: the receivers are the process's."""
    program = START.replace("{settings}", ", ".join(f"{name}={value!r}" for name, value in settings.items())) + what
    return run_program(sys.executable, "-c", program).stdout.split()


RESET = "from django.core.handlers.base import reset_urlconf\nprint(request_finished.disconnect(reset_urlconf))"
SQLITE = {"ENGINE": "django.db.backends.sqlite3", "NAME": ":memory:"}


@pytest.mark.parametrize(
    ("what", "settings", "expected"),
    [
        # The end of a request leaves the URLs to the next one.
        (RESET, {}, ["False"]),
        (DATABASE, {"DATABASES": {}}, ["False"] * 3),
        (DATABASE, {"DATABASES": {"default": SQLITE}}, ["True"] * 3),
        (CACHES, {"CACHES": {"default": OURS, "refresh": REDIS}}, ["False"]),
        (CACHES, {"CACHES": {"default": OURS, "refresh": SENTINEL}}, ["False"]),
        (CACHES, {"CACHES": {"default": OURS, "of a team": MEMCACHED}}, ["True"]),
    ],
    ids=["URLs", "no database", "a database", "ours and Redis", "Sentinels", "one that is closed"],
)
def test_requests_look_after_a_database_and_a_cache_only_where_there_is_one_to_look_after(
    what: str, settings: dict[str, object], expected: list[str]
) -> None:
    assert looked_after(what, **settings) == expected
