"""Runs cases: the settings of an app in force, and a backend of its own for each case."""

import sys
from collections import Counter
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field, replace
from itertools import count
from pathlib import Path
from typing import Any
from unittest.mock import patch

import responses
from django.http.response import HttpResponseBase
from django.test import override_settings
from django.test.client import ClientHandler
from django.utils import translation
from jinja2 import Environment, FileSystemLoader

from portal.config.base_settings import build_settings
from portal.config.portal_config import OidcProvider, PortalConfig
from portal.edge.middleware import REJECTION_URLCONF
from portal.process.circuit_breaker import call_circuits, store_circuits
from portal.testing import Backend
from portal.testing.projects import project_in_force
from tests.support.every_page.cases import Case, Visit
from tests.support.every_page.with_provider import ISSUER
from tests.support.fake_provider import CLIENT_ID, CLIENT_SECRET

_numbers = count(1)


@dataclass(frozen=True, kw_only=True)
class RunningSite:
    """An app whose settings are in force.

    :param is_debug: for :func:`running_site`.
    :param handlers: Django's handlers by whether they check CSRF tokens.
    :ivar loaded: the names of the templates that were loaded.
    :ivar compiled: those that were compiled, by environment and name, each as often as it was.
    """

    config: PortalConfig
    is_debug: bool
    handlers: dict[bool, Any]
    loaded: set[str] = field(default_factory=set)
    compiled: Counter[tuple[Environment, str | None]] = field(default_factory=Counter)

    def run(
        self, case: Case, *, locale: str, then: Callable[[Visit], object] = lambda visit: None
    ) -> list[HttpResponseBase]:
        """The responses of the case, in order.

        :param then: what happens after its steps.
        """
        number = next(_numbers)
        platform = self.config.project.platform
        with responses.RequestsMock(assert_all_requests_are_fired=False) as http:
            visit = Visit(
                name=f"{case.id}, {locale}, {'debug' if self.is_debug else 'served'}",
                locale=locale,
                # Tries to sign in are counted by address.
                address=f"10.{number >> 16 & 255}.{number >> 8 & 255}.{number & 255}",
                permissions=(platform.permission,) if platform else ("ENERGY_APP",),
                backend=Backend(http, base_url=self.config.api_base_url),
                http=http,
                handlers=self.handlers,
            )
            try:
                case.steps(visit)
                then(visit)
            finally:
                translation.deactivate()
                call_circuits.clear()
                store_circuits.clear()
        return visit.responses


@contextmanager
def running_site(site: str, *, state_dir: Path, is_debug: bool = False) -> Iterator[RunningSite]:
    """The app in this process until the block ends.

    :param is_debug: whether templates are as in `DEBUG`: looked up when they are rendered, and no name may be missing.
    """
    app, _, extra = site.partition("+")
    with project_in_force(app, state_dir=state_dir) as config, _own_rejection_page():
        oidc = OidcProvider(issuer=ISSUER, client_id=CLIENT_ID, client_secret=CLIENT_SECRET)
        wanted = replace(config, oidc=oidc) if extra else config
        changes = {
            **_changes(build_settings(config), build_settings(wanted)),
            # Also where they are equal: no template is loaded yet.
            "TEMPLATES": build_settings(replace(wanted, debug=is_debug))["TEMPLATES"],
        }
        with override_settings(**changes):
            handlers = {checks: ClientHandler(enforce_csrf_checks=checks) for checks in (False, True)}
            for handler in handlers.values():
                handler.load_middleware()
            running = RunningSite(config=wanted, is_debug=is_debug, handlers=handlers)
            with _noting_templates(running):
                yield running


@contextmanager
def _own_rejection_page() -> Iterator[None]:
    """The edge's own pages have the URLs of the app that is in force when their module is imported."""
    sys.modules.pop(REJECTION_URLCONF, None)
    try:
        yield
    finally:
        sys.modules.pop(REJECTION_URLCONF, None)


def _changes(before: dict[str, Any], after: dict[str, Any]) -> dict[str, Any]:
    return {name: value for name, value in after.items() if value != before[name]}


@contextmanager
def _noting_templates(running: RunningSite) -> Iterator[None]:
    """Note the name of each template that is loaded or compiled. In `DEBUG` that is when a page first needs it."""
    get_source, compile_one = FileSystemLoader.get_source, Environment.compile

    def noting(loader: FileSystemLoader, environment: Environment, template: str) -> Any:
        running.loaded.add(template)
        return get_source(loader, environment, template)

    def counting(environment: Environment, source: Any, name: str | None, *more: Any) -> Any:
        running.compiled[environment, name] += 1
        return compile_one(environment, source, name, *more)

    with patch.object(FileSystemLoader, "get_source", noting), patch.object(Environment, "compile", counting):
        yield
