"""What a demonstration account is (contract, section 2), and where such accounts are refused."""

from dataclasses import dataclass

from django.conf import settings
from django.core.exceptions import ImproperlyConfigured
from django.db import DatabaseError

from sandbox_api.auth.models import Account

PASSWORD = "demo"  # noqa: S105 - known to everybody: that is what it is for


@dataclass(frozen=True, kw_only=True, slots=True)
class DemoAccount:
    """One of them."""

    email: str
    name: str
    permissions: tuple[str, ...]


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
