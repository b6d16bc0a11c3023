"""What a page says about what is done: busy controls, toasts, dialogs, errors, the menu."""

from __future__ import annotations

import pytest
from playwright.sync_api import Locator, Route, expect

from tests.browser.conftest import NewPage, Visit, submit_form
from tests.browser.held_answers import answers_held
from tests.support.harness import RunningStack

pytestmark = pytest.mark.browser

CLIENTS = "/en/energy/clients"


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


def test_an_error_at_the_lists_end_is_said_once_stays_until_it_is_closed_and_covers_no_button(visit: Visit) -> None:
    page = visit("energy", CLIENTS, clock=True)
    page.route(
        "**/clients?**",
        lambda route: route.fulfill(status=503, json={"title": "It broke", "detail": "Nobody knows why."}),
    )
    more, toast = page.locator("#load-more"), page.get_by_role("alert")
    for width in (320, 768, 1280):
        page.set_viewport_size({"width": width, "height": 700})
        page.evaluate("window.scrollTo(0, document.documentElement.scrollHeight)")
        with page.expect_response("**/clients?**"):
            more.click()
        expect(more).not_to_have_attribute("aria-busy", "true")  # a busy button takes no click
        expect(page.locator(".toast.error")).to_have_count(1)
        assert is_uncovered(more), width
    page.clock.run_for(60_000)
    expect(toast).to_contain_text("It broke")
    expect(toast).to_contain_text("Nobody knows why.")
    toast.get_by_role("button", name="Close").click()
    expect(page.locator(".toast")).to_have_count(0)


def test_a_list_says_that_it_is_searched(visit: Visit) -> None:
    page = visit("energy", CLIENTS)
    with answers_held(page, "**/clients?**"):
        page.locator("#search").fill("berlin")
        expect(page.locator("#list[aria-busy]")).to_be_visible()
        expect(page.locator("#said")).to_have_text("One moment …")
    expect(page.locator("#list[aria-busy]")).to_have_count(0)


def test_plain_form_is_busy_and_sends_once(stack: RunningStack, new_page: NewPage) -> None:
    page = new_page()
    page.goto(stack.url("auth_app", "/en/login"))
    sent: list[str] = []

    def note(route: Route) -> None:
        sent.append(route.request.method)
        route.fulfill(status=204)  # the page stays

    page.route("**/login", note)
    page.locator("[name=email]").fill("energy@example.com")
    page.locator("[name=password]").fill("wrong")
    button = page.locator("form:has([name=email]) button")
    button.click()
    expect(button).to_have_attribute("aria-busy", "true")
    page.locator("[name=password]").press("Enter")
    expect(page.locator("#said")).to_have_text("One moment …")
    assert sent == ["POST"]
    page.unroute("**/login")
    page.reload()
    page.locator("[name=email]").fill("energy@example.com")
    page.locator("[name=password]").fill("wrong")
    button.click()
    expect(page.locator("[name=password]")).to_be_focused()
    assert page.title().startswith("Error: Sign in")


def test_the_question_before_a_delete_keeps_the_focus_and_what_was_done_is_announced(visit: Visit) -> None:
    page = visit("energy", "/en/energy/clients/new")
    submit_form(page, name="Ephemera Note", email="ephemera@example.com")
    expect(page.locator(".toast")).to_contain_text("Ephemera Note was created.")
    page.goto(f"{CLIENTS}?q=Ephemera")
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
    trigger.click()
    page.get_by_role("button", name="Delete client").click()
    expect(page.locator(".toast")).to_be_visible()
    expect(page.locator("#said")).to_have_text(page.locator(".toast .toast-text").inner_text())


def test_a_toast_with_something_to_press_does_not_go_by_itself(visit: Visit) -> None:
    page = visit("energy", CLIENTS, clock=True)
    toast = '<div class="toast"><p class="toast-text">{}</p>{}</div>'
    page.locator("#toasts").evaluate(
        "(shelf, html) => (shelf.innerHTML = html)",
        toast.format("gone", "") + toast.format("stays", "<form><button>Undo</button></form>"),
    )
    page.evaluate("document.dispatchEvent(new CustomEvent('htmx:afterSettle', {detail: {}, bubbles: true}))")
    page.clock.run_for(60_000)
    assert page.locator(".toast").all_inner_texts() == ["stays\n\nUndo"]


@pytest.mark.parametrize("width", [360, 1366])
def test_toasts_float_three_at_most_and_what_is_beside_them_can_be_pressed(visit: Visit, width: int) -> None:
    page = visit("energy", CLIENTS, viewport={"width": width, "height": 740})
    toast = '<div class="toast"><p class="toast-text">Saved.</p></div>'
    page.locator("#toasts").evaluate("(shelf, html) => (shelf.innerHTML = html)", toast * 4)
    shown = page.locator(".toast:visible")
    expect(shown).to_have_count(3)
    boxes = [each.bounding_box() for each in shown.all()]
    assert max(box["y"] + box["height"] for box in boxes) <= 740
    assert all(box["width"] < 260 for box in boxes), "no wider than its words"
    middle = boxes[-1]["x"] + boxes[-1]["width"] / 2
    assert abs(middle - 180) < 8 if width == 360 else middle > 1100
    beside = page.evaluate(
        "y => document.elementFromPoint(innerWidth / 2 - 160, y).closest('#toasts')", boxes[-1]["y"] + 5
    )
    assert beside is None


@pytest.mark.parametrize("height", [768, 720])
def test_on_a_low_screen_all_of_the_menu_is_in_sight(visit: Visit, height: int) -> None:
    page = visit("all", "/en/energy", viewport={"width": 1366, "height": height})
    menu = page.locator("#sidebar")
    expect(menu.get_by_role("button", name="Sign out")).to_be_in_viewport(ratio=1)
    assert menu.evaluate("menu => menu.scrollHeight <= menu.clientHeight")
    heights = menu.locator("a, button").evaluate_all("all => all.filter(e => e.offsetParent).map(e => e.offsetHeight)")
    assert min(heights) >= 24


def test_the_menu_closes_when_the_keyboard_leaves_it_and_by_escape(visit: Visit) -> None:
    page = visit("energy", CLIENTS, viewport={"width": 360, "height": 800})
    menu, button = page.locator("#sidebar"), page.get_by_role("button", name="Menu", exact=True)
    button.press("Enter")
    expect(menu).to_be_visible()
    page.keyboard.press("Escape")
    expect(menu).to_be_hidden()
    expect(button).to_be_focused()
    button.press("Enter")
    menu.get_by_role("button", name="Sign out").focus()
    page.keyboard.press("Tab")
    expect(menu).to_be_hidden()
    expect(page.locator("main :focus")).to_have_count(1)
