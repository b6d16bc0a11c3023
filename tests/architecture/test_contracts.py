"""The import contracts, tried: each wrong import is caught, by the contract that names the rule."""

from __future__ import annotations

import os
import re
import shutil
import subprocess
import sys
import tomllib
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]

#: Of a contract, wrong imports that break it: the file that gets one, and what it imports. A new module imports nothing.
WRONG_IMPORTS = {
    "The shared package knows no project": [
        ("packages/portal/web/guards.py", "apps.energy.views"),
        ("packages/portal_pages/urls.py", "apps.energy.views"),
    ],
    "The sandbox and the portal meet over HTTP only": [
        ("packages/portal/api/session.py", "sandbox_api.models"),
        ("packages/sandbox_api/problems.py", "portal.errors"),
    ],
    "The projects do not know the sandbox": [
        ("apps/energy/views/clients.py", "sandbox_api.models"),
        ("packages/portal_pages/urls.py", "sandbox_api.models"),
    ],
    "The sandbox does not know the projects": [
        ("packages/sandbox_api/problems.py", "portal_pages.urls"),
        ("packages/sandbox_api/problems.py", "apps.energy.views"),
    ],
    "Only the store opens what processes share": [
        ("packages/portal_pages/urls.py", "sqlite3"),
        ("packages/portal/query/client.py", "sqlite3"),
        ("packages/portal/web/frame/essentials.py", "redis"),
        ("packages/portal/query/client.py", "sqlite_cache"),
    ],
    "The kit of pages stands on the web layer, and on nothing above it": [
        ("packages/portal_pages/lists/list_views.py", "portal.web.sign_in"),
    ],
    "Threads, locks and counts do not know the configuration": [
        ("packages/portal/process/thread_pool.py", "portal.config.limits"),
        ("packages/portal/telemetry/metrics/families.py", "portal.config.limits"),
    ],
    "Projects call the backend through hooks only": [
        ("apps/energy/views/clients.py", "requests"),
        ("apps/operations/views/work_orders.py", "portal.api.session"),
        ("packages/portal_gateway/views/login.py", "portal.query.client"),
        ("apps/energy/views/clients.py", "socket"),
    ],
    "Services declare calls, and make none": [
        ("packages/portal/services/user.py", "requests"),
    ],
    "The edge reaches no HTTP and no cache": [
        ("packages/portal/edge/middleware.py", "requests"),
    ],
    "The supervisor of the workers imports no Django": [
        ("packages/portal/server/wsgi.py", "django.conf"),
    ],
    "The pure core knows neither Django nor HTTP": [
        ("packages/portal/edge/rules.py", "django.http"),
        ("packages/portal/query/cache/pages.py", "django.conf"),
        ("packages/portal/query/endpoints/urls.py", "django.http"),
    ],
    "Only tests import what is made for tests": [
        ("apps/energy/views/overview.py", "portal.testing.backend"),
        ("packages/portal_operate/program/entry.py", "portal.testing"),
    ],
    "Packages: imports go down, and nothing imports the developers' tools": [
        ("packages/sqlite_cache/pool.py", "portal.errors"),
        ("packages/fork_safety/__init__.py", "sqlite_cache"),
        ("packages/portal/config/current.py", "portal_dev.catalogs"),
        ("packages/portal/web/errors/failure_pages.py", "portal_pages"),
        ("packages/portal/server/readiness.py", "portal_operate.suggestions"),
        ("packages/portal/api/session.py", "portal_oidc"),
        ("packages/portal_pages/page_names.py", "apps.energy.views"),
        ("packages/jinja_onepage/constants.py", "portal.errors"),
        ("packages/jinja_onepage/constants.py", "sqlite_cache"),
        ("apps/energy/views/overview.py", "portal_dev.catalogs"),
    ],
    "jinja_onepage needs Jinja2 only": [
        ("packages/jinja_onepage/inheritance.py", "django.conf"),
    ],
    "sqlite_cache needs Django, msgspec and fork_safety only": [
        ("packages/sqlite_cache/backend.py", "redis"),
    ],
    "fork_safety needs the standard library only": [
        ("packages/fork_safety/__init__.py", "django.conf"),
    ],
    "What is served needs no test tools": [
        ("packages/portal/store/shared_store.py", "pytest"),
        ("packages/portal/api/session.py", "responses"),
    ],
    "OpenID is optional: the start and the gateway's view alone import portal_oidc": [
        ("packages/portal_operate/checks.py", "portal_oidc"),
        ("apps/energy/views/overview.py", "portal_oidc"),
    ],
    "The libraries for OpenID are imported by portal_oidc only": [
        ("packages/portal/api/jwks.py", "joserfc.jwk"),
    ],
    "Layers: imports go down": [
        ("packages/portal/config/limits.py", "portal.web.frame.essentials"),
        ("packages/portal/identity/users.py", "portal.api.session"),
        ("packages/portal/query/client.py", "portal.services.user"),
        ("packages/portal/api/session.py", "portal.edge.rules"),
        ("packages/portal/errors.py", "portal.config.environment.reader"),
        ("packages/portal/utils.py", ""),
        ("packages/portal/testing/pages.py", "portal.server.startup"),
        ("packages/portal/web/frame/essentials.py", "portal.testing"),
        ("packages/portal/config/limits.py", "portal.telemetry.audit"),
        ("packages/portal/rows/records.py", "portal.query"),
    ],
    "The projects are independent of each other": [
        ("apps/energy/views/clients.py", "apps.finance.views"),
        ("apps/finance/views/invoices.py", "apps.operations.views"),
    ],
    "The gateway's package is its project's": [
        ("apps/finance/views/invoices.py", "portal_gateway.views"),
    ],
    "No two modules or packages of portal import each other in a circle": [
        ("packages/portal/api/refresh/sealing.py", "portal.api.refresh.refresher"),
    ],
    "The modules of portal.process are independent of each other": [
        ("packages/portal/process/thread_pool.py", "portal.process.deadline"),
    ],
    "Inside the query layer imports go down": [
        ("packages/portal/query/cache/pages.py", "portal.query.writes"),
        ("packages/portal/query/calls.py", "portal.query.client"),
    ],
    "The domains of the services are independent of each other": [
        ("packages/portal/services/energy/meters.py", "portal.services.finance.invoices"),
    ],
    "Inside portal_dev imports go down": [
        ("packages/portal_dev/catalogs.py", "portal_dev.reference"),
    ],
    "Inside portal.web imports go down": [
        ("packages/portal/web/errors/failure_pages.py", "portal.web.guards"),
        ("packages/portal/web/context_processors.py", "portal.web.cookies"),
        ("packages/portal/web/helpers.py", ""),
    ],
    "Identity, the audit log and the spans are independent of each other": [
        ("packages/portal/identity/users.py", "portal.telemetry.audit"),
    ],
    "The modules of jinja_onepage are independent of each other": [
        ("packages/jinja_onepage/constants.py", "jinja_onepage.inheritance"),
    ],
    "From outside portal.api only its public interface is imported": [
        ("packages/portal/query/client.py", "portal.api.tokens"),
    ],
    "From outside portal_pages only its public interface is imported": [
        ("apps/energy/views/overview.py", "portal_pages.lists.list_views"),
    ],
    "Requests, cookies and submissions are for portal.web and the kit of pages": [
        ("apps/energy/views/overview.py", "portal.web.submissions"),
    ],
    "From outside the query layer only its public interface is imported": [
        ("packages/portal/web/views/for_machines.py", "portal.query.process_state"),
    ],
    "From outside the reads only their public interface is imported": [
        ("packages/portal/query/client.py", "portal.query.reads.cached_reads"),
    ],
    "From outside openapi only its public interface is imported": [
        ("packages/portal_dev/management/commands/services_from_openapi.py", "portal_dev.openapi.schema"),
    ],
    "From outside portal.web only public interfaces are imported": [
        ("apps/energy/views/overview.py", "portal.web.middleware"),
    ],
}


