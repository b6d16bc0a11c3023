"""The system checks of every layer, imported in one place so that Django registers them all at start.

A check lives beside what it checks; this module only knows where. It adds the ones that concern the
whole portal: the platform registry against the folders below `apps/`.
"""

import re
from collections.abc import Callable, Iterator
from functools import wraps
from typing import Final
from urllib.parse import urlsplit

from django.core.checks import CheckMessage, Error, Warning, register  # noqa: A004  Django's own name for it

from portal.config.current import portal_config
from portal.config.places import PROGRAM, SOURCE_ROOT
from portal.config.portal_config import PortalConfig
from portal.config.projects import PROJECT_BY_APP, PROJECTS
from portal.errors import ConfigurationError
from portal.identity import make_verifier
from portal.query import check_endpoints
from portal.services.service_imports import import_services, place_of
from portal.store import check_embedded_store, check_query_store, check_refresh_store
from portal_operate.deployment_checks import is_of_this_machine

#: Domains of registries, under which strangers have names; browsers keep no cookie for them. Most of them, as a guess.
_PUBLIC_SUFFIX: Final = re.compile(r"(ac|com?|edu|gob|gov?|mil|net?|org?)\.[a-z]{2}")

register(check_refresh_store)
register(check_query_store)
register(check_embedded_store)


def _of_the_configuration(
    find: Callable[[PortalConfig], Iterator[CheckMessage]],
) -> Callable[..., list[CheckMessage]]:
    """Register a check of the project's configuration."""

    # Registered first: Django looks at the arguments of what it registers.
    @wraps(find)
    @register
    def check(*_args: object, **_kwargs: object) -> list[CheckMessage]:
        return list(find(portal_config()))

    return check


def concerns(domain: str) -> bool:
    """Return whether this project checks a domain of the services.

    A domain has the name of the app whose team owns it. The gateway checks those that are no app's.
    """
    project = portal_config().project
    return domain == project.app or (project.is_gateway and domain not in PROJECT_BY_APP)


@register
def check_services(*_args: object, **_kwargs: object) -> list[CheckMessage]:
    """Every endpoint of this project is declared as it should be. What other projects declare is theirs to check."""
    failed = import_services()
    return [
        *(import_fault(each.module, each.error) for each in failed if concerns(each.domain)),
        *check_endpoints(concerns=concerns, incomplete={each.domain for each in failed}),
    ]


def import_fault(module: str, error: Exception) -> CheckMessage:
    """Return the message about a module that can't be imported, with the place of the fault."""
    return Error(
        f"{module} can't be imported: {type(error).__name__}: {error}",
        obj=place_of(error),
        id="portal.E005",
    )


@_of_the_configuration
def check_every_project_has_its_folder(_config: PortalConfig) -> Iterator[CheckMessage]:
    """The registry's line without the folder, or the folder without the line, stops the start."""
    registered = {project.app for project in PROJECTS}
    folders = {path.parent.name for path in (SOURCE_ROOT / "apps").glob("*/settings.py")}
    for app in sorted(registered - folders):
        yield Error(
            f"apps/{app} is missing, and the platform registry names it",
            hint=f"make it with {PROGRAM} startplatform, or take the line out of apps/product.py",
            id="portal.E001",
        )
    for app in sorted(folders - registered):
        yield Error(
            f"apps/{app} is no platform of the registry",
            hint="add its line to apps/product.py, or remove the folder",
            id="portal.E002",
        )


@_of_the_configuration
def check_every_project_has_its_own_address(config: PortalConfig) -> Iterator[CheckMessage]:
    """Two projects at one address: the gateway sends a user to the one, and the other answers."""
    for origin in sorted(set(config.known_origins.values())):
        apps = sorted(app for app, its_origin in config.known_origins.items() if its_origin == origin)
        if len(apps) > 1:
            yield Error(
                f"{' and '.join(apps)} have the same address, {origin}",
                hint=f"set {' or '.join(PROJECT_BY_APP[app].url_variable for app in apps)} to another one",
                id="portal.E006",
            )


@_of_the_configuration
def check_every_project_gets_the_cookies(config: PortalConfig) -> Iterator[CheckMessage]:
    """The projects share one sign-in, so their hosts must share its cookies.

    Where one does not get them, the gateway sends a signed-in user there, and it sends them back, without end.
    """
    domain = config.cookie_domain
    hosts = {urlsplit(origin).hostname or "" for origin in config.known_origins.values()}
    strangers = {host for host in hosts if domain and host != domain and not host.endswith(f".{domain}")}
    if (not domain and len(hosts) > 1) or _PUBLIC_SUFFIX.fullmatch(domain):
        strangers = hosts
    if strangers:
        yield Warning(
            f"{', '.join(sorted(strangers))} do not share the sign-in cookies: a signed-in user may be redirected "
            "between them without end",
            hint="set APP_PUBLIC_AUTH_COOKIE_DOMAIN to the parent domain of all APP_PUBLIC_…_APP_URL, which is no "
            "public suffix such as co.uk",
            id="portal.W001",
        )


@_of_the_configuration
def check_a_key_sets_tokens_are_told_apart(config: PortalConfig) -> Iterator[CheckMessage]:
    """A provider signs for all its clients with the same keys.

    What names neither an issuer nor an audience takes every one of its tokens: another client's, an ID token too.
    """
    missing = config.verification.unset_claims
    if config.verification.jwks_url and missing:
        yield Warning(
            f"APP_JWT_JWKS_URL is set without {' and '.join(missing)}: a token that the same keys signed for another "
            "service is accepted too",
            hint=f"set {' and '.join(missing)} to the claims of the backend's own access tokens",
            id="portal.W002",
        )


@_of_the_configuration
def check_debug_stays_on_this_machine(config: PortalConfig) -> Iterator[CheckMessage]:
    """In `DEBUG` a page of an error shows code and variables to whoever causes the error."""
    others = sorted(origin for origin in {config.own_origin, config.gateway_url} if not is_of_this_machine(origin))
    if config.debug and others:
        yield Warning(
            f"DEBUG is on at {' and '.join(others)}: each user can see code and variables of an error",
            hint="set DEBUG=off, or local addresses",
            id="portal.W003",
        )


@_of_the_configuration
def check_the_key_fits_its_algorithms(config: PortalConfig) -> Iterator[CheckMessage]:
    """A key that can't be read stops the start: no worker could begin, and each would be replaced by the next."""
    try:
        make_verifier(config.verification)
    except ConfigurationError as error:
        yield Error(str(error), hint="APP_JWT_KEY and APP_JWT_ALGORITHMS belong together", id="portal.E003")
