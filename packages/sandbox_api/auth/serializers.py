"""What sign-in and profile take and give."""

from typing import Any

from rest_framework import serializers

from sandbox_api.auth.models import Account
from sandbox_api.camel_case import CamelCaseSerializer
from sandbox_api.texts import LineField

_PASSWORD_LENGTH = 1000
SHORTEST_NEW_PASSWORD = 8
_TOKEN_LENGTH = 1000


class LoginRequest(serializers.Serializer[Any]):
    """`{"email", "password"}`. The address is not checked for form: a wrong one is a wrong sign-in."""

    email = serializers.CharField(max_length=254)
    password = serializers.CharField(max_length=_PASSWORD_LENGTH, trim_whitespace=False)


class RefreshTokenRequest(serializers.Serializer[Any]):
    """`{"refreshToken"}`."""

    refreshToken = serializers.CharField(max_length=_TOKEN_LENGTH)  # noqa: N815 - the wire's name


class ForgotPasswordRequest(serializers.Serializer[Any]):
    """`{"email"}`. The address is not checked for form: one that can't exist is one without an account."""

    email = serializers.CharField(max_length=254)


class ResetPasswordRequest(serializers.Serializer[Any]):
    """`{"token", "password"}`."""

    token = serializers.CharField(max_length=_TOKEN_LENGTH)
    password = serializers.CharField(
        min_length=SHORTEST_NEW_PASSWORD, max_length=_PASSWORD_LENGTH, trim_whitespace=False
    )


class TokenPairAnswer(serializers.Serializer[Any]):
    """`{"accessToken", "refreshToken"}`."""

    accessToken = serializers.CharField(source="access_token")  # noqa: N815 - the wire's name
    refreshToken = serializers.CharField(source="refresh_token")  # noqa: N815 - the wire's name


class ProfileSerializer(CamelCaseSerializer[Account]):
    """The caller's own account, as `GET /me` gives it. Its name can be changed."""

    name = LineField(max_length=200)
    permissions = serializers.ListField(child=serializers.CharField(), read_only=True)

    class Meta:
        model = Account
        fields = ("id", "email", "name", "permissions")
        read_only_fields = ("id", "email")
