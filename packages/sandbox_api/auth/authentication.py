"""Who is calling: the bearer of an access token whose sign-in has not ended."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from rest_framework.authentication import BaseAuthentication

from sandbox_api.auth.access_tokens import read_access_token
from sandbox_api.auth.models import Account, SignIn
from sandbox_api.auth.trusted_issuer import account_of_trusted_token
from sandbox_api.problems import Unauthorized

if TYPE_CHECKING:
    from rest_framework.request import Request


@dataclass(frozen=True, kw_only=True, slots=True)
class Caller:
    """The account and the sign-in that a request comes from; `request.auth` of every authenticated view."""

    account: Account
    sign_in: SignIn | None
    """`None` for a trusted issuer's token: its sign-in is not kept here."""


class BearerAuthentication(BaseAuthentication):
    """Reads `Authorization: Bearer …`, and asks the database whether the sign-in still stands."""

    def authenticate(self, request: Request) -> tuple[Account, Caller] | None:
        """Give account and caller; `None` where there is no bearer at all.

        :raises Unauthorized: if the token is malformed, forged, expired, or its sign-in has ended.
        """
        scheme, _, token = request.META.get("HTTP_AUTHORIZATION", "").partition(" ")
        if not scheme:
            return None
        if scheme.lower() != "bearer":
            raise Unauthorized("Only the Bearer scheme is accepted.")
        trusted = account_of_trusted_token(token=token.strip())
        if trusted is not None:
            return trusted, Caller(account=trusted, sign_in=None)
        claims = read_access_token(token=token.strip())
        sign_in = claims and (
            SignIn.objects.select_related("account")
            .filter(id=claims.sign_in_id, account_id=claims.account_id, revoked_at__isnull=True)
            .first()
        )
        if not sign_in:
            raise Unauthorized("The access token is not accepted.")
        return sign_in.account, Caller(account=sign_in.account, sign_in=sign_in)

    def authenticate_header(self, request: Request) -> str:  # noqa: ARG002 - the framework's signature
        """Say which scheme a 401 asks for."""
        return 'Bearer realm="sandbox"'
