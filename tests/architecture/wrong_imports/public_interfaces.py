"""Wrong imports past the public interface of a package."""

from __future__ import annotations

#: A file, the line that it gets, and the contract that this breaks.
PUBLIC_INTERFACES = [
    (
        "packages/portal/query/client.py",
        "import portal.api.tokens",
        "From outside portal.api only its public interface is imported",
    ),
    (
        "packages/portal/api/session.py",
        "import portal.api.refresh.sealing",
        "From outside the refresh only its public interface is imported",
    ),
    (
        "packages/portal/web/urls.py",
        "import portal.edge.rules",
        "From outside the edge only its public interface is imported",
    ),
    (
        "packages/portal/edge/rules.py",
        "import portal.identity.users",
        "From outside identity only its public interface is imported",
    ),
    (
        "packages/portal_dev/local_servers/server_group.py",
        "import portal.config.environment.reader",
        "From outside the environment only its public interface is imported",
    ),
    (
        "apps/energy/views/overview.py",
        "import portal_pages.lists.list_views",
        "From outside portal_pages only its public interface is imported",
    ),
    (
        "packages/portal_pages/overviews/summaries.py",
        "import portal.web.present.results",
        "From outside portal.web.present only its public interface is imported",
    ),
    (
        "apps/energy/views/overview.py",
        "import portal.web.submissions",
        "Requests, cookies and submissions are for portal.web and the kit of pages",
    ),
    (
        "packages/portal_pages/resource_urls.py",
        "import portal_pages.search.found",
        "From outside portal_pages.search only its public interface is imported",
    ),
    (
        "packages/portal/web/templating/environment.py",
        "import jinja_onepage.inheritance",
        "From outside jinja_onepage only its public interface is imported",
    ),
    (
        "packages/portal/store/size.py",
        "import sqlite_cache.pool",
        "From outside sqlite_cache only its public interface is imported",
    ),
    (
        "packages/portal/query/client.py",
        "import portal.store.shared_store",
        "From outside the store only its public interface is imported",
    ),
    (
        "packages/portal/store/size.py",
        "import portal.process.deadline",
        "From outside portal.process only its public interface is imported",
    ),
    (
        "packages/portal/web/views/metrics.py",
        "import portal.query.process_state",
        "From outside the query layer only its public interface is imported",
    ),
    (
        "packages/portal/query/client.py",
        "import portal.query.reads.cached_reads",
        "From outside the reads only their public interface is imported",
    ),
    (
        "packages/portal/query/writes.py",
        "import portal.query.cache.patches",
        "From outside the page cache only its public interface is imported",
    ),
    (
        "packages/portal/query/request_partition.py",
        "import portal.query.partition.namespaces",
        "From outside the partition only its public interface is imported",
    ),
    (
        "packages/portal/query/client.py",
        "import portal.query.endpoints.urls",
        "From outside the endpoints only their public interface is imported",
    ),
    (
        "packages/portal/services/user.py",
        "import portal.query.hooks.queries",
        "From outside the hooks only their public interface is imported",
    ),
    (
        "packages/portal/query/client.py",
        "import portal.rows.decoding",
        "From outside the rows only their public interface is imported",
    ),
    (
        "packages/portal_dev/management/commands/check.py",
        "import portal_dev.source_checks.texts",
        "From outside the source checks only their public interface is imported",
    ),
    (
        "packages/portal_dev/management/commands/services_from_openapi.py",
        "import portal_dev.openapi.schema",
        "From outside openapi only its public interface is imported",
    ),
    (
        "packages/portal/operate/management/commands/list_endpoints.py",
        "import portal_dev.reference.endpoints",
        "From outside the reference only its public interface is imported",
    ),
    (
        "packages/portal_dev/catalogs.py",
        "import portal_dev.docs_site.links",
        "From outside the documentation's site only its public interface is imported",
    ),
    (
        "packages/portal_dev/openapi/writing/hooks.py",
        "import portal_dev.openapi.schema.shapes",
        "From outside a package of openapi only its public interface is imported",
    ),
    (
        "packages/portal_dev/openapi/__init__.py",
        "import portal_dev.openapi.writing.names",
        "From outside what writes declarations only its public interface is imported",
    ),
    (
        "apps/energy/views/overview.py",
        "import portal.web.middleware",
        "From outside portal.web only public interfaces are imported",
    ),
    (
        "packages/portal/web/guards.py",
        "import portal.web.frame.shell",
        "From outside portal.web.frame only its public interface is imported",
    ),
    (
        "apps/auth_app/views/login.py",
        "import portal.web.errors.redirects",
        "From outside portal.web.errors only its public interface is imported",
    ),
    (
        "packages/portal/web/middleware.py",
        "import portal.web.cookies.token_cookies",
        "From outside portal.web.cookies only its public interface is imported",
    ),
    (
        "apps/auth_app/views/login.py",
        "import portal.web.sign_in.rate_limit",
        "From outside portal.web.sign_in only its public interface is imported",
    ),
    (
        "apps/auth_app/views/oidc.py",
        "import portal.oidc.sessions",
        "From outside portal.oidc only its public interface is imported",
    ),
]
