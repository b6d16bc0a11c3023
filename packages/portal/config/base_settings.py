"""Django settings of every project, as one function of its configuration.

A project's `settings.py` is `globals().update(project_settings("energy"))` and what it adds. The projects have
no database: the backend owns the data. Messages and CSRF live in cookies.
"""

import logging
import sys
from typing import Any
from urllib.parse import urlsplit

import jinja2

from portal.config.environment import (
    OFF,
    STDERR,
    is_cluster_url,
    is_sentinel_url,
    read_config,
    split_credentials,
)
from portal.config.limits import MAX_BODY_BYTES, SIGN_IN_MAX_AGE_S, STORE_TIMEOUT_S
from portal.config.locales import DEFAULT_LOCALE, LOCALES
from portal.config.places import PACKAGES, SOURCE_ROOT
from portal.config.portal_config import PortalConfig
from portal.errors import ConfigurationError


def project_settings(app: str) -> dict[str, Any]:
    """Read the environment and give all settings of the project in `apps/<app>`.

    Ends the process with one line on stderr when the environment does not allow a start: at this point
    Django has no other way to say it without a traceback.
    """
    try:
        return build_settings(read_config(app))
    except ConfigurationError as error:
        sys.exit(f"{app}: {error}")


def build_settings(config: PortalConfig) -> dict[str, Any]:
    """Return the settings of a configuration, without those that equal Django's own; reads nothing else."""
    app = config.project.app
    return {
        "PORTAL": config,
        "BASE_DIR": SOURCE_ROOT,
        "DEBUG": config.debug,
        "SECRET_KEY": config.secret_key,
        "DATA_UPLOAD_MAX_MEMORY_SIZE": MAX_BODY_BYTES,
        "ALLOWED_HOSTS": list(config.allowed_hosts),
        "ROOT_URLCONF": f"apps.{app}.urls",
        "WSGI_APPLICATION": f"apps.{app}.wsgi.application",
        "INSTALLED_APPS": [
            # Never on a server. Before Django's static files, whose `runserver` would keep them from WhiteNoise.
            *(["portal_dev"] if config.debug else []),
            "portal_operate",
            "django.contrib.messages",
            "django.contrib.staticfiles",
            "django_htmx",
            "portal.web",
            "portal_pages",
            *(["portal_gateway"] if config.project.is_gateway else []),
            f"apps.{app}",
            *(["debug_toolbar"] if config.debug_toolbar else []),
        ],
        "MIDDLEWARE": [
            "portal.web.middleware.ApiAccessMiddleware",
            # Before all that only a page needs: a redirect is answered here, for a fraction of what the rest costs.
            "portal.edge.middleware.ProxyMiddleware",
            "portal_server.static.middleware.StaticFilesMiddleware",
            *(["debug_toolbar.middleware.DebugToolbarMiddleware"] if config.debug_toolbar else []),
            "django.middleware.csrf.CsrfViewMiddleware",
            "django.contrib.messages.middleware.MessageMiddleware",
        ],
        "TEMPLATES": _templates(config),
        "CACHES": _caches(config),
        "MESSAGE_STORAGE": "portal.web.cookies.message_storage.AppCookieStorage",
        "LANGUAGE_CODE": DEFAULT_LOCALE,
        "LANGUAGES": list(LOCALES.items()),
        "LOCALE_PATHS": [SOURCE_ROOT / "apps" / "locale"],
        "TIME_ZONE": "UTC",
        "APPEND_SLASH": False,
        "FORM_RENDERER": "portal.web.templating.form_renderer.FormRenderer",
        **_static(config),
        **_security(config),
        "LOGGING": _logging(config),
        **(_toolbar() if config.debug_toolbar else {}),
    }


def _caches(config: PortalConfig) -> dict[str, Any]:
    """Two aliases, mostly on one store: cached queries, and what the refresh shares, which is never evicted."""
    return {
        "default": _cache(config, name="queries", url=config.cache_url, may_lose=True),
        "refresh": _cache(config, name="refresh", url=config.refresh_cache_url, may_lose=False),
    }


