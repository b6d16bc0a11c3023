"""The environment, the addresses, the system checks and the versions."""

from __future__ import annotations

import platform
import ssl
from typing import TYPE_CHECKING, Final

import django
from django.core.checks import ERROR, run_checks

from portal import __version__
from portal.api import honours_idempotency_key
from portal.config.environment import VARIABLES as DECLARED
from portal.config.environment import Source, undeclared_names, variable_values
from portal.config.projects import GATEWAY
from portal.operate.doctor.findings import error, ok, warning
from portal.operate.suggestions import did_you_mean

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from portal.operate.doctor.findings import Finding, Patient

_PAGE: Final = "docs/reference/environment.md"


def look_at_environment(problems: Sequence[str]) -> Iterator[Finding]:
    """What is missing or malformed, all of it; and what nobody reads."""
    for problem in problems:
        yield error("environment", problem, f"set it: {_PAGE} says how")
    for name in undeclared_names():
        meant = did_you_mean(name, [variable.name for variable in DECLARED])
        yield warning("environment", f"{name} is set, and nothing reads it", meant or "take it away")
    if not problems:
        count = sum(value.source is not Source.DEFAULT for value in variable_values())
        yield ok("environment", f"{count} variables are set, and can be read")


def look_at_addresses(patient: Patient) -> Iterator[Finding]:
    """Where redirects may lead, and which hosts get the sign-in's cookies."""
    config = patient.config
    # A platform's project knows its own address and the gateway's; the others' are only the gateway's business.
    known = (
        config.origins
        if config.project.is_gateway
        else {app: config.origins[app] for app in (GATEWAY.app, config.project.app)}
    )
    yield ok("addresses", ", ".join(f"{app} {origin}" for app, origin in known.items()))
    yield ok("cookie domain", config.cookie_domain or "unset: each host has cookies of its own")
    if config.oidc.enabled:
        back = f"{config.gateway_url}/login/oidc/callback"
        yield ok("OpenID redirect address", f"{back} has to be registered at the provider")


def look_at_lost_answers(patient: Patient) -> Iterator[Finding]:
    """What becomes of a refresh and of a create whose answer is lost, with the backend as it is declared."""
    if honours_idempotency_key(patient.config):
        seen = (
            "APP_API_HONOURS_IDEMPOTENCY_KEY is on: what got no answer is sent again under its key. A backend that "
            "does not know keys then makes two rows of a create, and takes the second use of a refresh token for theft"
        )
        yield ok("lost answers", seen)
        return
    cause, remedy = "is off", "set it, if the backend does what has a known Idempotency-Key only once"
    if patient.config.honours_idempotency_key:
        cause = "is on and has no effect, since the backend's class has no idempotency_header"
        remedy = "unset it, or name the header"
    seen = (
        f"APP_API_HONOURS_IDEMPOTENCY_KEY {cause}: after a lost answer of a refresh the user has to sign in again, and "
        "who sends a form whose outcome is unknown once more may do it twice"
    )
    yield warning("lost answers", seen, remedy)


def look_at_versions(patient: Patient) -> Iterator[Finding]:  # noqa: ARG001  as all that look
    """What runs here."""
    python, framework = platform.python_version(), django.get_version()
    yield ok("versions", f"portal {__version__}, Python {python}, Django {framework}, {ssl.OPENSSL_VERSION}")


def look_at_checks(patient: Patient) -> Iterator[Finding]:
    """Django's system checks and ours: outside of DEBUG with those of `check --deploy`."""
    if patient.unread:
        yield error("system checks", "not run: they need a configuration that can be read", "see above")
        return
    messages = [m for m in run_checks(include_deployment_checks=not patient.config.debug) if not m.is_silenced()]
    for message in messages:
        make = error if message.level >= ERROR else warning
        yield make(f"check {message.id}", message.msg, message.hint or "see the message")
    if not messages:
        yield ok("system checks", "no issue")
