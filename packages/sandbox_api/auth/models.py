"""Accounts, their sign-ins, the refresh tokens of each sign-in, and forgotten passwords."""

from functools import partial
from typing import ClassVar

from django.db import models
from django.utils import timezone

from sandbox_api.folding import FoldedField
from sandbox_api.ids import MAX_ID_LENGTH, new_id
from sandbox_api.versions import VersionedModel


class Account(VersionedModel):
    """Someone who can sign in."""

    id = models.CharField(primary_key=True, max_length=MAX_ID_LENGTH, default=partial(new_id, "acc"))
    email = models.CharField(max_length=254, unique=True)
    """In lower case: addresses are compared without it."""
    name = models.CharField(max_length=200)
    password = models.CharField(max_length=200)
    """As Django's hasher writes it."""
    permissions = models.JSONField(default=list)
    """Permission strings, such as `ENERGY_APP`. Authoritative: a token only repeats them."""
    is_demo = models.BooleanField(default=False)
    """Its password is known to everybody; refused outside of `DEBUG`."""
    created_at = models.DateTimeField(default=timezone.now)
    name_folded = FoldedField(sources=("name",))
    searched = FoldedField(sources=("name", "email"))

    class Meta:
        indexes: ClassVar = [models.Index(fields=["-created_at", "-id"], name="account_newest")]

    def __str__(self) -> str:
        return self.email


class SignIn(models.Model):
    """One sign-in of an account: the family of all refresh tokens that descend from one login."""

    id = models.CharField(primary_key=True, max_length=MAX_ID_LENGTH, default=partial(new_id, "sgn"))
    account = models.ForeignKey(Account, on_delete=models.CASCADE, related_name="sign_ins")
    user_agent = models.CharField(max_length=300, blank=True)
    ip_address = models.CharField(max_length=45, blank=True)
    """Of the browser, as it was at the sign-in."""
    created_at = models.DateTimeField(default=timezone.now)
    last_used_at = models.DateTimeField(default=timezone.now)
    """When it was last refreshed. Reads don't move it: each would be a write."""
    expires_at = models.DateTimeField()
    """When its newest refresh token ends."""
    revoked_at = models.DateTimeField(null=True, blank=True)
    """Set once: neither its refresh tokens nor its access tokens are accepted from then on."""

    class Meta:
        indexes: ClassVar = [models.Index(fields=["account", "-created_at", "-id"], name="sign_in_newest")]

    def __str__(self) -> str:
        return f"{self.id} of {self.account_id}"


class RefreshToken(models.Model):
    """One refresh token. Spent ones stay until they expire: a second use is how a theft shows."""

    digest = models.CharField(primary_key=True, max_length=64)
    """SHA-256 of the token; the token itself is not kept. It is random, so it needs no salt."""
    sign_in = models.ForeignKey(SignIn, on_delete=models.CASCADE, related_name="refresh_tokens")
    created_at = models.DateTimeField(default=timezone.now)
    expires_at = models.DateTimeField()
    used_at = models.DateTimeField(null=True, blank=True)

    def __str__(self) -> str:
        return f"{self.digest[:8]}… of {self.sign_in_id}"


class PasswordReset(models.Model):
    """One request to reset a forgotten password, with the digest of the token that its mail carries.

    A request for an address without an account is kept too: so it costs the same, and counts against the same limit.
    """

    digest = models.CharField(primary_key=True, max_length=64)
    """SHA-256 of the token; the token itself is not kept."""
    email = models.CharField(max_length=254, db_index=True)
    """As in :class:`Account`."""
    created_at = models.DateTimeField(default=timezone.now)
    used_at = models.DateTimeField(null=True, blank=True)

    def __str__(self) -> str:
        return f"{self.digest[:8]}… for {self.email}"
