"""Wrong imports of what the importer must not know: a library, a part of the project, a tool for tests."""

from __future__ import annotations

PACKAGES = "Packages: imports go down, and nothing imports the developers' tools"

#: A file, the line that it gets, and the contract that this breaks.
DEPENDENCIES = [
    ("packages/portal/web/guards.py", "import apps.energy.views", "The shared package knows no project"),
    ("packages/portal/api/session.py", "import sandbox_api.models", "The sandbox and the portal meet over HTTP only"),
    ("packages/sandbox_api/problems.py", "import portal.errors", "The sandbox and the portal meet over HTTP only"),
    ("apps/energy/views/clients.py", "import sandbox_api.models", "The projects do not know the sandbox"),
    ("packages/portal_pages/urls.py", "import sandbox_api.models", "The projects do not know the sandbox"),
    ("packages/portal_pages/urls.py", "import apps.energy.views", "The shared package knows no project"),
    ("packages/sandbox_api/problems.py", "import portal_pages.urls", "The sandbox does not know the projects"),
    ("packages/portal_pages/urls.py", "import sqlite3", "Only the store opens what processes share"),
    (
        "packages/portal_pages/lists/list_views.py",
        "import portal.web.sign_in",
        "The kit of pages stands on the web layer, and on nothing above it",
    ),
    (
        "packages/portal/process/thread_pool.py",
        "import portal.config.limits",
        "Threads, locks and counts do not know the configuration",
    ),
    (
        "packages/portal/telemetry/metrics/families.py",
        "import portal.config.limits",
        "Threads, locks and counts do not know the configuration",
    ),
    ("packages/sandbox_api/problems.py", "import apps.energy.views", "The sandbox does not know the projects"),
    ("apps/energy/views/clients.py", "import requests", "Projects call the backend through hooks only"),
    (
        "apps/operations/views/work_orders.py",
        "import portal.api.session",
        "Projects call the backend through hooks only",
    ),
    ("apps/auth_app/views/login.py", "import portal.query.client", "Projects call the backend through hooks only"),
    ("apps/energy/views/clients.py", "import socket", "Projects call the backend through hooks only"),
    ("packages/portal/services/user.py", "import requests", "Services declare calls, and make none"),
    ("packages/portal/edge/middleware.py", "import requests", "The edge reaches no HTTP and no cache"),
    (
        "packages/portal/server/wsgi.py",
        "import django.conf",
        "The supervisor of the workers imports no Django",
    ),
    ("packages/portal/edge/rules.py", "import django.http", "The pure core knows neither Django nor HTTP"),
    ("packages/portal/query/cache/pages.py", "import django.conf", "The pure core knows neither Django nor HTTP"),
    ("packages/portal/query/client.py", "import sqlite3", "Only the store opens what processes share"),
    ("packages/portal/web/frame/essentials.py", "import redis", "Only the store opens what processes share"),
    ("apps/energy/views/overview.py", "import portal.testing.backend", "Only tests import what is made for tests"),
    ("packages/portal/operate/program/entry.py", "import portal.testing", "Only tests import what is made for tests"),
    (
        "packages/sqlite_cache/pool.py",
        "import portal.errors",
        PACKAGES,
    ),
    (
        "packages/fork_safety/__init__.py",
        "import sqlite_cache",
        PACKAGES,
    ),
    ("packages/portal/config/current.py", "import portal_dev.catalogs", PACKAGES),
    ("packages/portal/web/errors/failure_pages.py", "import portal_pages", PACKAGES),
    ("packages/portal_pages/page_names.py", "import apps.energy.views", PACKAGES),
    ("packages/jinja_onepage/constants.py", "import portal.errors", PACKAGES),
    ("packages/jinja_onepage/constants.py", "import sqlite_cache", PACKAGES),
    ("packages/jinja_onepage/inheritance.py", "import django.conf", "jinja_onepage needs Jinja2 only"),
    ("apps/energy/views/overview.py", "import portal_dev.catalogs", PACKAGES),
    ("packages/sqlite_cache/backend.py", "import redis", "sqlite_cache needs Django, msgspec and fork_safety only"),
    ("packages/fork_safety/__init__.py", "import django.conf", "fork_safety needs the standard library only"),
    ("packages/portal/query/client.py", "import sqlite_cache", "Only the store opens what processes share"),
    ("packages/portal/query/endpoints/urls.py", "import django.http", "The pure core knows neither Django nor HTTP"),
    ("packages/portal/store/shared_store.py", "import pytest", "What is served needs no test tools"),
    ("packages/portal/api/session.py", "import responses", "What is served needs no test tools"),
    (
        "packages/portal/operate/checks.py",
        "import portal.oidc",
        "OpenID is optional: the start and the gateway's view alone import portal.oidc",
    ),
    (
        "apps/energy/views/overview.py",
        "import portal.oidc",
        "OpenID is optional: the start and the gateway's view alone import portal.oidc",
    ),
    ("packages/portal/api/jwks.py", "import joserfc.jwk", "The libraries for OpenID are imported by portal.oidc only"),
]