def lint_imports(folder: Path) -> subprocess.CompletedProcess[str]:
    tool = Path(sys.executable).with_name("lint-imports")
    # The environment's path file names this checkout; the copy comes before it.
    path = f"{folder}:{folder / 'packages'}"
    environment = {**os.environ, "PYTHONPATH": path, "COLUMNS": "300"}
    command = [tool, "--no-cache"]
    return subprocess.run(
        command, cwd=folder, env=environment, capture_output=True, text=True, check=False, timeout=120
    )


@pytest.fixture(scope="module")
def copy(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("checkout")
    shutil.copy(ROOT / "pyproject.toml", folder)
    for part in ("packages", "apps"):
        shutil.copytree(ROOT / part, folder / part, ignore=shutil.ignore_patterns("__pycache__", "locale"))
    return folder


def test_the_code_as_it_stands_keeps_every_contract_and_each_wrong_import_breaks_its_own(copy: Path) -> None:
    result = lint_imports(copy)
    assert (result.returncode, " 0 broken" in result.stdout) == (0, True), result.stdout
    wrong = [(copy / file, name, contract) for contract, each in WRONG_IMPORTS.items() for file, name in each]
    numbers = [append(file, f"import {name}" if name else "") for file, name, _ in wrong]
    reports = reports_of(lint_imports(copy).stdout)
    missed = [
        (str(file), name, contract)
        for (file, name, contract), number in zip(wrong, numbers, strict=True)
        if not names_import(reports.get(contract, ""), str(file.relative_to(copy)), name, number)
    ]
    assert missed == []


def test_what_a_package_does_not_hand_out_is_protected_and_each_module_has_its_place_in_the_layers() -> None:
    contracts = tomllib.loads((ROOT / "pyproject.toml").read_text())["tool"]["importlinter"]["contracts"]
    inside = [each for each in contracts if each["type"] == "layers" and "containers" in each]
    assert [each["name"] for each in inside if not each.get("exhaustive")] == []
    protected = [name for contract in contracts for name in contract.get("protected_modules", [])]
    packages = {
        ".".join(interface.parent.relative_to(ROOT / "packages").parts)
        for interface in (ROOT / "packages").rglob("__init__.py")
        if re.search(r"^from (portal|sqlite|jinja|fork)\w*[. ]", interface.read_text(), re.MULTILINE)
    }
    assert len(packages) > 30
    # The services are imported module by module, and the doctor by the command beside it alone.
    others = packages - {"portal.services", "portal.testing", "portal_operate.doctor"}
    assert [name for name in sorted(others) if not any(each.startswith(f"{name}.") for each in protected)] == []


def append(path: Path, line: str) -> int:
    """Add a line; gives its number. A new module has none: it has no place in its layer yet."""
    assert path.is_file() == bool(line), f"{path} has moved"
    text = path.read_text() if line else ""
    path.write_text(f"{text}{line}\n")
    return text.count("\n") + 1


def reports_of(output: str) -> dict[str, str]:
    """Of each broken contract, what the linter says of it."""
    parts = re.split(r"^(\S.*)\n-+\n", output.partition("Broken contracts\n")[2], flags=re.MULTILINE)
    return dict(zip(parts[1::2], parts[2::2], strict=True))


def names_import(report: str, file: str, imported: str, number: int) -> bool:
    """Whether a report names this import at its line, as the last step of a chain: it leads to what is forbidden.

    Of a circle it names the two modules, by their last names.
    """
    module = file.removeprefix("packages/").removesuffix(".py").removesuffix("/__init__").replace("/", ".")
    if not imported:
        return f"\n- {module}\n" in report
    library, name, other = (
        re.escape(each.rpartition(".")[2]) for each in (imported.partition(".")[0], module, imported)
    )
    at_its_line = rf"^[- ] *{re.escape(module)} -> (?:{re.escape(imported)}|{library}) \(.*\bl\.{number}\b.*\n(?! )"
    return re.search(rf"{at_its_line}|^- \.{name} -> \.{other} ", report, re.MULTILINE) is not None
