"""Wrong imports against the direction in which imports go, between packages and inside one."""

from __future__ import annotations

#: A file, the line that it gets, and the contract that this breaks.
DIRECTIONS = [
    ("packages/portal/config/limits.py", "import portal.web.frame.essentials", "Layers: imports go down"),
    ("packages/portal/identity/users.py", "import portal.api.session", "Layers: imports go down"),
    ("packages/portal/query/client.py", "import portal.services.user", "Layers: imports go down"),
    ("packages/portal/api/session.py", "import portal.edge.rules", "Layers: imports go down"),
    ("packages/portal/errors.py", "import portal.config.environment.reader", "Layers: imports go down"),
    ("packages/portal/utils.py", "", "Layers: imports go down"),
    ("apps/energy/views/clients.py", "import apps.finance.views", "The projects are independent of each other"),
    ("apps/finance/views/invoices.py", "import apps.auth_app.views", "The projects are independent of each other"),
    ("packages/portal/api/tokens.py", "import portal.api.transport", "Inside portal.api imports go down"),
    (
        "packages/portal/api/refresh/sealing.py",
        "import portal.api.refresh.refresher",
        "No two modules or packages of portal import each other in a circle",
    ),
    (
        "packages/portal/api/refresh/token_records.py",
        "import portal.api.refresh.attempt",
        "Inside the refresh imports go down",
    ),
    ("packages/portal/edge/decisions.py", "import portal.edge.rules", "Inside the edge imports go down"),
    (
        "packages/portal/identity/users.py",
        "import portal.identity.token_cache",
        "Inside identity imports go down",
    ),
    ("packages/portal/config/limits.py", "import portal.config.projects", "Inside the configuration imports go down"),
    ("packages/portal/server/ports.py", "import portal.server.workers", "Inside the server imports go down"),
    (
        "packages/portal_pages/page_names.py",
        "import portal_pages.lists.list_views",
        "Inside portal_pages imports go down",
    ),
    ("packages/portal/testing/pages.py", "import portal.server.startup", "Layers: imports go down"),
    ("packages/portal/web/frame/essentials.py", "import portal.testing", "Layers: imports go down"),
    (
        "packages/portal/process/thread_pool.py",
        "import portal.process.deadline",
        "The modules of portal.process are independent of each other",
    ),
    ("packages/portal/store/size.py", "import portal.store.checks", "Inside the store imports go down"),
    ("packages/sqlite_cache/pool.py", "import sqlite_cache.eviction", "Inside sqlite_cache imports go down"),
    ("packages/portal/query/cache/pages.py", "import portal.query.writes", "Inside the query layer imports go down"),
    (
        "packages/portal/query/calls.py",
        "import portal.query.client",
        "Inside the query layer imports go down",
    ),
    (
        "packages/portal/query/reads/page_fetches.py",
        "import portal.query.reads.parallel_fetches",
        "Inside the reads imports go down",
    ),
    (
        "packages/portal/query/cache/patches.py",
        "import portal.query.cache.write_log",
        "Inside the page cache imports go down",
    ),
    (
        "packages/portal/query/partition/generations.py",
        "import portal.query.partition.namespaces",
        "Inside the partition imports go down",
    ),
    (
        "packages/portal/query/endpoints/params.py",
        "import portal.query.endpoints.urls",
        "Inside the endpoints imports go down",
    ),
    (
        "packages/portal/rows/parameters.py",
        "import portal.rows.records",
        "Inside the rows imports go down",
    ),
    (
        "packages/portal/query/hooks/queries.py",
        "import portal.query.hooks.groups",
        "Inside the hooks imports go down",
    ),
    (
        "packages/portal/services/energy/meters.py",
        "import portal.services.finance.invoices",
        "The domains of the services are independent of each other",
    ),
    (
        "packages/portal_dev/source_checks/markup.py",
        "import portal_dev.source_checks.texts",
        "Inside the source checks imports go down",
    ),
    ("packages/portal/testing/shapes.py", "import portal.testing.fixtures", "Inside testing imports go down"),
    (
        "packages/portal_dev/toolbar/query_buttons.py",
        "import portal_dev.toolbar.queries_panel",
        "Inside the toolbar imports go down",
    ),
    ("packages/portal_dev/catalogs.py", "import portal_dev.reference", "Inside portal_dev imports go down"),
    (
        "packages/portal_dev/platforms/platform_folders.py",
        "import portal_dev.platforms.platform_names",
        "Inside platforms imports go down",
    ),
    (
        "packages/portal_dev/local_servers/server_group.py",
        "import portal_dev.local_servers.reloader",
        "Inside the local servers imports go down",
    ),
    (
        "packages/portal_dev/docs_site/links.py",
        "import portal_dev.docs_site.navigation",
        "Inside the documentation's site imports go down",
    ),
    (
        "packages/portal_dev/openapi/schema/shapes.py",
        "import portal_dev.openapi.schema.schemas",
        "Inside the schema imports go down",
    ),
    (
        "packages/portal_dev/openapi/schema/operations.py",
        "import portal_dev.openapi.writing",
        "Inside openapi imports go down",
    ),
    (
        "packages/portal_dev/openapi/writing/names.py",
        "import portal_dev.openapi.writing.classes",
        "Inside what writes declarations imports go down",
    ),
    ("packages/portal/web/errors/problems.py", "import portal.web.guards", "Inside portal.web imports go down"),
    ("packages/portal/config/limits.py", "import portal.telemetry.audit", "Layers: imports go down"),
    ("packages/portal/rows/records.py", "import portal.query", "Layers: imports go down"),
    ("packages/portal/server/readiness.py", "import portal.operate.suggestions", "Layers: imports go down"),
    (
        "packages/portal/identity/users.py",
        "import portal.telemetry.audit",
        "Identity, the audit log and the spans are independent of each other",
    ),
    (
        "packages/portal/telemetry/tracing.py",
        "import portal.telemetry.audit",
        "Inside portal.telemetry imports go down",
    ),
    (
        "packages/portal/operate/token_report.py",
        "import portal.operate.program.entry",
        "Inside portal.operate imports go down",
    ),
    (
        "packages/portal/operate/program/command_names.py",
        "import portal.operate.program.entry",
        "Inside the program imports go down",
    ),
    (
        "packages/jinja_onepage/constants.py",
        "import jinja_onepage.inheritance",
        "The modules of jinja_onepage are independent of each other",
    ),
    (
        "packages/portal/web/context_processors.py",
        "import portal.web.cookies",
        "Inside portal.web imports go down",
    ),
    ("packages/portal/web/helpers.py", "", "Inside portal.web imports go down"),
    (
        "packages/portal/web/frame/platform_names.py",
        "import portal.web.frame.essentials",
        "Inside portal.web.frame imports go down",
    ),
    (
        "packages/portal/web/errors/redirects.py",
        "import portal.web.errors.failure_pages",
        "Inside portal.web.errors imports go down",
    ),
    (
        "packages/portal/web/cookies/token_cookies.py",
        "import portal.web.cookies.message_storage",
        "Inside portal.web.cookies imports go down",
    ),
    (
        "packages/portal/web/sign_in/post_login.py",
        "import portal.web.sign_in.password",
        "Inside portal.web.sign_in imports go down",
    ),
    ("packages/portal/api/session.py", "import portal.oidc", "Layers: imports go down"),
    ("packages/portal/oidc/id_tokens.py", "import portal.oidc.provider", "Inside portal.oidc imports go down"),
]
