"""Django's settings of the sandbox; what can be changed from outside is in `environment`."""

import os
from typing import Any

import environ

from sandbox_api.environment import read_environment

SANDBOX = read_environment(source=os.environ)

DEBUG = SANDBOX.debug
SECRET_KEY = SANDBOX.secret_key
ALLOWED_HOSTS = list(SANDBOX.allowed_hosts)

ROOT_URLCONF = "sandbox_api.urls"
WSGI_APPLICATION = "sandbox_api.wsgi.application"
DEFAULT_AUTO_FIELD = "django.db.models.BigAutoField"
USE_TZ = True
TIME_ZONE = "UTC"
USE_I18N = False  # messages are English, whatever Accept-Language says
APPEND_SLASH = False

INSTALLED_APPS = [
    "django.contrib.staticfiles",
    "rest_framework",
    "drf_spectacular",
    "drf_spectacular_sidecar",
    "sandbox_api",
    *([SANDBOX.app] if SANDBOX.app else []),
]
MIDDLEWARE = [
    "sandbox_api.problems.ProblemMiddleware",  # outermost: whatever fails below leaves as a problem
    "django.middleware.security.SecurityMiddleware",
    "whitenoise.middleware.WhiteNoiseMiddleware",  # the files of the documentation page
    "django.middleware.common.CommonMiddleware",
    "sandbox_api.profile_middleware.ProfileMiddleware",
]
TEMPLATES = [
    {
        "BACKEND": "django.template.backends.django.DjangoTemplates",
        "APP_DIRS": True,
    }
]
STATIC_URL = "/static/"
WHITENOISE_USE_FINDERS = True
WHITENOISE_AUTOREFRESH = False
DATA_UPLOAD_MAX_MEMORY_SIZE = 1024 * 1024  # bytes of a request's body

# Scrypt takes as much memory as time, and is several times faster than PBKDF2 at its present count of rounds. In
# `DEBUG` the passwords are public ones, and a hash of a sixth of a second would be most of each sign-in.
PASSWORD_HASHERS = [
    "sandbox_api.auth.hashers.QuickScrypt" if DEBUG else "django.contrib.auth.hashers.ScryptPasswordHasher"
]

_SQLITE: dict[str, Any] = {
    "ENGINE": "django.db.backends.sqlite3",
    "NAME": SANDBOX.state_dir / "sandbox.sqlite3",
    "CONN_MAX_AGE": None,
    "OPTIONS": {
        "timeout": 20,  # seconds to wait for the write lock
        # A transaction takes the write lock when it begins: one that starts by reading and writes later would
        # fail at once, without waiting, where another has written in between.
        "transaction_mode": "IMMEDIATE",
        "init_command": "PRAGMA journal_mode=WAL; PRAGMA synchronous=NORMAL; PRAGMA cache_size=-16000;",
    },
    # A file, not memory: the tests race threads against each other.
    "TEST": {"NAME": SANDBOX.state_dir / "test.sqlite3"},
}


def _database(url: str) -> dict[str, Any]:
    return {
        **environ.Env.db_url_config(url),
        "CONN_MAX_AGE": 60,
        "CONN_HEALTH_CHECKS": True,
    }


DATABASES = {"default": _database(SANDBOX.database_url) if SANDBOX.database_url else _SQLITE}

REST_FRAMEWORK = {
    "DEFAULT_AUTHENTICATION_CLASSES": ["sandbox_api.auth.authentication.BearerAuthentication"],
    "DEFAULT_PERMISSION_CLASSES": ["sandbox_api.auth.permissions.HoldsRequiredPermission"],
    "DEFAULT_PARSER_CLASSES": ["sandbox_api.json_body.JsonBodyParser"],
    "DEFAULT_RENDERER_CLASSES": ["rest_framework.renderers.JSONRenderer"],
    "DEFAULT_CONTENT_NEGOTIATION_CLASS": "sandbox_api.json_body.AlwaysJson",
    "DEFAULT_METADATA_CLASS": None,
    "DEFAULT_SCHEMA_CLASS": "sandbox_api.openapi.SandboxSchema",
    "EXCEPTION_HANDLER": "sandbox_api.problems.problem_handler",
    "NON_FIELD_ERRORS_KEY": "body",
    "UNAUTHENTICATED_USER": None,
    "UNAUTHENTICATED_TOKEN": None,
    "TEST_REQUEST_DEFAULT_FORMAT": "json",
}
SPECTACULAR_SETTINGS = {
    "TITLE": "Sandbox backend",
    "DESCRIPTION": "Accounts, sign-ins and the data of the energy, operations and finance platforms.",
    "VERSION": "1.0.0",
    "SERVE_INCLUDE_SCHEMA": False,
    "SERVE_AUTHENTICATION": [],
    "SERVE_PERMISSIONS": [],
    "SWAGGER_UI_DIST": "SIDECAR",
    "SWAGGER_UI_FAVICON_HREF": "SIDECAR",
    "COMPONENT_SPLIT_REQUEST": True,
    "SORT_OPERATION_PARAMETERS": False,
    "PREPROCESSING_HOOKS": ["sandbox_api.openapi.only_calls_of_profile"],
    "POSTPROCESSING_HOOKS": [
        "drf_spectacular.hooks.postprocess_schema_enums",
        "sandbox_api.openapi.only_names_of_profile",
        "sandbox_api.openapi.describe_problems_and_keys",
    ],
    "ENUM_NAME_OVERRIDES": {
        "StationStatus": "sandbox_api.energy.models.Station.Status",
        "ChargerStatus": "sandbox_api.energy.models.Charger.Status",
        "ChargerConnector": "sandbox_api.energy.models.Charger.Connector",
        "ChargingSessionStatus": "sandbox_api.energy.models.ChargingSession.Status",
        "MeterStatus": "sandbox_api.energy.models.Meter.Status",
        "WorkOrderPriority": "sandbox_api.operations.models.WorkOrder.Priority",
        "WorkOrderStatus": "sandbox_api.operations.models.WorkOrder.Status",
        "InvoiceStatus": "sandbox_api.finance.models.Invoice.Status",
    },
}

LOGGING = {
    "version": 1,
    "disable_existing_loggers": False,
    "formatters": {"line": {"format": "%(asctime)s %(levelname)s %(name)s %(message)s"}},
    "handlers": {"stderr": {"class": "logging.StreamHandler", "formatter": "line"}},
    "root": {"handlers": ["stderr"], "level": "WARNING"},
    "loggers": {
        "sandbox_api": {"level": "INFO"},
        "django": {"handlers": [], "propagate": True},
        # A 404 is an answer, not an event; what fails is logged where it is turned into a problem.
        "django.request": {"level": "CRITICAL"},
    },
}
