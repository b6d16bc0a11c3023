"""How accounts and sign-ins stand on the wire."""

from typing import Any

from rest_framework import serializers

from sandbox_api.auth.models import Account, SignIn
from sandbox_api.camel_case import CamelCaseSerializer

PERMISSION_PATTERN = r"^[A-Z][A-Z0-9_]{0,63}\Z"
_MAX_PERMISSIONS = 32


class PermissionsField(serializers.ListField):
    """Permission strings, each once. Any well-formed one is taken: platforms come and go."""

    child = serializers.RegexField(
        PERMISSION_PATTERN, trim_whitespace=False, error_messages={"invalid": "Use capitals, digits and underscores."}
    )

    def __init__(self) -> None:
        super().__init__(max_length=_MAX_PERMISSIONS)

    def to_internal_value(self, data: Any) -> list[str]:
        """Give them in the order they came."""
        return list(dict.fromkeys(super().to_internal_value(data)))


class AccountSerializer(CamelCaseSerializer[Account]):
    """An account; only its permissions can be changed."""

    permissions = PermissionsField()

    class Meta:
        model = Account
        fields = ("id", "email", "name", "permissions", "created_at", "version")
        read_only_fields = ("id", "email", "name", "created_at", "version")


class SignInSerializer(CamelCaseSerializer[SignIn]):
    """A sign-in of the caller. The sandbox does not know where an address is: `place` is null."""

    current = serializers.BooleanField(read_only=True)
    place = serializers.SerializerMethodField()

    class Meta:
        model = SignIn
        fields = ("id", "created_at", "last_used_at", "user_agent", "ip_address", "place", "current")

    def get_place(self, _row: SignIn) -> str | None:
        """Nothing: a real backend looks the address up."""
        return None
