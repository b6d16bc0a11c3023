"""The life of a sign-in: begun with a password, kept by rotating refresh tokens, ended once and for all.

A refresh token works once. Its second use means that two parties hold it, and nobody can tell which one is the
thief: the whole family is revoked (contract, section 7; RFC 9700, section 4.14).
"""

import secrets
from dataclasses import dataclass
from datetime import datetime
from hashlib import sha256

from django.conf import settings
from django.db import transaction
from django.utils import timezone

from sandbox_api.auth.access_tokens import issue_access_token
from sandbox_api.auth.models import Account, RefreshToken, SignIn

_USER_AGENT_LENGTH = 300


@dataclass(frozen=True, kw_only=True, slots=True)
class TokenPair:
    """What a login and a refresh answer with."""

    access_token: str
    refresh_token: str


@dataclass(frozen=True, kw_only=True, slots=True)
class Refused:
    """Why a refresh token was not accepted. A value: what it revoked has to be committed, not rolled back."""

    detail: str


def digest_of(token: str) -> str:
    """Give what is stored in place of a refresh token."""
    return sha256(token.encode()).hexdigest()


@transaction.atomic
def begin_sign_in(*, account: Account, user_agent: str, ip_address: str = "") -> TokenPair:
    """Begin a new family, and forget those of this account that ended long ago."""
    now = timezone.now()
    SignIn.objects.filter(account=account, expires_at__lt=now).delete()
    sign_in = SignIn.objects.create(
        account=account,
        user_agent=user_agent[:_USER_AGENT_LENGTH],
        ip_address=ip_address,
        created_at=now,
        last_used_at=now,
        expires_at=now + settings.SANDBOX.refresh_token_lifetime,
    )
    return _issue_pair(sign_in=sign_in, now=now)


@transaction.atomic
def rotate(*, refresh_token: str) -> TokenPair | Refused:
    """Spend a refresh token and give its successor.

    Who spends it is decided by one conditional UPDATE on the token's own row: of many that come at the same time,
    the database lets one change it, and the others count as second uses.
    """
    now = timezone.now()
    digest = digest_of(refresh_token)
    spent_here = RefreshToken.objects.filter(digest=digest, used_at__isnull=True).update(used_at=now)
    token = RefreshToken.objects.select_related("sign_in__account").filter(digest=digest).first()
    if token is None:
        return Refused(detail="The refresh token is not known.")
    if not spent_here:
        revoke(sign_in_id=token.sign_in_id)
        return Refused(detail="The refresh token was used before; its sign-in has ended.")
    sign_in = token.sign_in
    if sign_in.revoked_at is not None:
        return Refused(detail="The sign-in has ended.")
    if token.expires_at <= now:
        return Refused(detail="The refresh token has expired.")
    sign_in.last_used_at = now
    sign_in.expires_at = now + settings.SANDBOX.refresh_token_lifetime
    sign_in.save(update_fields=["last_used_at", "expires_at"])
    return _issue_pair(sign_in=sign_in, now=now)


def revoke(*, sign_in_id: str) -> None:
    """End a sign-in; the first time counts."""
    SignIn.objects.filter(id=sign_in_id, revoked_at__isnull=True).update(revoked_at=timezone.now())


def revoke_all_of(*, account: Account) -> None:
    """End every sign-in of an account."""
    SignIn.objects.filter(account=account, revoked_at__isnull=True).update(revoked_at=timezone.now())


def revoke_family_of(*, refresh_token: str) -> None:
    """End the sign-in that this refresh token, spent or not, belongs to. One that is not known ends nothing."""
    token = RefreshToken.objects.filter(digest=digest_of(refresh_token)).first()
    if token is not None:
        revoke(sign_in_id=token.sign_in_id)


def is_alive(*, refresh_token: str) -> bool:
    """Tell whether the sign-in of this refresh token, spent or not, has not ended."""
    return RefreshToken.objects.filter(
        digest=digest_of(refresh_token),
        sign_in__revoked_at__isnull=True,
        sign_in__expires_at__gt=timezone.now(),
    ).exists()


def _issue_pair(*, sign_in: SignIn, now: datetime) -> TokenPair:
    refresh_token = secrets.token_urlsafe(32)
    RefreshToken.objects.create(
        digest=digest_of(refresh_token),
        sign_in=sign_in,
        created_at=now,
        expires_at=sign_in.expires_at,
    )
    return TokenPair(
        access_token=issue_access_token(sign_in=sign_in, now=now),
        refresh_token=refresh_token,
    )
