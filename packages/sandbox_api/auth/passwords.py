"""Checking a password at the same cost whether the account exists or not."""

from django.contrib.auth.hashers import check_password, make_password

from sandbox_api.auth.models import Account
from sandbox_api.versions import locked


def account_for(*, email: str, password: str) -> Account | None:
    """Give the account if the password is right.

    An unknown address costs one hash too, so the time of the answer does not tell which accounts exist.
    """
    account = Account.objects.filter(email=email.strip().lower()).first()
    if account is None:
        make_password(password)
        return None
    return account if check_password(password, account.password) else None


def locked_if_still_right(account: Account) -> Account | None:
    """Give the account anew, locked until the transaction ends, if its password is the one that was checked.

    To check a password takes long, and is done without the lock: a reset may have changed it meanwhile, and ended all
    sign-ins of the account. One that begins after it must not be by the password that is gone.
    """
    return locked(Account.objects.filter(id=account.id, password=account.password)).first()
