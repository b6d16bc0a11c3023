"""What sign-in and profile take and give."""

from __future__ import annotations

from typing import Any

from rest_framework import serializers

from sandbox_api.auth.models import Account
from sandbox_api.camel_case import CamelCaseSerializer

_PASSWORD_LENGTH = 1000
_TOKEN_LENGTH = 1000


class LoginRequest(serializers.Serializer[Any]):
    """`{"email", "password"}`. The address is not checked for form: a wrong one is a wrong sign-in."""

    email = serializers.CharField(max_length=254)
    password = serializers.CharField(max_length=_PASSWORD_LENGTH, trim_whitespace=False)


class RefreshTokenRequest(serializers.Serializer[Any]):
    """`{"refreshToken"}`."""

    refreshToken = serializers.CharField(max_length=_TOKEN_LENGTH)  # noqa: N815 - the wire's name


class TokenPairAnswer(serializers.Serializer[Any]):
    """`{"accessToken", "refreshToken"}`."""

    accessToken = serializers.CharField(source="access_token")  # noqa: N815 - the wire's name
    refreshToken = serializers.CharField(source="refresh_token")  # noqa: N815 - the wire's name


class ProfileSerializer(CamelCaseSerializer[Account]):
    """The caller's own account, as `GET /me` gives it."""

    permissions = serializers.ListField(child=serializers.CharField(), read_only=True)

    class Meta:
        model = Account
        fields = ("id", "email", "name", "permissions")
