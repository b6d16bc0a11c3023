"""Sign in, refresh, sign out, and the caller's profile."""

from __future__ import annotations

from http import HTTPStatus
from typing import TYPE_CHECKING

from django.conf import settings
from django.db import transaction
from django.http import HttpResponse
from drf_spectacular.utils import extend_schema
from rest_framework.response import Response

from sandbox_api import faults, idempotency
from sandbox_api.api_view import ApiView
from sandbox_api.auth import forgotten_passwords, sign_ins
from sandbox_api.auth.client_address import client_address
from sandbox_api.auth.models import Account
from sandbox_api.auth.passwords import account_for, locked_if_still_right
from sandbox_api.auth.serializers import (
    ForgotPasswordRequest,
    LoginRequest,
    ProfileSerializer,
    RefreshTokenRequest,
    ResetPasswordRequest,
    TokenPairAnswer,
)
from sandbox_api.problems import Unauthorized, invalid, problem_response
from sandbox_api.versions import locked

if TYPE_CHECKING:
    from rest_framework.request import Request

_WRONG_PASSWORD = "The address or the password is wrong."  # noqa: S105 - what is said of one


class OpenView(ApiView):
    """A view for who is not signed in. A bearer is not looked at: it may have expired."""

    authentication_classes = []
    permission_classes = []


class LoginView(OpenView):
    """Sign in with address and password."""

    @extend_schema(request=LoginRequest, responses=TokenPairAnswer)
    def post(self, request: Request) -> Response:
        """Begin a sign-in.

        :raises Unauthorized: with the same words for a wrong password and an unknown account.
        """
        form = LoginRequest(data=request.data)
        form.is_valid(raise_exception=True)
        password: str = form.validated_data["password"]
        account = account_for(email=form.validated_data["email"], password=password)
        if account is None:
            raise Unauthorized(_WRONG_PASSWORD)

        def begin() -> Response:
            current = locked_if_still_right(account)
            if current is None:
                raise Unauthorized(_WRONG_PASSWORD)
            pair = sign_ins.begin_sign_in(
                account=current,
                user_agent=request.headers.get("User-Agent", ""),
                ip_address=client_address(request),
            )
            return Response(TokenPairAnswer(pair).data)

        attempt = idempotency.attempt_of(
            request,
            principal=account.id,
            secret=password,
            window=settings.SANDBOX.refresh_replay_window,
        )
        return idempotency.run_once(attempt, action=begin)


class RefreshView(OpenView):
    """Exchange a refresh token for a new pair."""

    @extend_schema(request=RefreshTokenRequest, responses=TokenPairAnswer)
    def post(self, request: Request) -> HttpResponse:
        """Rotate; the same token under the same `Idempotency-Key` gets the same answer again, for a while."""
        form = RefreshTokenRequest(data=request.data)
        form.is_valid(raise_exception=True)
        token: str = form.validated_data["refreshToken"]
        faults.maybe_refuse_refresh()
        answer = self._answer(request, token)
        faults.hold_back_refresh()
        return answer

    @staticmethod
    def _answer(request: Request, token: str) -> HttpResponse:
        attempt = idempotency.attempt_of(
            request,
            principal=f"refresh token {sign_ins.digest_of(token)}",
            secret=token,
            window=settings.SANDBOX.refresh_replay_window,
        )
        refusal: list[str] = []

        def rotate() -> Response:
            match sign_ins.rotate(refresh_token=token):
                case sign_ins.Refused(detail=detail):
                    # Answered, not raised: what the refusal revoked must be committed.
                    refusal.append(detail)
                    return Response(status=HTTPStatus.UNAUTHORIZED)
                case pair:
                    return Response(TokenPairAnswer(pair).data)

        with transaction.atomic():
            answer = idempotency.run_once(attempt, action=rotate)
            if not refusal and not sign_ins.is_alive(refresh_token=token):
                refusal.append("The sign-in has ended.")  # between the first answer and this repetition of it
        if refusal:
            return problem_response(status=HTTPStatus.UNAUTHORIZED, detail=refusal[0])
        return answer


class LogoutView(OpenView):
    """Sign out."""

    @extend_schema(request=RefreshTokenRequest, responses={HTTPStatus.NO_CONTENT: None})
    def post(self, request: Request) -> Response:
        """Revoke the family of the refresh token. Also 204 for one that is not known: it signs nobody in.

        Repeating it changes nothing, with an `Idempotency-Key` or without.
        """
        form = RefreshTokenRequest(data=request.data)
        form.is_valid(raise_exception=True)
        sign_ins.revoke_family_of(refresh_token=form.validated_data["refreshToken"])
        return Response(status=HTTPStatus.NO_CONTENT)


class ForgotPasswordView(OpenView):
    """Ask for a new password."""

    @extend_schema(request=ForgotPasswordRequest, responses={HTTPStatus.ACCEPTED: None})
    def post(self, request: Request) -> Response:
        """Send a link to the address, if it has an account. The answer is the same for every address."""
        form = ForgotPasswordRequest(data=request.data)
        form.is_valid(raise_exception=True)
        email: str = form.validated_data["email"]

        def ask() -> Response:
            forgotten_passwords.request_reset(email=email)
            return Response(status=HTTPStatus.ACCEPTED)

        attempt = idempotency.attempt_of(request, principal=f"forgotten password of {email}")
        return idempotency.run_once(attempt, action=ask)


class ResetPasswordView(OpenView):
    """Choose a new password."""

    @extend_schema(request=ResetPasswordRequest, responses={HTTPStatus.NO_CONTENT: None})
    def post(self, request: Request) -> HttpResponse:
        """Set the password, and end all sign-ins of the account.

        :raises ValidationError: the token is not known, was used, or is older than half an hour.
        """
        form = ResetPasswordRequest(data=request.data)
        form.is_valid(raise_exception=True)
        token: str = form.validated_data["token"]
        password: str = form.validated_data["password"]

        def reset() -> Response:
            if not forgotten_passwords.reset(token=token, password=password):
                raise invalid(token="This link has been used or is too old.")  # noqa: S106 - what is said of it
            return Response(status=HTTPStatus.NO_CONTENT)

        attempt = idempotency.attempt_of(
            request,
            principal=f"reset token {sign_ins.digest_of(token)}",
            secret=token,
            window=forgotten_passwords.LIFETIME,
        )
        return idempotency.run_once(attempt, action=reset)


class MeView(ApiView):
    """The caller's profile."""

    @extend_schema(responses=ProfileSerializer)
    def get(self, request: Request) -> Response:  # noqa: ARG002 - the framework's signature
        """Give id, address, name and permissions."""
        return Response(ProfileSerializer(self.caller.account).data)

    @extend_schema(request=ProfileSerializer, responses=ProfileSerializer)
    @idempotency.idempotent
    def patch(self, request: Request) -> Response:
        """Change the name."""
        account = locked(Account.objects.filter(id=self.caller.account.id)).get()
        form = ProfileSerializer(account, data=request.data, partial=True)
        form.is_valid(raise_exception=True)
        return Response(ProfileSerializer(form.save()).data)
