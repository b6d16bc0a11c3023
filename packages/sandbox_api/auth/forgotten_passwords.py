"""A forgotten password: a mail with a link that works once, within half an hour.

There is no mail server: the "mail" is a line of the sandbox's log. Nothing that an answer says or how long it takes
tells whether an address has an account.
"""

import logging
import secrets
from datetime import timedelta
from typing import Final
from urllib.parse import urlencode

from django.conf import settings
from django.contrib.auth.hashers import make_password
from django.db import transaction
from django.utils import timezone

from sandbox_api.auth.models import Account, PasswordReset
from sandbox_api.auth.sign_ins import digest_of, revoke_all_of
from sandbox_api.versions import locked

logger = logging.getLogger("sandbox_api.mail")

LIFETIME: Final = timedelta(minutes=30)
MAILS_IN_A_LIFETIME: Final = 3
"""To one address; further requests are answered like the others, and send nothing."""


@transaction.atomic
def request_reset(*, email: str) -> None:
    """Send the link, if the address has an account and has not got too many of them."""
    address, now = email.strip().lower(), timezone.now()
    PasswordReset.objects.filter(created_at__lt=now - LIFETIME).delete()
    is_one_too_many = PasswordReset.objects.filter(email=address).count() >= MAILS_IN_A_LIFETIME
    account = Account.objects.filter(email=address).first()
    if is_one_too_many:
        return
    token = secrets.token_urlsafe(32)
    PasswordReset.objects.create(digest=digest_of(token), email=address, created_at=now)
    if account is not None:
        link = f"{settings.SANDBOX.gateway_url}/login/reset?{urlencode({'token': token})}"
        logger.info("mail to %s: choose a new password within 30 minutes: %s", account.email, link)


@transaction.atomic
def reset(*, token: str, password: str) -> bool:
    """Spend a token: the account gets the password, and all its sign-ins end.

    Who spends it is decided by one conditional UPDATE, as for a refresh token.

    :returns: whether the token was good.
    """
    now = timezone.now()
    good = PasswordReset.objects.filter(digest=digest_of(token), used_at__isnull=True, created_at__gte=now - LIFETIME)
    if not good.update(used_at=now):
        return False
    address = PasswordReset.objects.get(digest=digest_of(token)).email
    account = locked(Account.objects.filter(email=address)).first()
    if account is None:
        return False
    account.password = make_password(password)
    account.save(update_fields=["password"])
    # Another link in the same mailbox is as old as the password that is gone.
    PasswordReset.objects.filter(email=account.email).update(used_at=now)
    revoke_all_of(account=account)
    return True
