"""A project as `django-admin startproject` makes it, with one empty view, beside which edge and pages are measured."""

from django.conf import settings
from django.core.wsgi import get_wsgi_application
from django.http import HttpRequest, HttpResponse
from django.urls import path

#: `MIDDLEWARE` of Django's project template.
DEFAULT_MIDDLEWARE = [
    f"django.{name}Middleware"
    for name in (
        *("middleware.security.Security", "contrib.sessions.middleware.Session", "middleware.common.Common"),
        *("middleware.csrf.CsrfView", "contrib.auth.middleware.Authentication", "contrib.messages.middleware.Message"),
        "middleware.clickjacking.XFrameOptions",
    )
]
DEFAULT_APPS = ("admin", "auth", "contenttypes", "sessions", "messages", "staticfiles")
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
        INSTALLED_APPS=[f"django.contrib.{name}" for name in DEFAULT_APPS],
        MIDDLEWARE=DEFAULT_MIDDLEWARE,
    )
    return get_wsgi_application()


def __getattr__(name: str) -> object:
    # The server asks for `application`; importing the view alone configures nothing.
    if name == "application":
        return load()
    raise AttributeError(name)
