"""The tables are those of the models."""

from django.core.management import call_command


def test_no_migration_is_missing(db):
    call_command("makemigrations", "--check", "--dry-run", verbosity=0)
