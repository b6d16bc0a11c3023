"""The demonstration accounts (contract, section 2), and where they are refused."""

from __future__ import annotations

from dataclasses import dataclass

from django.conf import settings
from django.core.exceptions import ImproperlyConfigured
from django.db import DatabaseError

from sandbox_api.auth.models import Account
from sandbox_api.auth.permissions import ENERGY_APP, FINANCE_APP, IAM_ADMIN, OPERATIONS_APP

PASSWORD = "demo"  # noqa: S105 - known to everybody: that is what it is for


@dataclass(frozen=True, kw_only=True, slots=True)
class DemoAccount:
    """One of them."""

    email: str
    name: str
    permissions: tuple[str, ...]


DEMO_ACCOUNTS = (
    DemoAccount(email="energy@example.com", name="Elif Yıldız", permissions=(ENERGY_APP,)),
    DemoAccount(email="operations@example.com", name="Ole Nordahl", permissions=(OPERATIONS_APP,)),
    DemoAccount(email="finance@example.com", name="Franziska Köhler", permissions=(FINANCE_APP,)),
    DemoAccount(
        email="all@example.com",
        name="Aylin Brandt",
        permissions=(ENERGY_APP, OPERATIONS_APP, FINANCE_APP),
    ),
    DemoAccount(email="none@example.com", name="Nils Öztürk", permissions=()),
    # Beside those of the contract: who gives the others their permissions.
    DemoAccount(email="iam@example.com", name="Ayşe Lindqvist", permissions=(IAM_ADMIN,)),
)


def refuse_demo_accounts() -> None:
    """Refuse to serve while the database holds accounts whose password everybody knows.

    :raises ImproperlyConfigured: outside of `DEBUG`, unless `SANDBOX_ALLOW_DEMO_ACCOUNTS` is set.
    """
    if settings.SANDBOX.allow_demo_accounts:
        return
    try:
        found = Account.objects.filter(is_demo=True).count()
    except DatabaseError as error:
        raise ImproperlyConfigured(f"the database can't be read; run the migrate command: {error}") from error
    if found:
        raise ImproperlyConfigured(
            f"the database holds {found} demonstration accounts, whose password is public:"
            " set SANDBOX_ALLOW_DEMO_ACCOUNTS=1 to serve them all the same, or DEBUG=1"
        )