def _cache(config: PortalConfig, *, name: str, url: str, may_lose: bool) -> dict[str, Any]:
    prefix = f"portal:{name}"
    if not url:
        return {
            "BACKEND": "sqlite_cache.SQLiteCache",
            "LOCATION": str(config.state_dir / "store" / f"{name}.sqlite3"),
            "KEY_PREFIX": prefix,
            "OPTIONS": {
                "MAX_BYTES": config.store_max_mb * 1024 * 1024,
                "WHEN_FULL": "evict" if may_lose else "refuse",
                "BUSY_TIMEOUT_S": STORE_TIMEOUT_S,
            },
        }
    location, credentials = split_credentials(url)
    options: dict[str, Any] = {
        **credentials,
        "serializer": "sqlite_cache.JSONSerializer",
        "socket_connect_timeout": STORE_TIMEOUT_S,
        "socket_timeout": STORE_TIMEOUT_S,
    }
    backend = "django.core.cache.backends.redis.RedisCache"
    if is_sentinel_url(url) or is_cluster_url(url):
        backend = f"portal.store.{'cluster.ClusterCache' if is_cluster_url(url) else 'sentinel.SentinelCache'}"
        options["WAIT_FOR_REPLICA"] = not may_lose
    return {"BACKEND": backend, "LOCATION": location, "KEY_PREFIX": prefix, "OPTIONS": options}


def _templates(config: PortalConfig) -> list[dict[str, Any]]:
    """Jinja2 for all pages. Django's own engine is there for the toolbar and its panel alone."""
    # The product's own first: a file of the same name takes the place of one of the portal's.
    apps, gateway = SOURCE_ROOT / "apps", [PACKAGES / "portal_gateway"] if config.project.is_gateway else []
    sources = (apps, apps / config.project.app, *gateway, PACKAGES / "portal_pages", PACKAGES / "portal" / "web")
    pages = {
        "NAME": "pages",
        "BACKEND": "portal.web.templating.backend.PageTemplates",
        "DIRS": [source / "templates" for source in sources],
        "OPTIONS": {
            "auto_reload": config.debug,
            # With DEBUG, templates are compiled when they are asked for.
            "compiled_dir": None if config.debug else config.compiled_templates_dir,
            # A misspelt name in a template is an error for a developer; for a user, it is blank and logged.
            "undefined": jinja2.StrictUndefined
            if config.debug
            else jinja2.make_logging_undefined(logging.getLogger("portal.web.templating")),
            "context_processors": ["portal.web.context_processors.essentials"],
        },
    }
    toolbar = {"BACKEND": "django.template.backends.django.DjangoTemplates", "APP_DIRS": True}
    return [pages, *([toolbar] if config.debug_toolbar else [])]


def _static(config: PortalConfig) -> dict[str, Any]:
    """Static files: bundled, hashed and compressed where `serve` has collected them; else as they were written."""
    collected = config.static_root is not None
    own = SOURCE_ROOT / "apps" / "static"
    return {
        "STATIC_URL": "/static/",
        "STATICFILES_DIRS": [own] if own.is_dir() else [],
        "STATIC_ROOT": config.static_root,
        "STORAGES": {
            "staticfiles": {
                "BACKEND": "portal_server.static.storage.BundledStaticFilesStorage"
                if collected
                else "django.contrib.staticfiles.storage.StaticFilesStorage"
            },
        },
        "WHITENOISE_USE_FINDERS": not collected,
        "WHITENOISE_AUTOREFRESH": config.debug and not collected,
        # The toolbar's scripts import each other by the names without a hash.
        "WHITENOISE_KEEP_ONLY_HASHED_FILES": not config.debug_toolbar,
    }


