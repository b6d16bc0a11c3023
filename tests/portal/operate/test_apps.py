"""What the shared package does when Django starts."""

from __future__ import annotations

import subprocess
import sys

import pytest

START = """
from types import SimpleNamespace
import django
from django.conf import settings
from portal.config.portal_config import OidcProvider
from django.core.cache import close_caches
from django.core.signals import request_finished, request_started
from django.db import close_old_connections, reset_queries

settings.configure(INSTALLED_APPS=["portal.operate"], PORTAL=SimpleNamespace(oidc=OidcProvider()), {settings})
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
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=True)
    return done.stdout.split()


def test_the_end_of_a_request_leaves_the_urls_to_the_next_one() -> None:
    reset = "from django.core.handlers.base import reset_urlconf\nprint(request_finished.disconnect(reset_urlconf))"
    assert looked_after(reset) == ["False"]


@pytest.mark.parametrize(
    ("databases", "expected"),
    [
        ({}, "False"),
        ({"default": {"ENGINE": "django.db.backends.sqlite3", "NAME": ":memory:"}}, "True"),
    ],
    ids=["no database", "a database"],
)
def test_requests_look_after_a_database_only_where_there_is_one(databases: dict[str, object], expected: str) -> None:
    assert looked_after(DATABASE, DATABASES=databases) == [expected] * 3


@pytest.mark.parametrize(
    ("caches", "expected"),
    [
        ({"default": OURS, "refresh": REDIS}, "False"),
        ({"default": OURS, "refresh": SENTINEL}, "False"),
        ({"default": OURS, "of a team": MEMCACHED}, "True"),
    ],
    ids=["ours and Redis", "Sentinels", "one that is closed"],
)
def test_requests_close_the_caches_only_where_one_has_something_to_close(
    caches: dict[str, object], expected: str
) -> None:
    assert looked_after(CACHES, CACHES=caches) == [expected]
