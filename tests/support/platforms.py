"""The three platforms of which the package's tests speak: they are there in a test's process, whatever a product has.

The examples below `apps/` have the same names. Where `removeplatform` has removed one of them, the tests of routes,
identity and configuration go on with the empty platform that `startplatform` would write, in a temporary folder. What
tests an example itself goes with it: `OF_THE_EXAMPLES`.
"""

from pathlib import Path
from typing import Final

import apps
from portal.config import platforms as registry
from portal.config.platforms import Platform
from tests.support.private_folder import private_folder

OF_THE_TESTS: Final = tuple(
    Platform(name=app.upper(), permission=f"{app.upper()}_APP", prefix=f"/{app}", app=app)
    for app in ("energy", "operations", "finance")
)
#: Those that the checkout itself does not have.
MISSING: Final = tuple(each for each in OF_THE_TESTS if each not in registry.PLATFORMS)

#: What tests the examples, below `tests/`: their pages, the servers and browsers that show them, the documentation that
#: tells of them, and tests of the package that take a page, a service or a template of theirs for an instance.
OF_THE_EXAMPLES: Final = (
    *("browser", "functional", "deploy", "docs", "benchmarks", "budgets", "mistakes", "typing", "mutants"),
    *("test_jobs.py", "portal_dev/management", "apps/auth_app/test_accounts.py", "apps/test_every_page.py"),
    *("apps/test_secrets_in_the_log.py", "architecture/test_contracts.py", "architecture/test_dead_names.py"),
    *("architecture/test_mutant_lists.py", "architecture/test_reference_pages.py", "architecture/test_page_sizes.py"),
    *("contract/test_endpoints.py", "contract/test_names.py", "portal_operate/test_doctor.py"),
    *("portal_operate/test_doctor_calls.py", "portal_operate/test_token_commands.py", "portal_dev/test_catalogs.py"),
    *("portal_dev/openapi/test_check_services.py", "portal_dev/openapi/test_services.py"),
    *("portal/services/test_endpoint_list.py", "portal/web/sign_in/test_post_login.py"),
    *("portal/web/sign_in/test_other_sign_ins.py", "portal_dev/test_queries_panel.py"),
    *("portal_operate/test_exit_status.py", "portal/telemetry/metrics/test_room_for_all.py"),
    *("portal_oidc/test_optional.py", "portal/query/test_commands.py", "portal_server/static/test_storage.py"),
    *("portal/services/test_service_imports.py", "portal_dev/source_checks/test_source.py"),
    *("portal_dev/source_checks/test_template_rows.py", "portal_server/test_startup.py"),
    *("portal/testing/test_fixtures.py", "portal/web/cookies/test_drafts.py"),
    *("portal/web/cookies/test_platforms_cookie.py", "portal/web/errors/test_failure_log.py"),
    *("portal/web/errors/test_failure_pages.py", "portal/web/frame/test_essentials.py"),
    *("portal/web/frame/test_platform_gaps.py", "portal_pages/exports/test_export_views.py", "portal_pages/forms"),
    *("portal_pages/lists/test_filters.py", "portal_pages/lists/test_list_urls.py"),
    *("portal_pages/lists/test_list_views.py", "portal_pages/lists/test_saved_views.py"),
    *("portal_pages/records/test_bulk_pages.py", "portal_pages/records/test_history.py"),
    *("portal_pages/records/test_related.py", "portal/web/test_kept_pages.py"),
    *("portal_pages/records/test_row_actions.py", "portal_pages/test_overviews.py"),
    *("portal_pages/test_resource_pages.py", "portal_pages/test_wrong_pages.py"),
    *("portal_pages/test_default_templates.py", "portal_pages/test_permissions.py", "portal_pages/test_sidebar.py"),
    *("portal/query/endpoints/test_declarations.py", "portal/web/present/test_addresses.py"),
    *("portal/web/present/test_series.py", "portal_pages/search/test_found.py"),
    *("portal/web/sign_in/test_fixed_window.py", "portal/web/templating/test_compiled.py"),
    *("portal/web/templating/test_constants.py", "portal/web/templating/test_names.py"),
    *("portal/web/test_another_account.py", "portal/web/test_colours.py", "portal/web/test_freed_requests.py"),
    *("portal/web/test_mistakes.py", "portal/web/test_request_ids.py", "portal/web/test_security_headers.py"),
    *("portal/web/test_templates.py", "portal/web/test_way_back.py", "portal/web/views/test_logout.py"),
    "portal/web/views/test_small_pages.py",
)


def add_test_platforms() -> Path | None:
    """Name the missing ones in the registry, before anything else reads it; gives the folder that has their apps."""
    if not MISSING:
        return None
    own = [each for each in registry.PLATFORMS if each not in OF_THE_TESTS]
    registry.PLATFORMS = (*OF_THE_TESTS, *own)
    registry.PLATFORM_BY_NAME |= {each.name: each for each in MISSING}
    registry.PLATFORM_BY_PREFIX |= {each.prefix: each for each in MISSING}
    folder = private_folder("portal-test-platforms-")
    from portal_dev.platforms.platform_folders import write_folders

    for each in MISSING:
        write_folders(each.app, folder)
    apps.__path__.append(str(folder / "apps"))
    return folder
