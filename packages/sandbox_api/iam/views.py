"""The endpoints of identity and access."""

from __future__ import annotations

from http import HTTPStatus
from typing import TYPE_CHECKING

from django.db.models import Case, QuerySet, Value, When
from django.db.models.fields import BooleanField
from django.utils import timezone
from drf_spectacular.utils import extend_schema
from rest_framework.response import Response

from sandbox_api.auth.models import Account, SignIn
from sandbox_api.auth.permissions import IAM_ADMIN
from sandbox_api.auth.sign_ins import revoke
from sandbox_api.iam.serializers import AccountSerializer, SignInSerializer
from sandbox_api.idempotency import idempotent
from sandbox_api.lists.spec import ListSpec
from sandbox_api.lists.views import DetailView, ListView, RowView, document_list

if TYPE_CHECKING:
    from rest_framework.request import Request


class AccountRows(RowView):
    """All accounts."""

    required_permission = IAM_ADMIN
    serializer_class = AccountSerializer

    def rows(self) -> QuerySet[Account]:
        """Give all accounts."""
        return Account.objects.all()


@document_list
class AccountsView(AccountRows, ListView):
    """List accounts."""

    spec = ListSpec(
        resource="accounts",
        sorts={"createdAt": "created_at", "name": "name_folded", "email": "email"},
        searched=("searched",),
        members={"permission": "permissions"},
    )


class AccountView(AccountRows, DetailView):
    """Read one account, and change its permissions."""

    @extend_schema(request=AccountSerializer, responses=AccountSerializer)
    @idempotent
    def patch(self, request: Request, row_id: str) -> Response:
        """Change the permissions; effective with the account's next call."""
        form = AccountSerializer(self.get_row_to_change(request, row_id), data=request.data, partial=True)
        form.is_valid(raise_exception=True)
        return Response(self.represent(form.save()))


class SignInRows(RowView):
    """The caller's own sign-ins that have not ended."""

    serializer_class = SignInSerializer

    def rows(self) -> QuerySet[SignIn]:
        """Give the caller's own, and mark the one that this call comes from."""
        caller = self.caller
        return SignIn.objects.filter(
            account=caller.account, revoked_at__isnull=True, expires_at__gt=timezone.now()
        ).annotate(
            current=Case(
                When(id=caller.sign_in.id if caller.sign_in else "", then=Value(True)),
                default=Value(False),
                output_field=BooleanField(),
            )
        )


@document_list
class SignInsView(SignInRows, ListView):
    """List the caller's sign-ins."""

    spec = ListSpec(
        resource="sign_ins",
        sorts={"createdAt": "created_at", "name": "user_agent", "lastUsedAt": "last_used_at"},
        searched=("user_agent",),
    )


class SignInView(SignInRows):
    """End one of the caller's sign-ins."""

    @extend_schema(responses={HTTPStatus.NO_CONTENT: None})
    @idempotent
    def delete(self, request: Request, row_id: str) -> Response:  # noqa: ARG002 - the framework's signature
        """Revoke its refresh tokens and its access tokens."""
        revoke(sign_in_id=self.get_row(row_id).id)
        return Response(status=HTTPStatus.NO_CONTENT)
