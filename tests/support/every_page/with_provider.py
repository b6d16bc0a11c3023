"""The gateway's pages with an OpenID provider."""

from collections.abc import Iterator
from dataclasses import replace
from functools import cache, partial
from typing import Any
from urllib.parse import parse_qs, urlencode, urlsplit

from django.conf import settings
from django.test import override_settings

from portal.config.portal_config import OidcProvider
from tests.support.every_page.acts import at, journey, stranger
from tests.support.every_page.cases import Case, Visit
from tests.support.every_page.rows import TYPED_TEXT
from tests.support.fake_provider import CLIENT_ID, FakeProvider

SITE = "auth_app+oidc"
ISSUER = "https://id.test"


@cache
def provider() -> FakeProvider:
    """The provider; made once, since a key takes time."""
    return FakeProvider(ISSUER)


def provider_cases() -> Iterator[Case]:
    """The gateway's pages with a provider."""
    case = partial(Case, site=SITE)
    hostile = urlencode({"next": TYPED_TEXT, "reason": "refresh-lost"})
    for name, path in (("sign-in", "/login"), ("hostile next", f"/login?{hostile}"), ("signed out", "/signed-out")):
        yield case(name=name, steps=journey(at(path), by=stranger()))
    yield case(name="unknown attempt", status=400, steps=_unknown)
    yield case(name="provider does not answer", status=503, steps=_down)
    for name, status, query in (
        ("cancelled", 403, {"error": "access_denied"}),
        ("error", 502, {"error": '"><x-hostile>', "error_description": TYPED_TEXT[:500]}),
        ("no code", 502, {}),
    ):
        yield case(name=f"callback, {name}", status=status, steps=partial(_callback, query))
    refused = partial(_callback, {"code": "c"}, answer=(400, {"error": "invalid_grant"}))
    yield case(name="callback, code refused", status=400, steps=refused)


def _mock(visit: Visit) -> None:
    made = provider()
    made.reset()
    visit.http.get(f"{ISSUER}/.well-known/openid-configuration", json=made.discovery())
    visit.http.get(f"{ISSUER}/jwks", json=made.key_set())


def _unknown(visit: Visit) -> None:
    _mock(visit)
    visit.signed_out().get("/login/oidc/callback?state=%3Cb%3E&code=c")


def _down(visit: Visit) -> None:
    """A provider of which nothing is known yet: what is known of the other one is kept for an hour."""
    unknown = replace(settings.PORTAL, oidc=OidcProvider(issuer="https://down.test", client_id=CLIENT_ID))
    with override_settings(PORTAL=unknown):
        visit.signed_out().at("/login/oidc")


def _callback(query: dict[str, str], visit: Visit, *, answer: tuple[int, dict[str, Any]] | None = None) -> None:
    _mock(visit)
    browser = visit.signed_out()
    location = browser.at("/login/oidc?next=/en/profile")["Location"]
    asked = {name: values[0] for name, values in parse_qs(urlsplit(location).query).items()}
    made = provider()
    made.nonce, made.token_answer = asked["nonce"], answer
    status, body = made.token({})
    visit.http.post(f"{ISSUER}/token", json=body, status=status)
    browser.get(f"/login/oidc/callback?{urlencode({'state': asked['state'], **query})}")
