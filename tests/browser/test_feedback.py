"""What a page says about what is done: busy controls, toasts, dialogs, errors."""

from __future__ import annotations

from collections.abc import Callable

import pytest
from playwright.sync_api import Locator, Page, Route, expect

from tests.browser.conftest import submit_login
from tests.browser.held_answers import answers_held
from tests.support.harness import RunningStack

pytestmark = pytest.mark.browser

SignIn = Callable[..., None]
NewPage = Callable[..., Page]
WIDTHS = (320, 768, 1280)


def is_uncovered(control: Locator) -> bool:
    """Whether a click in its middle is the control's."""
    return bool(
        control.evaluate(
            """control => {
                const box = control.getBoundingClientRect();
                const hit = document.elementFromPoint(box.x + box.width / 2, box.y + box.height / 2);
                return control === hit || control.contains(hit);
            }"""
        )
    )


@pytest.mark.parametrize("width", WIDTHS)
def test_an_error_at_the_lists_end_leaves_load_more_to_be_pressed(
    stack: RunningStack, new_page: NewPage, sign_in: SignIn, width: int
) -> None:
    page = new_page(viewport={"width": width, "height": 700})
    sign_in(page, "energy", opens=False)
    page.goto(stack.url("energy", "/en/energy/clients"))
    page.evaluate("window.scrollTo(0, document.documentElement.scrollHeight)")
    page.route("**/clients?**", lambda route: route.fulfill(status=503, json={"title": "It broke"}))
    more = page.locator("#load-more")
    more.click()
    expect(page.locator(".toast.error")).to_be_visible()
    assert is_uncovered(more)


def test_a_list_says_that_it_is_searched(stack: RunningStack, new_page: NewPage, sign_in: SignIn) -> None:
    page = new_page()
    sign_in(page, "energy", opens=False)
    page.goto(stack.url("energy", "/en/energy/clients"))
    with answers_held(page, "**/clients?**"):
        page.locator("#search").fill("berlin")
        expect(page.locator("#list[aria-busy]")).to_be_visible()
        expect(page.locator("#said")).to_have_text("One moment …")
    expect(page.locator("#list[aria-busy]")).to_have_count(0)


def test_a_button_of_a_plain_form_is_busy_and_sends_once(
    stack: RunningStack, new_page: NewPage, sign_in: SignIn
) -> None:
    page = new_page()
    page.goto(stack.url("auth_app", "/en/login"))
    sent: list[str] = []

    def note(route: Route) -> None:
        sent.append(route.request.method)
        route.fulfill(status=204)  # the page stays

    page.route("**/login", note)
    page.locator("[name=email]").fill("energy@example.com")
    page.locator("[name=password]").fill("demo")
    button = page.locator("form:has([name=email]) button")
    button.click()
    expect(button).to_have_attribute("aria-busy", "true")
    page.locator("[name=password]").press("Enter")
    expect(page.locator("#said")).to_have_text("One moment …")
    assert sent == ["POST"]


def test_the_question_before_a_delete_keeps_the_focus_and_gives_it_back(
    stack: RunningStack, new_page: NewPage, sign_in: SignIn
) -> None:
    page = new_page()
    sign_in(page, "energy", opens=False)
    page.goto(stack.url("energy", "/en/energy/clients"))
    page.locator("#rows th a").first.click()
    trigger = page.get_by_role("button", name="Delete", exact=True)
    trigger.press("Enter")
    dialog = page.get_by_role("dialog")
    expect(dialog.get_by_role("button", name="Cancel")).to_be_focused()
    assert dialog.evaluate("dialog => dialog.matches(':modal')")
    for _ in range(5):
        page.keyboard.press("Tab")
        assert not page.locator("main :focus:not(dialog *)").count()
    page.keyboard.press("Escape")
    expect(dialog).to_be_hidden()
    expect(trigger).to_be_focused()


def test_the_question_before_a_delete_is_asked_without_scripts(
    stack: RunningStack, new_page: NewPage, sign_in: SignIn
) -> None:
    page = new_page(java_script_enabled=False)
    sign_in(page, "energy", opens=False)
    page.goto(stack.url("energy", "/en/energy/clients"))
    page.locator("#rows th a").first.click()
    page.get_by_role("button", name="Delete", exact=True).click()
    page.get_by_role("button", name="Cancel").click()
    expect(page.get_by_role("button", name="Delete client")).to_be_hidden()


def test_what_was_done_is_announced_though_it_came_with_the_page(
    stack: RunningStack, new_page: NewPage, sign_in: SignIn
) -> None:
    page = new_page()
    sign_in(page, "energy", opens=False)
    page.goto(stack.url("energy", "/en/energy/clients/new"))
    page.locator("[name=name]").fill("Ephemera Note")
    page.locator("[name=email]").fill("ephemera@example.com")
    page.keyboard.press("Enter")
    expect(page.locator(".toast")).to_contain_text("Ephemera Note was created.")
    page.goto(stack.url("energy", "/en/energy/clients?q=Ephemera"))
    page.locator("#rows th a").first.click()
    page.get_by_role("button", name="Delete", exact=True).click()
    page.get_by_role("button", name="Delete client").click()
    expect(page.locator(".toast")).to_be_visible()
    expect(page.locator("#said")).to_have_text(page.locator(".toast .toast-text").inner_text())


def test_a_toast_with_something_to_press_does_not_go_by_itself(
    stack: RunningStack, new_page: NewPage, sign_in: SignIn
) -> None:
    page = new_page()
    page.clock.install()
    sign_in(page, "energy", opens=False)
    page.goto(stack.url("energy", "/en/energy/clients"))
    toast = '<div class="toast"><p class="toast-text">{}</p>{}</div>'
    page.locator("#toasts").evaluate(
        "(shelf, html) => (shelf.innerHTML = html)",
        toast.format("gone", "") + toast.format("stays", "<form><button>Undo</button></form>"),
    )
    page.evaluate("document.dispatchEvent(new CustomEvent('htmx:afterSettle', {detail: {}, bubbles: true}))")
    page.clock.run_for(60_000)
    assert page.locator(".toast").all_inner_texts() == ["stays\n\nUndo"]


def test_after_a_wrong_password_one_types_the_password_again(stack: RunningStack, new_page: NewPage) -> None:
    page = new_page()
    page.goto(stack.url("auth_app", "/en/login"))
    submit_login(page, email="energy@example.com", password="wrong")
    expect(page.locator("[name=password]")).to_be_focused()
    assert page.title().startswith("Error: Sign in")


def test_the_field_in_error_that_has_the_focus_is_red(stack: RunningStack, new_page: NewPage, sign_in: SignIn) -> None:
    page = new_page()
    sign_in(page, "energy", opens=False)
    page.goto(stack.url("energy", "/en/energy/clients/new"))
    page.get_by_role("button", name="Create").click()
    field = page.locator("[name=name]")
    expect(field).to_be_focused()
    assert page.title().startswith("Error: New client")
    red = page.locator(".field-error").first.evaluate("error => getComputedStyle(error).color")
    expect(field).to_have_css("border-color", red)
    expect(field).to_have_css("outline-color", red)
