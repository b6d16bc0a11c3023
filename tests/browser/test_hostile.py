"""What goes wrong has a clear answer: wrong passwords, odd ids, a backend that is not running."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator

import jwt
import pytest
from playwright.sync_api import Page, expect

from portal.config.cookies import VAR_ACCESS_TOKEN
from tests.browser.conftest import submit_login
from tests.support.harness import RunningStack, running_stack

pytestmark = pytest.mark.browser
#: How many pixels of the page stand beyond the window's edge.
OVERFLOW = "document.documentElement.scrollWidth - innerWidth"

SignIn = Callable[..., None]
NewPage = Callable[..., Page]


@pytest.fixture(scope="module")
def stack_without_backend(tmp_path_factory: pytest.TempPathFactory) -> Iterator[RunningStack]:
    with running_stack(tmp_path_factory.mktemp("dead"), without=("sandbox_api", "operations", "finance")) as running:
        yield running


def token_cookies(stack: RunningStack) -> list[dict[str, str]]:
    claims = {"sub": "acc_1", "permissions": ["ENERGY_APP"], "exp": time.time() + 300}
    token = jwt.encode(claims, "a key that nobody checks, long enough for HS256", algorithm="HS256")
    return [{"name": VAR_ACCESS_TOKEN, "value": token, "url": stack.url("energy")}]


def test_a_wrong_password_and_an_unknown_account_look_the_same(stack: RunningStack, new_page: NewPage) -> None:
    texts = []
    for account in ("energy", "nobody"):
        page = new_page()
        page.goto(stack.url("auth_app", "/en/login"))
        submit_login(page, email=f"{account}@example.com", password="wrong")
        alert = page.get_by_role("alert")
        expect(alert).to_be_visible()
        texts.append(alert.inner_text())
        expect(page.locator("[name=email]")).to_have_value(f"{account}@example.com")
        expect(page.locator("[name=password]")).to_have_value("")
    assert texts[0] == texts[1]


def test_an_empty_sign_in_form_names_both_fields(stack: RunningStack, new_page: NewPage) -> None:
    page = new_page()
    page.goto(stack.url("auth_app", "/en/login"))
    page.locator("form:has(input[name=email]) button").click()
    expect(page.locator("#id_email_error")).to_have_text("Enter your email address.")
    expect(page.locator("#id_password_error")).to_have_text("Enter your password.")


def test_an_unknown_client_is_a_page_in_the_shell(stack: RunningStack, new_page: NewPage, sign_in: SignIn) -> None:
    page = new_page()
    sign_in(page, "energy", opens=False)
    response = page.goto(stack.url("energy", "/en/energy/clients/cli_nobody"))
    assert response is not None
    assert response.status == 404
    expect(page.locator("h1")).to_have_text("There is nothing here")
    expect(page.get_by_role("link", name="Stations")).to_be_visible()


def test_a_backend_that_is_not_running_is_said_so_and_nobody_is_signed_out(
    stack_without_backend: RunningStack, new_page: NewPage
) -> None:
    page = new_page()
    page.context.add_cookies(token_cookies(stack_without_backend))
    response = page.goto(stack_without_backend.url("energy", "/en/energy/clients"))
    assert response is not None
    assert response.status == 503
    assert int(response.headers["retry-after"]) > 0
    expect(page.locator("h1")).to_have_text("The service can’t be reached")
    expect(page.get_by_role("link", name="Try again").first).to_be_visible()
    assert "Traceback" not in page.content()
    assert {cookie["name"] for cookie in page.context.cookies()} >= {VAR_ACCESS_TOKEN}


def test_sign_in_without_a_backend_keeps_the_form(stack_without_backend: RunningStack, new_page: NewPage) -> None:
    page = new_page()
    page.goto(stack_without_backend.url("auth_app", "/en/login"))
    with page.expect_response(lambda response: response.request.method == "POST") as answered:
        submit_login(page, email="energy@example.com", password="demo")
    assert answered.value.status == 503
    expect(page.get_by_role("alert")).to_contain_text("can’t be reached")
    expect(page.locator("[name=email]")).to_have_value("energy@example.com")
    expect(page.locator("[name=password]")).to_have_value("")


@pytest.mark.parametrize("width", [360, 1280])
def test_a_name_without_a_break_fits_every_page(
    stack: RunningStack, new_page: NewPage, sign_in: SignIn, width: int
) -> None:
    page = new_page(viewport={"width": width, "height": 800})
    sign_in(page, "energy", opens=False)
    page.goto(stack.url("energy", "/en/energy/clients/new"))
    for name, value in {"name": "N" * 200, "email": f"{'a' * 60}@example.com", "city": "W" * 100}.items():
        page.locator(f"main [name={name}]").fill(value)
    page.locator("main form button[type=submit]").click()
    expect(page.locator(".toast").get_by_text("was created.")).to_be_visible()
    assert page.evaluate(OVERFLOW) == 0
    page.locator("[data-row-id]").first.get_by_role("link").click()
    expect(page.locator("h1")).to_have_text("N" * 200)
    page.wait_for_load_state()  # with its stylesheet
    assert page.evaluate(OVERFLOW) == 0
    page.get_by_role("link", name="Edit").click()
    expect(page.locator("h1")).to_have_text(f"Edit {'N' * 200}")
    page.wait_for_load_state()
    assert page.evaluate(OVERFLOW) == 0
    page.get_by_role("link", name="NNN").click()
    page.get_by_role("button", name="Delete", exact=True).click()
    page.get_by_role("button", name="Delete client").click()
    expect(page.locator(".toast").get_by_text("The client was deleted.")).to_be_visible()
