"""Every address of the sandbox: those that each product has, then the resources. No address ends with a slash."""

from importlib import import_module

from django.conf import settings
from django.urls import path, register_converter
from drf_spectacular.views import SpectacularJSONAPIView, SpectacularSwaggerView

from sandbox_api.auth.views import (
    ForgotPasswordView,
    LoginView,
    LogoutView,
    MeView,
    RefreshView,
    ResetPasswordView,
)
from sandbox_api.health import healthz
from sandbox_api.iam import views as iam
from sandbox_api.ids import RowIdConverter
from sandbox_api.lists.views import counts_of

register_converter(RowIdConverter, "id")

urlpatterns = [
    path("healthz", healthz),
    path("openapi.json", SpectacularJSONAPIView.as_view(), name="openapi"),
    path("docs", SpectacularSwaggerView.as_view(url_name="openapi")),
    path("auth/login", LoginView.as_view()),
    path("auth/logout", LogoutView.as_view()),
    path("auth/forgot-password", ForgotPasswordView.as_view()),
    path("auth/reset-password", ResetPasswordView.as_view()),
    path("refresh", RefreshView.as_view()),
    path("me", MeView.as_view()),
    path("iam/accounts", iam.AccountsView.as_view()),
    path("iam/accounts/counts", counts_of(iam.AccountsView).as_view()),
    path("iam/accounts/<id:row_id>", iam.AccountView.as_view()),
    path("iam/auth/sessions", iam.SignInsView.as_view()),
    path("iam/auth/sessions/<id:row_id>", iam.SignInView.as_view()),
    # They may use the converter, so they are imported after it.
    *import_module(f"{settings.SANDBOX.app}.urls" if settings.SANDBOX.app else "sandbox_api.example_urls").urlpatterns,
]