def _security(config: PortalConfig) -> dict[str, Any]:
    app = config.project.app
    # Ports share cookies on localhost, so each app's cookies carry its name; under https the browser itself
    # guarantees that no other host set them.
    prefix = "__Host-" if config.secure else ""
    own = ["'self'"]
    return {
        "CSRF_COOKIE_NAME": f"{prefix}csrf_{app}",
        "CSRF_COOKIE_SECURE": config.secure,
        "CSRF_COOKIE_HTTPONLY": True,
        "CSRF_COOKIE_AGE": SIGN_IN_MAX_AGE_S,
        "CSRF_FAILURE_VIEW": "portal.web.errors.failure_pages.csrf_failure",
        "CSRF_TRUSTED_ORIGINS": [config.own_origin],
        # There is no session: this is of the messages' cookie (portal.web.cookies.message_storage).
        "SESSION_COOKIE_SECURE": config.secure,
        "SECURE_HSTS_SECONDS": 31_536_000 if config.secure else 0,
        "SECURE_PROXY_SSL_HEADER": ("HTTP_X_FORWARDED_PROTO", "https") if config.behind_proxy else None,
        # `check --deploy` looks for Django's two middlewares; `portal.web.security_headers` adds their headers.
        "SILENCED_SYSTEM_CHECKS": ["security.W001", "security.W002"],
        # Django's own name and form, from 6.0 on.
        "SECURE_CSP": {
            "default-src": own,
            "script-src": own,
            "style-src": own,
            "img-src": [*own, "data:"],
            "object-src": ["'none'"],
            "base-uri": ["'none'"],
            "frame-ancestors": ["'none'"],
            # A browser applies form-action to the redirects that follow a form as well.
            "form-action": [*own, *sorted({*config.origins.values(), *_provider_origin(config)})],
        },
    }


def _toolbar() -> dict[str, Any]:
    """For this very machine alone; without the panels that would put the cookies' tokens into a page."""
    return {
        "INTERNAL_IPS": ["127.0.0.1", "::1"],
        "DEBUG_TOOLBAR_CONFIG": {
            # A form, a search and "load more" replace a part of the page: the toolbar follows them.
            "UPDATE_ON_FETCH": True,
            "OBSERVE_REQUEST_CALLBACK": "portal_dev.toolbar.history_panel.is_from_htmx",
        },
        "DEBUG_TOOLBAR_PANELS": [
            "portal_dev.toolbar.history_panel.HistoryPanel",
            "portal_dev.toolbar.queries_panel.QueriesPanel",
            "debug_toolbar.panels.timer.TimerPanel",
            "debug_toolbar.panels.staticfiles.StaticFilesPanel",
        ],
    }


def _provider_origin(config: PortalConfig) -> set[str]:
    """Where the sign-out form leads on to, if an OpenID provider signs people in."""
    parts = urlsplit(config.oidc.issuer)
    return {f"{parts.scheme}://{parts.netloc}"} if config.oidc.enabled else set()


def _logging(config: PortalConfig) -> dict[str, Any]:
    """One handler and one form of line for all that this process says (docs/reference/log.md); but the audit log
    has its own (docs/reference/audit-log.md).
    """
    return {
        "version": 1,
        "disable_existing_loggers": False,
        "formatters": {
            "line": {
                "()": "portal.config.log_lines.line_formatter",
                "app": config.project.app,
                "log_format": config.log_format,
            },
            "audit": {"()": "portal.telemetry.audit.JsonLine", "app": config.project.app},
        },
        "filters": {"unexplained": {"()": "portal.web.errors.failure_log.Unexplained"}},
        "handlers": {
            "stderr": {"class": "logging.StreamHandler", "formatter": "line"},
            "audit": _audit_handler(config.audit_log),
        },
        "root": {"handlers": ["stderr"], "level": "INFO"},
        "loggers": {
            "django": {"handlers": [], "level": "INFO", "propagate": True},
            "django.request": {"filters": ["unexplained"]},
            "django.server": {"handlers": [], "level": "INFO", "propagate": True},
            # Its warnings quote addresses with their queries, and header lines as they came.
            "urllib3": {"level": "ERROR"},
            "portal.audit": {"handlers": ["audit"], "level": "INFO", "propagate": False},
        },
    }


def _audit_handler(audit_log: str) -> dict[str, Any]:
    if audit_log == OFF:
        return {"class": "logging.NullHandler"}
    if audit_log == STDERR:
        return {"class": "logging.StreamHandler", "formatter": "audit"}
    return {"()": "portal.telemetry.audit.AuditFile", "path": audit_log, "formatter": "audit"}
