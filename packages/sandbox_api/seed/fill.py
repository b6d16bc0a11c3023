"""Fill an empty database, or empty it first."""

from datetime import datetime
from importlib import import_module
from typing import Any

from django.conf import settings
from django.contrib.auth.hashers import make_password
from django.db import transaction
from django.db.models import Model, Q

from sandbox_api.auth.models import Account
from sandbox_api.demo_accounts import PASSWORD
from sandbox_api.seed.dice import Dice

_BATCH = 2_000


def rows_of_the_product() -> Any:
    """The module that plans the rows: `seed` of the app that `SANDBOX_APP` names, else the examples.

    It has `ACCOUNTS`, `MODELS`, in which rows that point to others come after them, and `plan(until=…)`; if that plans
    accounts too, their addresses are `PLANNED_ACCOUNTS`.
    """
    return import_module(f"{settings.SANDBOX.app}.seed" if settings.SANDBOX.app else "sandbox_api.seed.examples")


def is_filled() -> bool:
    """Tell whether there is data already."""
    return any(model._default_manager.exists() for model in rows_of_the_product().MODELS)  # noqa: SLF001  Django documents it


@transaction.atomic
def empty() -> None:
    """Delete all data, the demonstration accounts and those that were planned; other accounts stay."""
    rows = rows_of_the_product()
    for model in reversed(rows.MODELS):
        model._base_manager.all().delete()  # noqa: SLF001 - also rows that are marked as deleted
    Account.objects.filter(Q(is_demo=True) | Q(email__in=getattr(rows, "PLANNED_ACCOUNTS", ()))).delete()


@transaction.atomic
def fill(*, until: datetime) -> dict[str, int]:
    """Write all rows, or none; gives how many of each kind.

    :param until: the hour that the data ends at.
    """
    rows = rows_of_the_product()
    planned: dict[type[Model], list[Model]] = rows.plan(until=until)
    for model in (*([Account] if Account in planned else []), *rows.MODELS):
        model._default_manager.bulk_create(planned[model], batch_size=_BATCH)  # noqa: SLF001 - as above
    return {str(model._meta.verbose_name_plural): len(rows) for model, rows in planned.items()}  # noqa: SLF001  Django documents _meta


@transaction.atomic
def add_demo_accounts(*, until: datetime) -> int:
    """Add the demonstration accounts that are missing; gives how many."""
    dice = Dice("demonstration accounts")
    password = make_password(PASSWORD)  # once for all: it is public, and hashing is slow by design
    added = 0
    for demo in rows_of_the_product().ACCOUNTS:
        _, is_new = Account.objects.get_or_create(
            email=demo.email,
            defaults={
                "id": dice.row_id("acc"),
                "name": demo.name,
                "password": password,
                "permissions": list(demo.permissions),
                "is_demo": True,
                "created_at": until,
            },
        )
        added += is_new
    return added
