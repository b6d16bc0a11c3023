"""A project as `django-admin startproject` makes it, with one empty view, beside which edge and pages are measured."""

from __future__ import annotations

from django.conf import settings
from django.core.wsgi import get_wsgi_application
from django.http import HttpRequest, HttpResponse
from django.urls import path

#: `MIDDLEWARE` of Django's project template.
DEFAULT_MIDDLEWARE = [
    "django.middleware.security.SecurityMiddleware",
    "django.contrib.sessions.middleware.SessionMiddleware",
    "django.middleware.common.CommonMiddleware",
    "django.middleware.csrf.CsrfViewMiddleware",
    "django.contrib.auth.middleware.AuthenticationMiddleware",
    "django.contrib.messages.middleware.MessageMiddleware",
    "django.middleware.clickjacking.XFrameOptionsMiddleware",
]
EMPTY_PATH = "/en/energy/empty"


def empty(request: HttpRequest) -> HttpResponse:
    """Do nothing."""
    del request
    return HttpResponse()


urlpatterns = [path(EMPTY_PATH.removeprefix("/"), empty)]


def load() -> object:
    """Return the WSGI application, in settings of its own."""
    settings.configure(
        SECRET_KEY="for-measuring-only",
        ALLOWED_HOSTS=["*"],
        ROOT_URLCONF=__name__,
        INSTALLED_APPS=[
            "django.contrib.admin",
            "django.contrib.auth",
            "django.contrib.contenttypes",
            "django.contrib.sessions",
            "django.contrib.messages",
            "django.contrib.staticfiles",
        ],
        MIDDLEWARE=DEFAULT_MIDDLEWARE,
    )
    return get_wsgi_application()


def __getattr__(name: str) -> object:
    # The server asks for `application`; importing the view alone configures nothing.
    if name == "application":
        return load()
    raise AttributeError(name)
