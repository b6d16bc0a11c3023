"""What a server process does before its first request.

This is not `AppConfig.ready`, which Django also runs for every `manage.py` command: a command verifies no tokens, so it
must not wait for keys. A server that forks after this call fetches the keys again in each child.
"""

import logging
import os
from typing import Final

import django
from django.conf import settings as settings_in_force
from django.core.handlers.wsgi import WSGIHandler
from django.core.wsgi import get_wsgi_application
from django.urls import get_resolver
from django.utils.module_loading import import_string

from portal.api import PASSWORD_RESET, jwks_keys
from portal.config.current import portal_config
from portal.config.portal_config import PortalConfig
from portal.edge import use_absent_platforms
from portal.identity import use_key_source
from portal.query import REGISTRY, offers
from portal.services.service_imports import import_services
from portal.store import import_backends
from portal.telemetry.metrics import begin_worker
from portal_server.parent_watch import ThisProcess

logger = logging.getLogger("portal.server")

#: How long the start waits for the keys of a JWKS address, seconds; it goes on without them.
KEYS_WAIT_S: Final = 2.0


def wsgi_application(*, settings: str) -> WSGIHandler:
    """The WSGI application of one server process. Access tokens can be verified from the first request on.

    :param settings: as for :func:`import_project`.
    """
    import_project(settings=settings)
    begin_worker(number=ThisProcess.number, pids=ThisProcess.pids, instead_of=ThisProcess.instead_of)
    if not portal_config().debug:
        from portal.web.templating import compile_templates  # noqa: PLC0415  its modules need the settings

        compile_templates()
    if portal_config().traces_to:
        from portal.telemetry.trace_export import start_tracing  # noqa: PLC0415  nothing of OpenTelemetry is loaded without it

        start_tracing(portal_config())
    say_what_is_not_offered()
    application = get_wsgi_application()
    fetch_keys(portal_config())
    return application


def import_project(*, settings: str) -> None:
    """Import all code of a project now, before the first request. Starts no thread.

    A process that forks afterwards shares the memory of this code with its children.

    :param settings: the project's settings module, whatever the environment names: one machine runs several projects.
    """
    os.environ["DJANGO_SETTINGS_MODULE"] = settings
    django.setup()
    # Reading the patterns imports the modules of all views.
    _ = get_resolver().url_patterns
    # A list knows what another app's mutation does to it. A service that can't be imported stops only who uses it.
    import_services()
    # The edge knows which platforms the backend has nothing of, and itself imports no query.
    from portal.web.frame import absent_platforms  # noqa: PLC0415  its modules need the settings

    use_absent_platforms(absent_platforms)
    for name in (settings_in_force.MESSAGE_STORAGE, settings_in_force.FORM_RENDERER):
        import_string(name)
    import_backends()


def say_what_is_not_offered() -> None:
    """Log one line where nobody has declared what the backend offers: what then is not shown, and how to declare it."""
    if portal_config().offers is not None:
        return
    hooks = [*REGISTRY.queries.values(), *REGISTRY.mutations.values()]
    calls = sorted({hook.key for hook in hooks if not offers(hook)} - PASSWORD_RESET)
    logger.warning(
        "APP_BACKEND_OFFERS is not set, so %d optional calls are neither shown nor made, such as %s; set it to"
        " contract, all, or a file that check_services --write makes (docs/reference/what-we-ask-of-a-backend.md)",
        len(calls),
        ", ".join(calls[:3]),
    )


def fetch_keys(config: PortalConfig) -> None:
    """Fetch the keys of the configured JWKS address, if there is one, and verify tokens with them from now on."""
    if not config.verification.jwks_url:
        return
    keys = jwks_keys(config)
    use_key_source(keys)
    # Without keys every token would count as absent: the first requests would be sent to the sign-in page.
    keys.wait_until_fetched(timeout_s=KEYS_WAIT_S)
