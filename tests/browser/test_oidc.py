"""Sign-in and sign-out through a certified OpenID provider in a real browser, on real subdomains."""

import re
from collections.abc import Iterator
from dataclasses import dataclass

import pytest
from playwright.sync_api import Page, expect

from tests.browser.conftest import NewPage
from tests.browser.subdomains import Site, host_of, running_below_one_domain
from tests.support.certified_provider import SECRET, CertifiedProvider, certified_providers
from tests.support.ports import free_port, free_port_base

pytestmark = pytest.mark.browser


@dataclass(frozen=True)
class SiteWithProvider(Site):
    provider: CertifiedProvider


@pytest.fixture(scope="module")
def site(tmp_path_factory: pytest.TempPathFactory) -> Iterator[SiteWithProvider]:
    base = free_port_base()
    gateway = f"http://{host_of('auth_app')}:{base}"
    # To the letter of its standards: the client has to ask for consent, and for the API.
    likes = {"standard": (free_port(), [gateway])}
    with (
        certified_providers(likes, access_token_ttl_s=300, groups={}) as providers,
        running_below_one_domain(
            tmp_path_factory.mktemp("site"),
            port_base=base,
            APP_OIDC_ISSUER=providers["standard"].issuer,
            APP_OIDC_CLIENT_ID="portal",
            APP_OIDC_CLIENT_SECRET=SECRET,
            APP_OIDC_AUTHORIZE_PARAMS="prompt=consent&resource=urn:portal:api",
            SANDBOX_TRUSTED_ISSUER=providers["standard"].issuer,
        ) as stack,
    ):
        yield SiteWithProvider(stack, providers["standard"])


def sign_in_at_provider(page: Page, *, email: str) -> None:
    page.locator("input[name=login]").fill(email)
    page.locator("input[name=password]").fill("any")
    page.locator("button[type=submit]").click()
    page.get_by_role("button", name="Continue").click()


def test_person_signs_in_and_out_at_the_provider(site: SiteWithProvider, new_page: NewPage) -> None:
    page = new_page()
    page.goto(site.url("finance", "/en/finance/invoices"))
    expect(page).to_have_url(re.compile(re.escape(site.url("auth_app", "/en/login?next="))))
    assert page.locator("input[type=password]").count() == 0
    page.get_by_role("link", name="Continue to sign-in").click()
    sign_in_at_provider(page, email="all@example.com")
    expect(page).to_have_url(site.url("finance", "/en/finance/invoices"))
    expect(page.locator("#essentials")).to_contain_text("all@example.com")
    page.goto(site.url("energy", "/en/energy"))
    expect(page.locator("#essentials")).to_contain_text("all@example.com")

    page.locator("[data-sign-out] button").first.click()
    expect(page).to_have_url(re.compile(re.escape(f"{site.provider.issuer}/session/end")))
    page.get_by_role("button", name="Yes, sign me out").click()
    expect(page).to_have_url(site.url("auth_app", "/en/signed-out"))
    page.goto(site.url("energy", "/en/energy"))
    expect(page).to_have_url(re.compile("/en/login"))
