"""The import contracts, tried: each wrong import is caught, by the contract that names the rule."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]

WRONG_IMPORTS = [
    ("packages/portal/config/limits.py", "import portal.web.frame.essentials", "Layers: imports go down"),
    ("packages/portal/identity/users.py", "import portal.api.session", "Layers: imports go down"),
    ("packages/portal/query/client.py", "import portal.services.user", "Layers: imports go down"),
    ("packages/portal/api/session.py", "import portal.edge.rules", "Layers: imports go down"),
    ("packages/portal/errors.py", "import portal.config.environment.reader", "Layers: imports go down"),
    ("packages/portal/utils.py", "", "Layers: imports go down"),
    ("apps/energy/views/clients.py", "import apps.finance.views", "The projects are independent of each other"),
    ("apps/finance/views/invoices.py", "import apps.auth_app.views", "The projects are independent of each other"),
    ("packages/portal/web/pages/guards.py", "import apps.energy.views", "The shared package knows no project"),
    ("packages/portal/api/session.py", "import sandbox_api.models", "The sandbox and the portal meet over HTTP only"),
    ("packages/sandbox_api/problems.py", "import portal.errors", "The sandbox and the portal meet over HTTP only"),
    ("apps/energy/views/clients.py", "import sandbox_api.models", "The projects do not know the sandbox"),
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
    (
        "packages/portal/query/client.py",
        "import portal.api.tokens",
        "From outside portal.api only its face is imported",
    ),
    (
        "packages/portal/api/session.py",
        "import portal.api.refresh.sealing",
        "From outside the refresh only its face is imported",
    ),
    ("packages/portal/api/tokens.py", "import portal.api.transport", "Inside portal.api imports go down"),
    (
        "packages/portal/api/refresh/sealing.py",
        "import portal.api.refresh.refresher",
        "No two modules or rooms of portal import each other in a circle",
    ),
    (
        "packages/portal/api/refresh/token_records.py",
        "import portal.api.refresh.attempt",
        "Inside the refresh imports go down",
    ),
    ("packages/portal/edge/middleware.py", "import requests", "The edge reaches no HTTP and no cache"),
    ("packages/portal/web/urls.py", "import portal.edge.rules", "From outside the edge only its face is imported"),
    (
        "packages/portal/edge/middleware.py",
        "import portal.edge.http.responses",
        "From outside the edge's HTTP only its face is imported",
    ),
    (
        "packages/portal/edge/rules.py",
        "import portal.edge.routes.paths",
        "From outside the routes only their face is imported",
    ),
    ("packages/portal/edge/decisions.py", "import portal.edge.rules", "Inside the edge imports go down"),
    ("packages/portal/edge/routes/paths.py", "import portal.edge.routes.site", "Inside the routes imports go down"),
    (
        "packages/portal/edge/rules.py",
        "import portal.identity.users",
        "From outside identity only its face is imported",
    ),
    (
        "packages/portal/identity/platforms.py",
        "import portal.identity.users",
        "Inside identity imports go down",
    ),
    (
        "packages/portal/server/server_group.py",
        "import portal.config.environment.reader",
        "From outside the environment only its face is imported",
    ),
    ("packages/portal/config/limits.py", "import portal.config.projects", "Inside the configuration imports go down"),
    ("packages/portal/server/ports.py", "import portal.server.workers", "Inside the server imports go down"),
    (
        "packages/portal/server/wsgi/lost_cookies.py",
        "import django.conf",
        "The supervisor of the workers imports no Django",
    ),
    ("packages/portal/edge/rules.py", "import django.http", "The pure core knows neither Django nor HTTP"),
    ("packages/portal/query/cache/pages.py", "import django.conf", "The pure core knows neither Django nor HTTP"),
    ("packages/portal/query/client.py", "import sqlite3", "Only the store opens what processes share"),
    ("packages/portal/web/frame/essentials.py", "import redis", "Only the store opens what processes share"),
    (
        "apps/energy/views/overview.py",
        "import portal.web.pages.lists.list_views",
        "From outside portal.web.pages only its face is imported",
    ),
    (
        "packages/portal/web/pages/page_names.py",
        "import portal.web.pages.lists.list_views",
        "Inside portal.web.pages imports go down",
    ),
    (
        "packages/portal/web/pages/overviews/summaries.py",
        "import portal.web.present.results",
        "From outside portal.web.present only its face is imported",
    ),
    ("packages/portal/testing/pages.py", "import portal.devtools.catalogs", "Layers: imports go down"),
    ("packages/portal/web/frame/essentials.py", "import portal.testing", "Layers: imports go down"),
    ("apps/energy/views/overview.py", "import portal.testing.backend", "Only tests import what is made for tests"),
    ("packages/portal/management/entry.py", "import portal.testing", "Only tests import what is made for tests"),
    (
        "packages/sqlite_cache/pool.py",
        "import portal.errors",
        "Packages: sqlite_cache and fork_safety know nothing of the portal",
    ),
    (
        "packages/fork_safety/__init__.py",
        "import sqlite_cache",
        "Packages: sqlite_cache and fork_safety know nothing of the portal",
    ),
    (
        "packages/portal/store/size.py",
        "import sqlite_cache.pool",
        "From outside sqlite_cache only its face is imported",
    ),
    (
        "packages/portal/query/client.py",
        "import portal.store.shared_store",
        "From outside the store only its face is imported",
    ),
    (
        "packages/portal/store/size.py",
        "import portal.process.clock",
        "From outside portal.process only its face is imported",
    ),
    (
        "packages/portal/process/clock.py",
        "import portal.process.deadline",
        "The modules of portal.process are independent of each other",
    ),
    ("packages/portal/store/size.py", "import portal.store.checks", "Inside the store imports go down"),
    ("packages/sqlite_cache/pool.py", "import sqlite_cache.eviction", "Inside sqlite_cache imports go down"),
    ("packages/sqlite_cache/backend.py", "import redis", "sqlite_cache needs Django, msgspec and fork_safety only"),
    ("packages/fork_safety/__init__.py", "import django.conf", "fork_safety needs the standard library only"),
    ("packages/portal/query/client.py", "import sqlite_cache", "Only the store opens what processes share"),
    (
        "packages/portal/web/views/metrics.py",
        "import portal.query.process_state",
        "From outside the query layer only its face is imported",
    ),
    ("packages/portal/query/cache/pages.py", "import portal.query.writes", "Inside the query layer imports go down"),
    (
        "packages/portal/query/retries.py",
        "import portal.query.backend_calls",
        "Inside the query layer imports go down",
    ),
    (
        "packages/portal/query/client.py",
        "import portal.query.reads.cached_reads",
        "From outside the reads only their face is imported",
    ),
    (
        "packages/portal/query/writes.py",
        "import portal.query.cache.patches",
        "From outside the page cache only its face is imported",
    ),
    (
        "packages/portal/query/request_partition.py",
        "import portal.query.partition.namespaces",
        "From outside the partition only its face is imported",
    ),
    (
        "packages/portal/query/reads/page_fetches.py",
        "import portal.query.reads.revalidation",
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
        "packages/portal/query/client.py",
        "import portal.query.endpoints.keys",
        "From outside the endpoints only their face is imported",
    ),
    (
        "packages/portal/services/user.py",
        "import portal.query.hooks.queries",
        "From outside the hooks only their face is imported",
    ),
    (
        "packages/portal/query/endpoints/params.py",
        "import portal.query.endpoints.urls",
        "Inside the endpoints imports go down",
    ),
    (
        "packages/portal/query/client.py",
        "import portal.query.rows.decoding",
        "From outside the rows only their face is imported",
    ),
    (
        "packages/portal/query/rows/partials.py",
        "import portal.query.rows.records",
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
        "packages/portal/management/commands/check.py",
        "import portal.source_checks.texts",
        "From outside the source checks only their face is imported",
    ),
    (
        "packages/portal/source_checks/markup.py",
        "import portal.source_checks.texts",
        "Inside the source checks imports go down",
    ),
    ("packages/portal/testing/shapes.py", "import portal.testing.fixtures", "Inside testing imports go down"),
    (
        "packages/portal/devtools/query_buttons.py",
        "import portal.devtools.queries_panel",
        "Inside devtools imports go down",
    ),
    (
        "packages/portal/management/commands/services_from_openapi.py",
        "import portal.devtools.openapi.schema",
        "From outside openapi only its face is imported",
    ),
    (
        "packages/portal/management/commands/list_endpoints.py",
        "import portal.devtools.reference.endpoints",
        "From outside the reference only its face is imported",
    ),
    (
        "packages/portal/devtools/catalogs.py",
        "import portal.devtools.docs_site.links",
        "From outside the documentation's site only its face is imported",
    ),
    (
        "packages/portal/devtools/docs_site/links.py",
        "import portal.devtools.docs_site.navigation",
        "Inside the documentation's site imports go down",
    ),
    (
        "packages/portal/devtools/openapi/schema/shapes.py",
        "import portal.devtools.openapi.schema.schemas",
        "Inside the schema imports go down",
    ),
    (
        "packages/portal/devtools/openapi/schema/operations.py",
        "import portal.devtools.openapi.writing",
        "Inside openapi imports go down",
    ),
    (
        "packages/portal/devtools/openapi/writing/hooks.py",
        "import portal.devtools.openapi.schema.shapes",
        "From outside a room of openapi only its face is imported",
    ),
    (
        "packages/portal/devtools/openapi/__init__.py",
        "import portal.devtools.openapi.writing.names",
        "From outside what writes declarations only its face is imported",
    ),
    (
        "packages/portal/devtools/openapi/writing/names.py",
        "import portal.devtools.openapi.writing.classes",
        "Inside what writes declarations imports go down",
    ),
    ("packages/portal/query/endpoints/urls.py", "import django.http", "The pure core knows neither Django nor HTTP"),
    ("packages/portal/store/shared_store.py", "import pytest", "What is served needs no test tools"),
    ("packages/portal/api/session.py", "import responses", "What is served needs no test tools"),
    (
        "packages/portal/web/errors/problems.py",
        "import portal.web.pages",
        "Inside portal.web imports go down",
    ),
    (
        "packages/portal/web/context_processors.py",
        "import portal.web.cookies",
        "Inside portal.web imports go down",
    ),
    ("packages/portal/web/helpers.py", "", "Inside portal.web imports go down"),
    (
        "apps/energy/views/overview.py",
        "import portal.web.middleware",
        "From outside portal.web only faces are imported",
    ),
    (
        "packages/portal/web/pages/guards.py",
        "import portal.web.frame.shell",
        "From outside portal.web.frame only its face is imported",
    ),
    (
        "packages/portal/web/frame/platform_names.py",
        "import portal.web.frame.essentials",
        "Inside portal.web.frame imports go down",
    ),
    (
        "apps/auth_app/views/login.py",
        "import portal.web.errors.redirects",
        "From outside portal.web.errors only its face is imported",
    ),
    (
        "packages/portal/web/errors/redirects.py",
        "import portal.web.errors.failure_pages",
        "Inside portal.web.errors imports go down",
    ),
    (
        "packages/portal/web/middleware.py",
        "import portal.web.cookies.token_cookies",
        "From outside portal.web.cookies only its face is imported",
    ),
    (
        "packages/portal/web/cookies/token_cookies.py",
        "import portal.web.cookies.message_storage",
        "Inside portal.web.cookies imports go down",
    ),
    (
        "apps/auth_app/views/login.py",
        "import portal.web.sign_in.rate_limit",
        "From outside portal.web.sign_in only its face is imported",
    ),
    (
        "packages/portal/web/sign_in/post_login.py",
        "import portal.web.sign_in.password",
        "Inside portal.web.sign_in imports go down",
    ),
    ("packages/portal/api/session.py", "import portal.oidc", "Layers: imports go down"),
    (
        "packages/portal/checks.py",
        "import portal.oidc",
        "OpenID is optional: the gateway's view alone imports portal.oidc",
    ),
    (
        "apps/energy/views/overview.py",
        "import portal.oidc",
        "OpenID is optional: the gateway's view alone imports portal.oidc",
    ),
    (
        "apps/auth_app/views/oidc.py",
        "import portal.oidc.sessions",
        "From outside portal.oidc only its face is imported",
    ),
    ("packages/portal/api/jwks.py", "import joserfc.jwk", "The libraries for OpenID are imported by portal.oidc only"),
    ("packages/portal/oidc/id_tokens.py", "import portal.oidc.provider", "Inside portal.oidc imports go down"),
]


def lint_imports(folder: Path) -> subprocess.CompletedProcess[str]:
    tool = Path(sys.executable).with_name("lint-imports")
    # The environment's path file names this checkout; the copy comes before it.
    path = f"{folder}:{folder / 'packages'}"
    environment = {**os.environ, "PYTHONPATH": path}
    command = [tool, "--no-cache"]
    return subprocess.run(
        command, cwd=folder, env=environment, capture_output=True, text=True, check=False, timeout=120
    )


@pytest.fixture(scope="module")
def copy(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("house")
    shutil.copy(ROOT / "pyproject.toml", folder)
    for part in ("packages", "apps"):
        shutil.copytree(ROOT / part, folder / part, ignore=shutil.ignore_patterns("__pycache__", "locale"))
    return folder


def test_the_house_as_it_stands_keeps_every_contract(copy: Path) -> None:
    result = lint_imports(copy)
    assert result.returncode == 0, result.stdout
    assert " 0 broken" in result.stdout


def test_each_wrong_import_is_tried_in_a_module_that_exists() -> None:
    """But a new module, which has no line: it has no place in its layer yet."""
    assert [file for file, line, _ in WRONG_IMPORTS if line and not (ROOT / file).is_file()] == []


@pytest.mark.parametrize(("file", "line", "contract"), WRONG_IMPORTS)
def test_a_wrong_import_is_caught_by_name(copy: Path, file: str, line: str, contract: str) -> None:
    path = copy / file
    before = path.read_text() if path.exists() else None
    path.write_text(f"{before or ''}\n{line}\n")
    try:
        result = lint_imports(copy)
    finally:
        if before is None:
            path.unlink()
        else:
            path.write_text(before)
    assert result.returncode != 0
    # The row may end with a remark.
    broken = [row.partition(" BROKEN")[0] for row in result.stdout.splitlines() if " BROKEN" in row]
    assert contract in broken or (line == "" and "utils" in result.stdout), result.stdout
