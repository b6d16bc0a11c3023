"""What the shared package does when Django starts."""

from __future__ import annotations

import subprocess
import sys

import pytest

START = """
import django
from django.conf import settings
from django.core.signals import request_finished, request_started
from django.db import close_old_connections, reset_queries

settings.configure(INSTALLED_APPS=["portal"], DATABASES={databases})
django.setup()
looked_after = [
    request_started.disconnect(reset_queries),
    request_started.disconnect(close_old_connections),
    request_finished.disconnect(close_old_connections),
]
print(*looked_after)
"""


@pytest.mark.parametrize(
    ("databases", "looked_after"),
    [
        ("{}", "False False False"),
        ("{'default': {'ENGINE': 'django.db.backends.sqlite3', 'NAME': ':memory:'}}", "True True True"),
    ],
    ids=["no database", "a database"],
)
def test_requests_look_after_a_database_only_where_there_is_one(databases: str, looked_after: str) -> None:
    """In a process of its own: the receivers are the process's."""
    program = START.replace("{databases}", databases)
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=True)
    assert done.stdout.split() == looked_after.split()
