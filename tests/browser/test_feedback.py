"""What a page says about what is done: busy controls, toasts, dialogs, errors, the menu."""

import pytest
from playwright.sync_api import Route, expect

from tests.browser.conftest import NewPage, Visit, answers_held, submit_form
from tests.support.harness import RunningStack

pytestmark = pytest.mark.browser

CLIENTS = "/en/energy/clients"
#: Returns whether a click in the middle of a control reaches it.
IS_UNCOVERED = """control => {
    const box = control.getBoundingClientRect();
    const hit = document.elementFromPoint(box.x + box.width / 2, box.y + box.height / 2);
    return control === hit || control.contains(hit);
}"""


def test_error_stays_until_closed_and_covers_no_button(visit: Visit) -> None:
    page = visit("energy", CLIENTS, clock=True)
    page.route(
        "**/clients?**",
        lambda route: route.fulfill(status=503, json={"title": "It broke", "detail": "Nobody knows why."}),
    )
    more, toast = page.locator("#load-more"), page.get_by_role("alert")
    for width in (320, 1280):
        page.set_viewport_size({"width": width, "height": 700})
        page.evaluate("window.scrollTo(0, document.documentElement.scrollHeight)")
        with page.expect_response("**/clients?**"):
            more.click()
        expect(more).not_to_have_attribute("aria-busy", "true")  # a busy button takes no click
        expect(page.locator(".toast.error")).to_have_count(1)
        assert more.evaluate(IS_UNCOVERED), width
    page.clock.run_for(60_000)
    expect(toast).to_contain_text("It broke")
    expect(toast).to_contain_text("Nobody knows why.")
    toast.get_by_role("button", name="Close").click()
    expect(page.locator(".toast")).to_have_count(0)
    # A list says that it is searched.
    page.unroute("**/clients?**")
    with answers_held(page, "**/clients?**"):
        page.locator("#search").fill("berlin")
        page.clock.run_for(1_000)
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


def test_delete_dialog_keeps_the_focus(visit: Visit) -> None:
    page = visit("energy", "/en/energy/clients/new")
    submit_form(page, name="Ephemera Note", email="ephemera@example.com")
    expect(page.locator(".toast")).to_contain_text("Ephemera Note was created.")
    page.goto(f"{CLIENTS}?q=Ephemera")
    page.locator("#rows th a").first.click()
    page.wait_for_url("**/clients/cli_*")
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
    expect(page.locator("#said")).to_have_text(page.locator(".toast .toast-text").inner_text())


def test_toasts_float_and_those_with_buttons_stay(visit: Visit) -> None:
    page = visit("energy", CLIENTS, clock=True)

    def show(html: str) -> None:
        page.locator("#toasts").evaluate("(shelf, html) => (shelf.innerHTML = html)", html)

    toast = '<div class="toast"><p class="toast-text">{}</p>{}</div>'
    show(toast.format("gone", "") + toast.format("stays", "<form><button>Undo</button></form>"))
    page.evaluate("document.dispatchEvent(new CustomEvent('htmx:afterSettle', {detail: {}, bubbles: true}))")
    page.clock.run_for(60_000)
    assert page.locator(".toast").all_inner_texts() == ["stays\n\nUndo"]
    show(toast.format("Saved.", "") * 4)
    shown = page.locator(".toast:visible")
    expect(shown).to_have_count(3)
    for width in (360, 1366):
        page.set_viewport_size({"width": width, "height": 740})
        boxes = [each.bounding_box() for each in shown.all()]
        assert max(box["y"] + box["height"] for box in boxes) <= 740
        middle = boxes[-1]["x"] + boxes[-1]["width"] / 2
        assert abs(middle - 180) < 8 if width == 360 else middle > 1100


def test_menu_is_in_sight_and_closes_by_keys(visit: Visit) -> None:
    page = visit("all", CLIENTS)
    menu, button = page.locator("#sidebar"), page.get_by_role("button", name="Menu", exact=True)
    page.set_viewport_size({"width": 1366, "height": 720})
    expect(menu.get_by_role("button", name="Sign out")).to_be_in_viewport(ratio=1)
    assert menu.evaluate("menu => menu.scrollHeight <= menu.clientHeight")
    page.set_viewport_size({"width": 360, "height": 800})
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
