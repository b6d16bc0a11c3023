"""A database that an earlier release has filled goes on with sensible values."""

from datetime import UTC, datetime

from django.core.management import call_command

NOW = datetime(2026, 3, 15, 12, tzinfo=UTC)


def test_no_migration_is_missing(db):
    call_command("makemigrations", "--check", "--dry-run", verbosity=0)
